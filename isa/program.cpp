#include "isa/program.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "isa/decoder.hpp"
#include "isa/relocation.hpp"

namespace heddle::isa {
namespace {

constexpr std::uint64_t kTextAlignment = 128;
constexpr Word kNop{.lo = 0x7918, .hi = 0x000fc00000000000};

bool is_code(const Section& section) {
  return section.type == SHT_PROGBITS && (section.flags & SHF_EXECINSTR) != 0;
}

bool is_loaded(const Section& section) {
  return (section.flags & SHF_ALLOC) != 0 && !section.bytes.empty();
}

std::string describe(const Cubin& cubin, std::uint32_t section) {
  return fmt::format("{}: section {} '{}'", cubin.origin, section, cubin.sections[section].name);
}

void place_sections(const Cubin& cubin, Program& program) {
  std::uint64_t address = kCodeBase;
  program.section_addresses.assign(cubin.sections.size(), 0);
  program.sections.resize(cubin.sections.size());
  for (std::uint32_t i = 0; i < cubin.sections.size(); ++i) {
    const Section& section = cubin.sections[i];
    if (is_loaded(section)) program.sections[i] = section.bytes;
    if (!is_code(section)) continue;
    if (section.size % sizeof(Word) != 0 || section.alignment > kTextAlignment)
      throw CubinError(fmt::format(
          "{}: {} bytes of code aligned to {}, expected multiples of {} "
          "bytes aligned to {} or less",
          describe(cubin, i), section.size, section.alignment, sizeof(Word), kTextAlignment));
    program.section_addresses[i] = address;
    address += (section.size + kTextAlignment - 1) / kTextAlignment * kTextAlignment;
  }
  program.words.assign((address - kCodeBase) / sizeof(Word), kNop);
}

// What the relocations of a placed cubin see as the address of a symbol.
class Addresses {
 public:
  Addresses(const Cubin& cubin, const Program& program, const Placement& placement)
      : cubin_(cubin), program_(program), placement_(placement) {}

  std::uint64_t of(std::uint32_t index) const {
    const Symbol& symbol = cubin_.symbols[index];
    if (symbol.section == 0) return undefined(symbol);
    if (const std::uint64_t code = program_.section_addresses[symbol.section]; code != 0)
      return code + symbol.value;
    const std::uint64_t base =
        placement_.section_address ? placement_.section_address(symbol.section) : 0;
    if (base == 0)
      throw CubinError(
          fmt::format("{}: symbol '{}' has no address: the section is nowhere in memory",
                      describe(cubin_, symbol.section), symbol.name));
    return base + symbol.value;
  }

 private:
  std::uint64_t undefined(const Symbol& symbol) const {
    if (symbol.name.empty()) return 0;  // no symbol: the addend alone
    const std::uint64_t address = placement_.external ? placement_.external(symbol.name) : 0;
    if (address == 0 && symbol.bind != STB_WEAK)
      throw CubinError(fmt::format("{}: symbol '{}' is defined neither here nor by the runtime",
                                   cubin_.origin, symbol.name));
    return address;
  }

  const Cubin& cubin_;
  const Program& program_;
  const Placement& placement_;
};

void relocate(const Cubin& cubin, const Placement& placement, Program& program) {
  const Addresses addresses(cubin, program, placement);
  for (const Relocation& relocation : cubin.relocations) {
    std::vector<std::byte>& bytes = program.sections[relocation.section];
    if (bytes.empty()) continue;  // debug information
    apply_relocation(cubin, relocation, addresses.of(relocation.symbol), bytes);
  }
}

void decode_code(const Cubin& cubin, Program& program) {
  for (std::size_t i = 0; i < cubin.sections.size(); ++i)
    if (const std::uint64_t address = program.section_addresses[i];
        address != 0 && !program.sections[i].empty())
      std::memcpy(program.words.data() + (address - kCodeBase) / sizeof(Word),
                  program.sections[i].data(), program.sections[i].size());
  program.instructions.reserve(program.words.size() + 1);
  for (const Word& word : program.words) program.instructions.push_back(decode(cubin.arch, word));
  program.words.push_back({});
  program.instructions.emplace_back();
}

void list_ranges(const Cubin& cubin, Program& program) {
  for (std::uint32_t i = 0; i < cubin.functions.size(); ++i) {
    const Function& function = cubin.functions[i];
    program.ranges.push_back(
        {.function = i,
         .address = program.section_addresses[function.section] + function.offset,
         .size = function.size,
         .section_offset = function.offset,
         .section = function.section});
  }
  // Where ranges nest, the outer one comes first.
  std::ranges::sort(program.ranges, [](const CodeRange& a, const CodeRange& b) {
    return a.address != b.address ? a.address < b.address : a.size > b.size;
  });
}

}  // namespace

const CodeRange* Program::range_at(std::uint64_t address) const {
  auto after = std::ranges::upper_bound(ranges, address, {}, &CodeRange::address);
  // A kernel's symbol covers its whole section, the local functions behind its code too: the last
  // range that begins at or before the address and still covers it is the innermost.
  while (after != ranges.begin()) {
    --after;
    if (address - after->address < after->size) return &*after;
  }
  return nullptr;
}

std::uint64_t Program::entry(const Kernel& kernel) const {
  return section_addresses.at(kernel.text_section) + kernel.text_offset;
}

Program place(const Cubin& cubin, const Placement& placement) {
  if (cubin.relocatable)
    throw CubinError(
        fmt::format("{}: relocatable device code (nvcc -dc) cannot run before nvlink "
                    "has linked it",
                    cubin.origin));
  Program program;
  program.arch = cubin.arch;
  place_sections(cubin, program);
  relocate(cubin, placement, program);
  decode_code(cubin, program);
  list_ranges(cubin, program);
  return program;
}

}  // namespace heddle::isa
