// libheddle_redirect.so: preloaded before all others. It finds copies of the CUDA runtime that are
// linked into objects, and redirects their functions to the stand-in.
//
// Its constructor runs before any other (-z initfirst), and sees what the program starts with. Of
// what dlopen brings in it learns from the dynamic linker's rendezvous with debuggers (struct
// r_debug in <link.h>), which is called when objects are mapped and before their constructors run;
// these already call the runtime. The README says why not another way.
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "gpu/runtime/redirect/functions.hpp"
#include "gpu/runtime/redirect/mapped_file.hpp"
#include "gpu/runtime/redirect/object_file.hpp"
#include "gpu/runtime/redirect/patch.hpp"

namespace heddle::runtime::redirect {
namespace {

constexpr std::size_t kMostFunctions = 1024;
constexpr std::string_view kRegister = "__cudaRegisterFatBinary";
// A function that CUDA 13's runtime no longer has.
constexpr std::string_view kOldFunction = "cudaThreadSynchronize";
// Each copy of the runtime has the names of its errors. A library that only stands before the
// runtime (a profiler's) has its functions and not these.
constexpr std::string_view kErrorName = "cudaErrorCudartUnloading";

void say(const char* object, std::string_view text) {
  const auto put = [](std::string_view part) {
    if (write(STDERR_FILENO, part.data(), part.size()) < 0) return;
  };
  put("heddle: ");
  put(object);
  put(text);
}

bool has(std::span<const FoundFunction> found, std::string_view name) {
  for (const FoundFunction& each : found)
    if (names()[each.name] == name) return true;
  return false;
}

// The stand-in's own libraries define these names as well.
bool is_stand_in(std::span<const FoundFunction> found, std::uint64_t base) {
  const auto is_at = [&](const void* function, std::uint64_t address) {
    return reinterpret_cast<std::uint64_t>(function) == base + address;
  };
  for (const FoundFunction& each : found) {
    const auto [cuda_12, cuda_13] = replacement(each.name);
    if (is_at(cuda_12, each.address) || is_at(cuda_13, each.address)) return true;
  }
  return false;
}

// Whether the code in memory is the file's: a file may have taken another's place.
bool is_mapped(const ObjectFile& file, std::span<const FoundFunction> found, std::uint64_t base) {
  for (const FoundFunction& each : found) {
    const FileBytes code = file.code_bytes(each.address, kJumpBytes);
    if (std::memcmp(reinterpret_cast<const void*>(base + each.address), code.data(), code.size()))
      return false;
  }
  return true;
}

// Redirects those of one segment. False: the system does not allow it.
bool redirect_segment(const ObjectFile& file, const CodeSegment& segment, const link_map& object,
                      std::span<const FoundFunction> found, bool is_12) {
  static Jump jumps[kMostFunctions];  // the dynamic linker lets one thread in at a time
  std::size_t count = 0;
  for (const FoundFunction& each : found) {
    if (file.code_at(each.address, kJumpBytes) != &segment) continue;
    const auto [cuda_12, cuda_13] = replacement(each.name);
    const void* const to = cuda_13 == nullptr || (is_12 && cuda_12 != nullptr) ? cuda_12 : cuda_13;
    jumps[count++] = {object.l_addr + each.address, to};
  }
  return write_jumps({jumps, count},
                     {object.l_addr + segment.address, segment.bytes, segment.protection});
}

// Whether all pages of its code are mapped: mincore says so of a range without touching it.
bool is_present(const CodeSegment& segment, std::uint64_t base) {
  constexpr std::uint64_t kPage = 4096;
  static unsigned char states[256];
  std::uint64_t at = (base + segment.address) & ~(kPage - 1);
  const std::uint64_t end = base + segment.address + segment.bytes;
  for (; at < end; at += sizeof states * kPage) {
    const std::uint64_t bytes = end - at < sizeof states * kPage ? end - at : sizeof states * kPage;
    if (mincore(reinterpret_cast<void*>(at), bytes, states) != 0) return false;
  }
  return true;
}

// A program that has a runtime, and a symbol table that is wrong about it, would get an error of
// every call. `heddle run` refuses one without a symbol table in the same way (program_check.cpp).
void refuse_what_lies(const ObjectFile& file) {
  constexpr int kHeddleFailed = 125;
  if (!file.claims(kRegister) || !file.has_constant(kErrorName)) return;
  say("the program",
      " has the CUDA runtime linked into it, and its symbol table is wrong about where. Build it "
      "anew, or link it with the shared runtime: nvcc -cudart shared\n");
  _exit(kHeddleFailed);
}

void inspect(const link_map& object) {
  const bool is_program = object.l_name == nullptr || object.l_name[0] == '\0';
  if (!is_program && std::strchr(object.l_name, '/') == nullptr) return;  // the kernel's
  const char* const path = is_program ? "/proc/self/exe" : object.l_name;
  const MappedFile mapped(path);
  const ObjectFile file(mapped.bytes());
  if (!file.has_code() ||
      object.l_addr + file.dynamic_section() != reinterpret_cast<std::uint64_t>(object.l_ld))
    return;
  static FoundFunction space[kMostFunctions];
  const auto found = file.find_functions(names(), space);
  if (is_program && !has(found, kRegister)) refuse_what_lies(file);
  if (!has(found, kRegister) || is_stand_in(found, object.l_addr)) return;
  if (!file.has_constant(kErrorName)) return;
  for (const CodeSegment& segment : file.code())
    if (!is_present(segment, object.l_addr)) return;
  if (!is_mapped(file, found, object.l_addr)) return;
  for (const CodeSegment& segment : file.code())
    if (!redirect_segment(file, segment, object, found, has(found, kOldFunction)))
      say(is_program ? "the program" : path,
          ": its copy of the CUDA runtime could not be redirected, because the system does not let "
          "its code be changed. Link it with the shared one: nvcc -cudart shared\n");
}

// Of each name space (dlmopen) the last object that was looked at. New ones come behind it.
constexpr std::size_t kMostNamespaces = 32;
const link_map* last_seen[kMostNamespaces];

void inspect_new(const r_debug& objects, std::size_t name_space) {
  const link_map*& last = last_seen[name_space];
  if (objects.r_state != r_debug::RT_CONSISTENT) return;
  const link_map* each = last != nullptr ? last->l_next : objects.r_map;
  for (; each != nullptr; each = each->l_next) {
    inspect(*each);
    last = each;
  }
}

// Where objects are about to be removed, or were, the last one may go.
void forget_removed(const r_debug& objects, std::size_t name_space) {
  static bool removing[kMostNamespaces];
  if (objects.r_state == r_debug::RT_DELETE) removing[name_space] = true;
  if (objects.r_state != r_debug::RT_CONSISTENT || !removing[name_space]) return;
  removing[name_space] = false;
  const link_map* last = objects.r_map;
  while (last != nullptr && last->l_next != nullptr) last = last->l_next;
  last_seen[name_space] = last;
}

// Takes the place of the rendezvous: called by the dynamic linker, which holds its lock.
void objects_changed() {
  const int error = errno;
  // Since glibc 2.35 (version 2) the list of name spaces follows.
  struct Extended {
    r_debug base;
    const Extended* next;
  };
  const auto* each = reinterpret_cast<const Extended*>(&_r_debug);
  for (std::size_t i = 0; each != nullptr && i < kMostNamespaces; ++i) {
    forget_removed(each->base, i);
    inspect_new(each->base, i);
    each = each->base.r_version >= 2 ? each->next : nullptr;
  }
  errno = error;
}

// The rendezvous is a function of one return, perhaps behind endbr64, with padding behind it.
bool is_empty_function(const std::uint8_t* code) {
  constexpr std::uint8_t kLanding[] = {0xf3, 0x0f, 0x1e, 0xfa}, kReturn = 0xc3;
  if (std::memcmp(code, kLanding, sizeof kLanding) == 0) return code[sizeof kLanding] == kReturn;
  constexpr std::uint8_t kPaddings[][4] = {{0x66, 0x66, 0x2e, 0x0f}, {0x66, 0x2e, 0x0f, 0x1f},
                                           {0x90, 0x90, 0x90, 0x90}, {0xcc, 0xcc, 0xcc, 0xcc},
                                           {0x0f, 0x1f, 0x44, 0x00}, {0x0f, 0x1f, 0x80, 0x00},
                                           {0x0f, 0x1f, 0x84, 0x00}, {0x66, 0x90, 0x66, 0x90}};
  if (*code != kReturn) return false;
  for (const auto& padding : kPaddings)
    if (std::memcmp(code + 1, padding, sizeof padding) == 0) return true;
  return false;
}

__attribute__((constructor)) void at_load() {
  objects_changed();
  const std::uint64_t rendezvous = _r_debug.r_brk;
  const auto* const code = reinterpret_cast<const std::uint8_t*>(rendezvous);
  const Jump jump{rendezvous, reinterpret_cast<const void*>(&objects_changed)};
  if (rendezvous == 0 || !is_empty_function(code) ||
      !write_jumps({&jump, 1}, {rendezvous, kJumpBytes, PROT_READ | PROT_EXEC}))
    say("this dynamic linker",
        " is not known: copies of the CUDA runtime inside libraries that are "
        "loaded later cannot be redirected\n");
}

}  // namespace
}  // namespace heddle::runtime::redirect
