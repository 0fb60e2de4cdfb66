#include "isa/register_map.hpp"

#include "isa/cursor.hpp"
#include "isa/instruction.hpp"

namespace heddle::isa {
namespace {

// Of a SASS register, as cudadebugger.h of the CUDA Toolkit numbers them (CUDBGRegClass). The
// others are predicates and memory.
constexpr std::uint32_t kHalf = 4, kFull = 5, kUniformHalf = 9, kUniformFull = 10;

std::optional<RegisterPart> part_of(std::uint32_t sass) {
  const std::uint32_t kind = sass >> 24, number = sass & 0xffffff;
  const bool is_uniform = kind == kUniformHalf || kind == kUniformFull;
  const bool is_half = kind == kHalf || kind == kUniformHalf;
  if (!is_half && kind != kFull && kind != kUniformFull) return std::nullopt;
  RegisterPart part{.number = is_half ? number / 2 : number, .is_uniform = is_uniform};
  if (part.number >= (is_uniform ? kUniformRegisters : unsigned{kRZ})) return std::nullopt;
  if (is_half) {
    part.shift = static_cast<std::uint8_t>(number % 2 * 16);
    part.bits = 16;
  }
  return part;
}

}  // namespace

RegisterMap::RegisterMap(const Bytes& section) {
  for (Cursor cursor(section, 0); cursor.position() < section.size();) {
    auto& registers = functions_[cursor.text("a function's name")];
    for (auto left = cursor.read<std::uint32_t>("a number of registers"); left > 0; --left) {
      Entry entry;
      entry.word = cursor.read<std::uint32_t>("a word's index");
      const std::string_view ptx = cursor.text("a PTX register's name");
      entry.sass = cursor.read<std::uint32_t>("a SASS register");
      entry.begin = cursor.read<std::uint32_t>("where it begins to hold");
      entry.end = cursor.read<std::uint32_t>("where it ends");
      registers[ptx].push_back(entry);
    }
  }
}

std::optional<RegisterPart> RegisterMap::find(std::string_view function, std::string_view ptx,
                                              std::uint32_t word, std::uint64_t offset) const {
  const auto registers = functions_.find(function);
  if (registers == functions_.end()) return std::nullopt;
  const auto entries = registers->second.find(ptx);
  if (entries == registers->second.end()) return std::nullopt;
  for (const Entry& entry : entries->second)
    if (entry.word == word && entry.begin < offset && offset <= entry.end)
      if (const auto part = part_of(entry.sass)) return part;
  return std::nullopt;
}

}  // namespace heddle::isa
