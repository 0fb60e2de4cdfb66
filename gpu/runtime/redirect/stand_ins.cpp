// dlopen as programs find it: a library of kernels that they load by its full path, as PyTorch and
// CuPy load those of NVIDIA's packages, is the stand-in of that name. By name alone they find it in
// LD_LIBRARY_PATH.
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

namespace heddle::runtime::redirect {
namespace {

constexpr std::size_t kLongestPath = 4096;
constexpr std::string_view kFolder = "libraries/";

// Where this library lies, with the slash behind it; empty: nobody knows.
std::string_view own_folder() {
  Dl_info self;
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &self) == 0) return {};
  const char* const slash = std::strrchr(self.dli_fname, '/');
  if (slash == nullptr) return {};
  return {self.dli_fname, static_cast<std::size_t>(slash - self.dli_fname) + 1};
}

// What dlopen is given has to stay. In memory of each thread it would be a part of its stack, which
// programs choose as small as 32 KB.
struct Path {
  char text[kLongestPath];
  const Path* next;
};
const Path* kept = nullptr;
pthread_mutex_t keeping = PTHREAD_MUTEX_INITIALIZER;

// One that is equal and stays; takes `path` over.
const char* keep(Path* path) {
  pthread_mutex_lock(&keeping);
  const Path* found = kept;
  while (found != nullptr && std::strcmp(found->text, path->text) != 0) found = found->next;
  if (found != nullptr) {
    std::free(path);
  } else {
    path->next = kept;
    found = kept = path;
  }
  pthread_mutex_unlock(&keeping);
  return found->text;
}

}  // namespace

extern "C" {

// The C library's, to which ours jumps.
__attribute__((visibility("hidden"))) void* heddle_next_dlopen = nullptr;

// The stand-in's path for a library's, or `path` itself.
__attribute__((visibility("hidden"))) const char* heddle_path_to_load(const char* path) {
  if (heddle_next_dlopen == nullptr) heddle_next_dlopen = dlsym(RTLD_NEXT, "dlopen");
  const char* const name = path == nullptr ? nullptr : std::strrchr(path, '/');
  if (name == nullptr) return path;
  const std::string_view folder = own_folder(), file(name + 1);
  if (folder.empty() || file.empty() ||
      folder.size() + kFolder.size() + file.size() >= kLongestPath)
    return path;
  auto* const stand_in = static_cast<Path*>(std::malloc(sizeof(Path)));
  if (stand_in == nullptr) return path;
  char* end = stand_in->text;
  for (const std::string_view part : {folder, kFolder, file}) {
    std::memcpy(end, part.data(), part.size());
    end += part.size();
  }
  *end = '\0';
  if (access(stand_in->text, R_OK) == 0) return keep(stand_in);
  std::free(stand_in);
  return path;
}
}

// A jump, not a call: the C library looks at the return address to learn whose RUNPATH holds.
asm(R"(
.text
.globl dlopen
.type dlopen, @function
dlopen:
  .cfi_startproc
  endbr64
  push %rsi
  .cfi_adjust_cfa_offset 8
  call heddle_path_to_load
  mov %rax, %rdi
  pop %rsi
  .cfi_adjust_cfa_offset -8
  jmp *heddle_next_dlopen(%rip)
  .cfi_endproc
.size dlopen, . - dlopen
)");

}  // namespace heddle::runtime::redirect
