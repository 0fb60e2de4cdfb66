#include "traces/sketch/cubin_writer.hpp"

#include <elf.h>

#include <cstring>

#include "isa/arch.hpp"
#include "isa/nv_info.hpp"

namespace heddle::isa::sketch {
namespace {

constexpr std::uint32_t kCudaInfo = 0x70000000;
constexpr std::uint16_t kElfMachineCuda = 190;
constexpr std::uint8_t kAbiVersion = 8;
constexpr std::uint32_t kFlags = 0x06000004;  // the architecture's number is in bits 15:8
constexpr std::uint8_t kKernelSymbol = 0x10;
constexpr std::uint32_t kAddress64 = 2;  // R_CUDA_64, which the line table's addresses need
constexpr Word kNop{.lo = 0x7918, .hi = 0x000fc00000000000};
constexpr std::size_t kCodeUnit = 8;  // words in 128 bytes

// Little-endian bytes, appended.
class Buffer {
 public:
  template <typename T>
  void put(const T& value) {
    const auto* first = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), first, first + sizeof value);
  }
  void text(const std::string& value) {
    for (const char c : value) put(c);
    put('\0');
  }
  void uleb(std::uint64_t value) {
    do {
      const auto low = static_cast<std::uint8_t>(value & 0x7f);
      value >>= 7;
      put(static_cast<std::uint8_t>(low | (value != 0 ? 0x80 : 0)));
    } while (value != 0);
  }
  void sleb(std::int64_t value) {
    for (;;) {
      const auto low = static_cast<std::uint8_t>(value & 0x7f);
      value >>= 7;
      const bool last = (value == 0 && (low & 0x40) == 0) || (value == -1 && (low & 0x40) != 0);
      put(static_cast<std::uint8_t>(low | (last ? 0 : 0x80)));
      if (last) return;
    }
  }
  std::size_t size() const { return bytes_.size(); }
  template <typename T>
  void patch(std::size_t offset, const T& value) {
    std::memcpy(bytes_.data() + offset, &value, sizeof value);
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

struct Section {
  std::string name;
  std::uint32_t type = SHT_PROGBITS;
  std::uint64_t flags = 0;
  std::vector<std::byte> bytes = {};
  std::uint32_t link = 0, info = 0;
  std::uint64_t entry_size = 0, alignment = 1;
  std::uint64_t nobits = 0;
};

// A record of .nv.info whose payload is words.
void put_record(Buffer& info, Attribute attribute, std::initializer_list<std::uint32_t> words) {
  constexpr std::uint8_t kSized = 4;
  info.put(kSized);
  info.put(static_cast<std::uint8_t>(attribute));
  info.put(static_cast<std::uint16_t>(4 * words.size()));
  for (const std::uint32_t word : words) info.put(word);
}
void put_half(Buffer& info, Attribute attribute, std::uint16_t value) {
  constexpr std::uint8_t kHalf = 3;
  info.put(kHalf);
  info.put(static_cast<std::uint8_t>(attribute));
  info.put(value);
}
void put_byte(Buffer& info, Attribute attribute, std::uint8_t value) {
  constexpr std::uint8_t kByte = 2;
  info.put(kByte);
  info.put(static_cast<std::uint8_t>(attribute));
  info.put(static_cast<std::uint16_t>(value));
}

class Writer {
 public:
  Writer(const std::vector<WrittenKernel>& kernels, const std::vector<std::byte>& table,
         const std::string& source, Arch arch)
      : kernels_(kernels), table_(table), source_(source), arch_(arch) {}

  std::vector<std::byte> run() {
    add({.name = "", .type = SHT_NULL});
    for (const WrittenKernel& kernel : kernels_) text_.push_back(add_code(kernel));
    const std::uint32_t symbols = add_symbols();
    for (std::size_t i = 0; i < kernels_.size(); ++i) add_facts(kernels_[i], text_[i], symbols);
    add_module_facts(symbols);
    if (!table_.empty())
      add({.name = ".nv.constant3", .flags = SHF_ALLOC, .bytes = table_, .alignment = 4});
    add_lines(symbols);
    return write();
  }

 private:
  std::uint32_t add(Section section) {
    sections_.push_back(std::move(section));
    return static_cast<std::uint32_t>(sections_.size() - 1);
  }

  std::uint32_t add_code(const WrittenKernel& kernel) {
    Buffer code;
    for (const Word& word : kernel.words) code.put(word);
    for (std::size_t i = kernel.words.size(); i % kCodeUnit != 0; ++i) code.put(kNop);
    return add({.name = ".text." + kernel.name,
                .flags = SHF_ALLOC | SHF_EXECINSTR,
                .bytes = code.take(),
                .alignment = 128});
  }

  std::uint32_t add_symbols() {
    Buffer names, table;
    names.put('\0');
    table.put(Elf64_Sym{});
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      Elf64_Sym symbol{};
      symbol.st_name = static_cast<Elf64_Word>(names.size());
      names.text(kernels_[i].name);
      symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
      symbol.st_other = kKernelSymbol;
      symbol.st_shndx = static_cast<Elf64_Section>(text_[i]);
      symbol.st_size = sections_[text_[i]].bytes.size();
      table.put(symbol);
    }
    const std::uint32_t strings =
        add({.name = ".strtab", .type = SHT_STRTAB, .bytes = names.take()});
    return add({.name = ".symtab",
                .type = SHT_SYMTAB,
                .bytes = table.take(),
                .link = strings,
                .info = 1,
                .entry_size = sizeof(Elf64_Sym),
                .alignment = 8});
  }

  void add_facts(const WrittenKernel& kernel, std::uint32_t text, std::uint32_t symbols) {
    const std::uint32_t first = bank0_layout(arch_).parameters;
    const std::vector<std::uint32_t> offsets = parameter_offsets(kernel.parameters);
    Buffer info;
    for (std::uint32_t i = 0; i < kernel.parameters.size(); ++i)
      put_record(info, Attribute::kparam_info,
                 {0, i | offsets[i] << 16, kernel.parameters[i] << 18 | 0x1f000});
    put_half(info, Attribute::cbank_param_size, static_cast<std::uint16_t>(offsets.back()));
    put_record(info, Attribute::param_cbank, {0, first | offsets.back() << 16});
    if (kernel.uses_barrier) put_byte(info, Attribute::num_barriers, 1);
    add({.name = ".nv.info." + kernel.name,
         .type = kCudaInfo,
         .bytes = info.take(),
         .link = symbols,
         .info = text});
    add({.name = ".nv.constant0." + kernel.name,
         .flags = SHF_ALLOC,
         .bytes = std::vector<std::byte>(first + offsets.back()),
         .info = text,
         .alignment = 4});
    add({.name = ".nv.shared." + kernel.name,
         .type = SHT_NOBITS,
         .flags = SHF_ALLOC | SHF_WRITE,
         .info = text,
         .alignment = 16,
         .nobits = traits(arch_).reserved_shared_bytes + kernel.shared_bytes});
  }

  void add_module_facts(std::uint32_t symbols) {
    Buffer info;
    for (std::uint32_t i = 0; i < kernels_.size(); ++i) {
      put_record(info, Attribute::regcount, {i + 1, kernels_[i].registers});
      put_record(info, Attribute::frame_size, {i + 1, kernels_[i].local_bytes});
      put_record(info, Attribute::min_stack_size, {i + 1, kernels_[i].local_bytes});
    }
    add({.name = ".nv.info", .type = kCudaInfo, .bytes = info.take(), .link = symbols});
  }

  // A line table of DWARF version 2: one sequence per kernel, a row where the line changes.
  void add_lines(std::uint32_t symbols) {
    Buffer lines, relocations;
    lines.put(std::uint32_t{0});  // the length, set below
    lines.put(std::uint16_t{2});
    lines.put(std::uint32_t{0});  // the header's length, set below
    constexpr std::size_t kLengthAt = 0, kHeaderAt = 6, kHeaderEnd = 10;
    lines.put(std::uint8_t{1});  // bytes of the smallest instruction
    lines.put(std::uint8_t{1});
    lines.put(std::int8_t{-1});  // line base, range and opcode base: only standard opcodes are used
    lines.put(std::uint8_t{4});
    lines.put(std::uint8_t{10});
    for (const char operands : {'\0', '\1', '\1', '\1', '\1', '\0', '\0', '\0', '\1'})
      lines.put(operands);
    lines.put('\0');  // no directories
    lines.text(source_);
    for (int i = 0; i < 3; ++i) lines.put('\0');  // directory, time, size
    lines.put('\0');
    lines.patch(kHeaderAt, static_cast<std::uint32_t>(lines.size() - kHeaderEnd));
    for (std::uint32_t i = 0; i < kernels_.size(); ++i)
      add_sequence(kernels_[i], i + 1, lines, relocations);
    lines.patch(kLengthAt, static_cast<std::uint32_t>(lines.size() - 4));
    const std::uint32_t section = add({.name = ".debug_line", .bytes = lines.take()});
    add({.name = ".rel.debug_line",
         .type = SHT_REL,
         .bytes = relocations.take(),
         .link = symbols,
         .info = section,
         .entry_size = sizeof(Elf64_Rel),
         .alignment = 8});
  }

  static void add_sequence(const WrittenKernel& kernel, std::uint32_t symbol, Buffer& lines,
                           Buffer& relocations) {
    constexpr std::uint8_t kExtended = 0, kCopy = 1, kAdvancePc = 2, kAdvanceLine = 3;
    constexpr std::uint8_t kEndSequence = 1, kSetAddress = 2;
    lines.put(kExtended);
    lines.uleb(9);
    lines.put(kSetAddress);
    Elf64_Rel relocation{};
    relocation.r_offset = lines.size();
    relocation.r_info = ELF64_R_INFO(std::uint64_t{symbol}, kAddress64);
    relocations.put(relocation);
    lines.put(std::uint64_t{0});
    std::uint32_t line = 1;
    std::size_t row = 0;
    for (std::size_t i = 0; i < kernel.words.size(); ++i) {
      if (i != 0 && kernel.lines[i] == line) continue;
      lines.put(kAdvancePc);
      lines.uleb(sizeof(Word) * (i - row));
      lines.put(kAdvanceLine);
      lines.sleb(std::int64_t{kernel.lines[i]} - line);
      lines.put(kCopy);
      row = i;
      line = kernel.lines[i];
    }
    lines.put(kAdvancePc);
    lines.uleb(sizeof(Word) * (kernel.words.size() - row));
    lines.put(kExtended);
    lines.uleb(1);
    lines.put(kEndSequence);
  }

  std::vector<std::byte> write() {
    Buffer names;
    std::vector<std::uint32_t> name_offsets;
    add({.name = ".shstrtab", .type = SHT_STRTAB});
    for (const Section& section : sections_) {
      name_offsets.push_back(static_cast<std::uint32_t>(names.size()));
      names.text(section.name);
    }
    sections_.back().bytes = names.take();
    Buffer file;
    file.put(Elf64_Ehdr{});
    std::vector<Elf64_Shdr> headers;
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      const Section& section = sections_[i];
      while (file.size() % section.alignment != 0) file.put('\0');
      Elf64_Shdr header{};
      header.sh_name = name_offsets[i];
      header.sh_type = section.type;
      header.sh_flags = section.flags;
      header.sh_offset = file.size();
      header.sh_size = section.type == SHT_NOBITS ? section.nobits : section.bytes.size();
      header.sh_link = section.link;
      header.sh_info = section.info;
      header.sh_addralign = section.alignment;
      header.sh_entsize = section.entry_size;
      headers.push_back(header);
      for (const std::byte byte : section.bytes) file.put(byte);
    }
    while (file.size() % alignof(Elf64_Shdr) != 0) file.put('\0');
    Elf64_Ehdr elf{};
    std::memcpy(elf.e_ident, ELFMAG, SELFMAG);
    elf.e_ident[EI_CLASS] = ELFCLASS64;
    elf.e_ident[EI_DATA] = ELFDATA2LSB;
    elf.e_ident[EI_VERSION] = EV_CURRENT;
    elf.e_ident[EI_ABIVERSION] = kAbiVersion;
    elf.e_type = ET_EXEC;
    elf.e_machine = kElfMachineCuda;
    elf.e_version = EV_CURRENT;
    elf.e_flags = kFlags | static_cast<std::uint32_t>(sm_number(arch_)) << 8;
    elf.e_ehsize = sizeof(Elf64_Ehdr);
    elf.e_shoff = file.size();
    elf.e_shentsize = sizeof(Elf64_Shdr);
    elf.e_shnum = static_cast<Elf64_Half>(headers.size());
    elf.e_shstrndx = static_cast<Elf64_Half>(headers.size() - 1);
    for (const Elf64_Shdr& header : headers) file.put(header);
    file.patch(0, elf);
    return file.take();
  }

  const std::vector<WrittenKernel>& kernels_;
  const std::vector<std::byte>& table_;
  const std::string& source_;
  const Arch arch_;
  std::vector<Section> sections_;
  std::vector<std::uint32_t> text_;
};

}  // namespace

std::vector<std::uint32_t> parameter_offsets(const std::vector<std::uint32_t>& sizes) {
  std::vector<std::uint32_t> offsets;
  std::uint32_t next = 0;
  for (const std::uint32_t size : sizes) {
    next = (next + size - 1) / size * size;
    offsets.push_back(next);
    next += size;
  }
  offsets.push_back(next);
  return offsets;
}

std::vector<std::byte> write_cubin(const std::vector<WrittenKernel>& kernels,
                                   const std::vector<std::byte>& table, const std::string& source,
                                   Arch arch) {
  return Writer(kernels, table, source, arch).run();
}

}  // namespace heddle::isa::sketch
