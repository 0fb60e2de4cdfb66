#include "gpu/runtime/program_check.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "isa/cubin.hpp"
#include "isa/elf.hpp"
#include "simulator/base/mapped_file.hpp"

namespace heddle::runtime {
namespace {

constexpr std::string_view kRuntime = "libcudart.so.";
constexpr std::string_view kVersions[] = {"12", "13"};

const isa::ElfSection* find_section(const isa::ElfFile& elf, std::uint32_t type) {
  const auto found = std::ranges::find(elf.sections, type, &isa::ElfSection::type);
  return found == elf.sections.end() ? nullptr : &*found;
}

template <typename Entry, typename Visit>
void for_each_entry(const isa::ElfFile& elf, std::uint32_t type, Visit visit) {
  const isa::ElfSection* section = find_section(elf, type);
  if (section == nullptr || section->link >= elf.sections.size()) return;
  const isa::Bytes table(section->bytes, elf.origin);
  const isa::Bytes names = elf.contents(section->link);
  for (std::uint64_t at = 0; at + sizeof(Entry) <= table.size(); at += sizeof(Entry))
    visit(table.at<Entry>(at, "entry"), names);
}

// The libraries it is linked with.
std::vector<std::string_view> needed_libraries(const isa::ElfFile& elf) {
  std::vector<std::string_view> needed;
  for_each_entry<Elf64_Dyn>(elf, SHT_DYNAMIC, [&](const Elf64_Dyn& entry, const isa::Bytes& names) {
    if (entry.d_tag == DT_NEEDED) needed.push_back(names.text(entry.d_un.d_val, "library"));
  });
  return needed;
}

bool imports_any(const isa::ElfFile& elf, std::string_view beginning) {
  bool found = false;
  for_each_entry<Elf64_Sym>(elf, SHT_DYNSYM, [&](const Elf64_Sym& symbol, const isa::Bytes& names) {
    found |=
        symbol.st_shndx == SHN_UNDEF && names.text(symbol.st_name, "symbol").starts_with(beginning);
  });
  return found;
}

// Any copy of the runtime has the names of its errors, and the name of the driver's library, which
// it opens itself.
bool has_runtime_inside(const isa::ElfFile& elf) {
  for (const isa::ElfSection& section : elf.sections) {
    const std::string_view text(reinterpret_cast<const char*>(section.bytes.data()),
                                section.bytes.size());
    if (section.name == ".rodata" && text.find("cudaErrorCudartUnloading") != text.npos &&
        text.find("libcuda.so.1") != text.npos)
      return true;
  }
  return false;
}

// Whether a symbol table says where the runtime's functions are.
bool names_runtime_functions(const isa::ElfFile& elf) {
  bool found = false;
  for (const std::uint32_t type : {SHT_SYMTAB, SHT_DYNSYM})
    for_each_entry<Elf64_Sym>(elf, type, [&](const Elf64_Sym& symbol, const isa::Bytes& names) {
      found |= symbol.st_shndx != SHN_UNDEF &&
               names.text(symbol.st_name, "symbol") == "__cudaRegisterFatBinary";
    });
  return found;
}

// NVIDIA's libraries of kernels that have no stand-in (libraries/), and what their functions' names
// begin with. Each has a CUDA runtime of its own inside, which asks NVIDIA's driver for what no
// documentation describes.
struct VendorLibrary {
  std::string_view file, functions;
};
constexpr VendorLibrary kVendorLibraries[] = {
    {"libcublasLt", "cublasLt"}, {"libcudnn", "cudnn"}, {"libcutensor", "cutensor"},
    {"libnccl", "nccl"},         {"libnpp", "npp"},     {"libnvjpeg", "nvjpeg"},
};

// A library that only stands on the linker's command line does no harm.
std::string notice(const isa::ElfFile& elf) {
  std::vector<std::string_view> called;
  for (const std::string_view library : needed_libraries(elf))
    for (const auto& [file, functions] : kVendorLibraries)
      if (library.starts_with(file) && imports_any(elf, functions)) called.push_back(library);
  if (called.empty()) return {};
  return fmt::format(
      "{} calls {}: NVIDIA's libraries of kernels need NVIDIA's driver, so these calls fail here, "
      "each with the library's own error. The program's own kernels run",
      elf.origin, fmt::join(called, ", "));
}

std::string refusal(const isa::ElfFile& elf) {
  for (std::string_view library : needed_libraries(elf)) {
    if (!library.starts_with(kRuntime)) continue;
    if (std::ranges::count(kVersions, library.substr(kRuntime.size())) != 0) return {};
    return fmt::format("{} is linked with {}; build it again with CUDA {}", elf.origin, library,
                       fmt::join(kVersions, " or "));
  }
  if (!has_runtime_inside(elf)) return {};
  constexpr std::string_view kShared =
      "link it with the shared runtime:\n"
      "  nvcc:   add  -cudart shared\n"
      "  CMake:  set_target_properties(<target> PROPERTIES CUDA_RUNTIME_LIBRARY Shared)\n"
      "          or configure with  -DCMAKE_CUDA_RUNTIME_LIBRARY=Shared";
  if (find_section(elf, SHT_DYNAMIC) == nullptr)
    return fmt::format(
        "{} is linked without shared libraries, so the CUDA runtime inside "
        "it cannot be replaced. Build it without -static",
        elf.origin);
  if (names_runtime_functions(elf)) return {};
  return fmt::format(
      "{} has the CUDA runtime linked into it and no symbol table that says where: it "
      "was stripped. Build it without -s and do not run strip on it, or {}",
      elf.origin, kShared);
}

bool has_cuda(const isa::ElfFile& elf) {
  const auto needs = [](std::string_view library) {
    return library.starts_with("libcudart.so") || library.starts_with("libcuda.so");
  };
  return std::ranges::any_of(needed_libraries(elf), needs) ||
         std::ranges::count(elf.sections, ".nv_fatbin", &isa::ElfSection::name) != 0 ||
         has_runtime_inside(elf);
}

}  // namespace

ProgramCheck check_program(const std::filesystem::path& file) {
  const simulator::MappedFile mapped(file);  // it may be large
  const auto bytes = std::as_bytes(std::span(mapped.bytes()));
  if (!isa::looks_like_elf(bytes)) return {};
  if (bytes.size() > EI_CLASS && bytes[EI_CLASS] == std::byte{ELFCLASS32})
    return {.refusal = fmt::format("{} is a 32-bit program: Heddle runs only 64-bit CUDA "
                                   "programs",
                                   file.string()),
            .notice = {},
            .has_cuda = false};
  try {
    const isa::ElfFile elf = isa::read_elf(bytes, file.string());
    return {.refusal = refusal(elf), .notice = notice(elf), .has_cuda = has_cuda(elf)};
  } catch (const isa::CubinError&) {
    return {};  // whether it can be started is the system's to say
  }
}

}  // namespace heddle::runtime
