#include "isa/labels.hpp"

#include <fmt/format.h>

#include "isa/decoder.hpp"

namespace heddle::isa {

AddressNames label_names(Arch arch, std::span<const Word> code, const AddressNames& symbols,
                         unsigned& next) {
  AddressNames names;
  const auto name_target = [&](std::uint64_t target) {
    if (target < code.size() * 16 && !names.contains(target)) {
      const auto symbol = symbols.find(target);
      names[target] = symbol != symbols.end() ? symbol->second : fmt::format(".L_x_{}", next++);
    }
    return std::string();
  };
  for (std::size_t i = 0; i < code.size(); ++i)
    if (const auto instruction = decode(arch, code[i])) print(*instruction, i * 16, name_target);
  return names;
}

}  // namespace heddle::isa
