#include "gpu/runtime/redirect/object_file.hpp"

#include <elf.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>

namespace heddle::runtime::redirect {
namespace {

// A symbol table without this name holds no CUDA runtime; looking for it costs less than reading
// the symbols.
constexpr std::string_view kMark = "__cudaRegisterFatBinary";
constexpr std::uint64_t kEntryBytes = 8;  // of the table for unwinding

bool contains(FileBytes bytes, std::string_view text) {
  return bytes.size() >= text.size() &&
         memmem(bytes.data(), bytes.size(), text.data(), text.size()) != nullptr;
}

// What compilers put between functions: no-operations of all lengths, and breakpoints.
bool is_padding(FileBytes bytes) {
  constexpr std::uint8_t kFirst[] = {0x90, 0xcc, 0x66, 0x0f};
  constexpr std::uint8_t kAny[] = {0x90, 0xcc, 0x66, 0x0f, 0x1f, 0x2e,
                                   0x00, 0x40, 0x44, 0x80, 0x84};
  const auto among = [](std::span<const std::uint8_t> set, std::byte byte) {
    return std::ranges::find(set, static_cast<std::uint8_t>(byte)) != set.end();
  };
  return bytes.empty() || (among(kFirst, bytes[0]) &&
                           std::ranges::all_of(bytes, [&](std::byte b) { return among(kAny, b); }));
}

}  // namespace

template <typename T>
bool ObjectFile::read(std::uint64_t at, T& value) const {
  const FileBytes bytes = contents(at, sizeof value);
  if (bytes.empty()) return false;
  std::memcpy(&value, bytes.data(), sizeof value);
  return true;
}

// Empty where they are not all in the file.
FileBytes ObjectFile::contents(std::uint64_t offset, std::uint64_t bytes) const {
  if (offset > file_.size() || bytes > file_.size() - offset) return {};
  return file_.subspan(offset, bytes);
}

ObjectFile::ObjectFile(FileBytes file) : file_(file) {
  Elf64_Ehdr header;
  if (!read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return;
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) return;
  if (header.e_machine != EM_X86_64 || header.e_phentsize != sizeof(Elf64_Phdr)) return;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!read(header.e_phoff + i * sizeof segment, segment)) return;
    if (segment.p_type == PT_DYNAMIC) dynamic_ = segment.p_vaddr;
    if (segment.p_type == PT_GNU_EH_FRAME)
      find_unwind_table(segment.p_offset, segment.p_vaddr, segment.p_filesz);
    constexpr unsigned kCode = PF_R | PF_X;
    if (segment.p_type != PT_LOAD || (segment.p_flags & kCode) != kCode) continue;
    // What lies beyond the end of the file is mapped, and cannot be touched.
    const std::uint64_t bytes = std::min(segment.p_filesz, segment.p_memsz);
    if (bytes == 0 || contents(segment.p_offset, bytes).empty()) continue;
    if (segment.p_vaddr + bytes < segment.p_vaddr || code_count_ == kMostSegments) continue;
    const int writable = (segment.p_flags & PF_W) != 0 ? PROT_WRITE : 0;
    code_[code_count_++] = {segment.p_vaddr, bytes, segment.p_offset,
                            PROT_READ | PROT_EXEC | writable};
  }
  if (header.e_shentsize != sizeof(Elf64_Shdr)) return;
  sections_ = header.e_shoff;
  section_count_ = header.e_shnum;
}

const CodeSegment* ObjectFile::code_at(std::uint64_t address, std::uint64_t bytes) const {
  for (const CodeSegment& segment : code())
    if (segment.holds(address, bytes)) return &segment;
  return nullptr;
}

FileBytes ObjectFile::code_bytes(std::uint64_t address, std::uint64_t bytes) const {
  const CodeSegment* const segment = code_at(address, bytes);
  return segment == nullptr ? FileBytes()
                            : contents(segment->offset + (address - segment->address), bytes);
}

// A function shorter than a jump has room where what follows it is padding.
bool ObjectFile::has_room(std::uint64_t address, std::uint64_t bytes) const {
  const FileBytes code = code_bytes(address, kJumpBytes);
  return code.size() == kJumpBytes && (bytes >= kJumpBytes || is_padding(code.subspan(bytes)));
}

