#include "cli/start_failure.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "cli/child.hpp"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBegin = 4096;

std::string beginning_of(const fs::path& file) {
  std::string text(kBegin, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(text.data(), kBegin);
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
  return text;
}

template <typename Header>
bool read_header(std::string_view begin, std::size_t at, Header& header) {
  if (begin.size() < sizeof header || at > begin.size() - sizeof header) return false;
  std::memcpy(&header, begin.data() + at, sizeof header);
  return true;
}

std::string machine_name(unsigned machine) {
  switch (machine) {
    case EM_386:
      return "32-bit x86";
    case EM_X86_64:
      return "x86-64";
    case EM_AARCH64:
      return "64-bit Arm (AArch64)";
    case EM_ARM:
      return "32-bit Arm";
    case EM_PPC64:
      return "POWER";
    case EM_RISCV:
      return "RISC-V";
    case EM_S390:
      return "z/Architecture";
    default:
      return fmt::format("another machine (ELF machine {})", machine);
  }
}

// What the first line of a script names; empty: it is none.
std::string interpreter_of_script(std::string_view begin) {
  if (!begin.starts_with("#!")) return {};
  begin = begin.substr(2, begin.find('\n') - 2);
  begin.remove_prefix(std::min(begin.find_first_not_of(" \t"), begin.size()));
  return std::string(begin.substr(0, begin.find_first_of(" \t\r")));
}

// The loader that an executable asks for; empty: it names none.
std::string loader_of(std::string_view begin) {
  Elf64_Ehdr header;
  if (!read_header(begin, 0, header)) return {};
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part;
    const std::uint64_t at = header.e_phoff + std::uint64_t{i} * sizeof part;
    if (at > begin.size() || !read_header(begin, at, part)) return {};
    if (part.p_type != PT_INTERP || part.p_offset > begin.size()) continue;
    return std::string(begin.substr(part.p_offset, part.p_filesz).data());
  }
  return {};
}

std::string not_found(const std::string& name, const std::string& file) {
  const bool searched = file.find('/') == file.npos;
  if (searched && access(file.c_str(), X_OK) == 0)
    return fmt::format("there is no program {0} in PATH; did you mean ./{0}?", name);
  if (searched) return fmt::format("there is no program {} in PATH", name);
  std::error_code none;
  if (!fs::exists(file, none)) return fmt::format("{}: no such file", name);
  const std::string begin = beginning_of(file);
  const std::string script = interpreter_of_script(begin);
  const std::string needed = script.empty() ? loader_of(begin) : script;
  return needed.empty() ? fmt::format("{}: {}", name, std::strerror(ENOENT))
                        : fmt::format("{} needs {}, which is not on this machine", name, needed);
}

std::string not_allowed(const std::string& name, const std::string& file) {
  std::error_code none;
  if (fs::is_directory(file, none)) return fmt::format("{} is a folder, not a program", name);
  const std::string begin = beginning_of(file);
  if (!begin.starts_with(ELFMAG) && !begin.starts_with("#!"))
    return fmt::format(
        "{} is not a program: neither an executable nor a script that begins with #!", name);
  return fmt::format("{} is not executable: chmod +x {}", name, name);
}

std::string not_understood(const std::string& name, const std::string& file) {
  const std::string begin = beginning_of(file);
  Elf64_Ehdr header;  // 32-bit ones begin alike
  if (!begin.starts_with(ELFMAG) || !read_header(begin, 0, header))
    return fmt::format(
        "{} is not a program: neither an executable nor a script that begins with #!", name);
  if (header.e_machine != EM_X86_64)
    return fmt::format("{} is built for {}; this machine runs x86-64 programs", name,
                       machine_name(header.e_machine));
  if (header.e_type == ET_REL)
    return fmt::format("{} is an object file: link it into a program first", name);
  return fmt::format("{} is damaged: the system cannot load it", name);
}

}  // namespace

std::string start_failure(const std::string& name, const std::string& file, int error) {
  const std::string found = find_program(file);
  switch (error) {
    case ENOENT:
      return not_found(name, found.empty() ? file : found);
    case EACCES:
      return not_allowed(name, found.empty() ? file : found);
    case ENOEXEC:
      return not_understood(name, found.empty() ? file : found);
    default:
      return fmt::format("{}: {}", name, std::strerror(error));
  }
}

}  // namespace heddle::cli