// Of .eh_frame_hdr, the sorted one of two 32-bit offsets for each function: linkers make no other.
void ObjectFile::find_unwind_table(std::uint64_t offset, std::uint64_t address,
                                   std::uint64_t bytes) {
  struct Header {
    std::uint8_t version, frames_as, count_as, entries_as;
    std::uint32_t frames, count;
  } header;
  constexpr std::uint8_t kFromHere = 0x1b, kUnsigned = 0x03, kFromTable = 0x3b;
  if (!read(offset, header) || header.version != 1 || header.frames_as != kFromHere ||
      header.count_as != kUnsigned || header.entries_as != kFromTable)
    return;
  if (contents(offset, bytes).size() < sizeof header) return;
  if (header.count > (bytes - sizeof header) / kEntryBytes) return;
  unwind_address_ = address;
  unwind_entries_ = offset + sizeof header;
  unwind_count_ = header.count;
}

// Code without a table may begin anywhere.
bool ObjectFile::begins_function(std::uint64_t address) const {
  if (unwind_count_ == 0) return true;
  std::uint64_t first = 0, last = unwind_count_;
  while (first < last) {
    const std::uint64_t middle = first + (last - first) / 2;
    std::int32_t distance = 0;
    read(unwind_entries_ + middle * kEntryBytes, distance);
    const std::uint64_t begin = unwind_address_ + static_cast<std::uint64_t>(distance);
    if (begin == address) return true;
    if (begin < address)
      first = middle + 1;
    else
      last = middle;
  }
  return false;
}

// `visit(name, symbol)` until it returns false.
template <typename Visit>
void ObjectFile::each_symbol_in(std::uint64_t section, Visit& visit) const {
  Elf64_Shdr table, strings;
  if (!read(sections_ + section * sizeof table, table) || table.sh_link >= section_count_) return;
  if (table.sh_type != SHT_SYMTAB && table.sh_type != SHT_DYNSYM) return;
  if (!read(sections_ + table.sh_link * sizeof strings, strings)) return;
  const FileBytes symbols = contents(table.sh_offset, table.sh_size);
  const FileBytes text = contents(strings.sh_offset, strings.sh_size);
  if (!contains(text, kMark)) return;
  for (std::uint64_t at = 0; symbols.size() - at >= sizeof(Elf64_Sym); at += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol;
    std::memcpy(&symbol, symbols.data() + at, sizeof symbol);
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_name >= text.size()) continue;
    const char* const begin = reinterpret_cast<const char*>(text.data()) + symbol.st_name;
    const std::size_t most = text.size() - symbol.st_name;
    // All that anybody looks for begin like this; most names are mangled ones, of _Z.
    const bool is_like_cuda =
        most >= 2 && ((begin[0] == 'c' && begin[1] == 'u') || (begin[0] == '_' && begin[1] == '_'));
    if (!is_like_cuda) continue;
    const std::string_view name(begin, strnlen(begin, most));
    if (!visit(name, symbol)) return;
  }
}

template <typename Visit>
void ObjectFile::each_symbol(Visit visit) const {
  for (std::size_t i = 0; i < section_count_; ++i) each_symbol_in(i, visit);
}

bool ObjectFile::claims(std::string_view wanted) const {
  bool found = false;
  each_symbol([&](std::string_view name, const Elf64_Sym&) {
    found |= name == wanted;
    return !found;
  });
  return found;
}

std::span<FoundFunction> ObjectFile::find_functions(std::span<const std::string_view> names,
                                                    std::span<FoundFunction> found) const {
  std::size_t count = 0;
  each_symbol([&](std::string_view name, const Elf64_Sym& symbol) {
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) return true;
    const auto place = std::ranges::lower_bound(names, name);
    if (place == names.end() || *place != name) return true;
    if (!has_room(symbol.st_value, symbol.st_size) || !begins_function(symbol.st_value))
      return true;
    if (count == found.size()) return false;
    found[count++] = {symbol.st_value, static_cast<std::size_t>(place - names.begin())};
    return true;
  });
  std::ranges::sort(found.first(count), [](const FoundFunction& a, const FoundFunction& b) {
    return a.address != b.address ? a.address < b.address : a.name < b.name;
  });
  // A name of both tables is found twice; jumps do not overlap.
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (kept == 0 || found[i].address - found[kept - 1].address >= kJumpBytes)
      found[kept++] = found[i];
  return found.first(kept);
}

bool ObjectFile::has_constant(std::string_view text) const {
  for (std::size_t i = 0; i < section_count_; ++i) {
    Elf64_Shdr section;
    if (!read(sections_ + i * sizeof section, section)) break;
    const bool constant = section.sh_type == SHT_PROGBITS && (section.sh_flags & SHF_ALLOC) != 0 &&
                          (section.sh_flags & (SHF_WRITE | SHF_EXECINSTR)) == 0;
    if (constant && contains(contents(section.sh_offset, section.sh_size), text)) return true;
  }
  return false;
}

}  // namespace heddle::runtime::redirect
