// The values that variables of the source have in the lanes of a warp, in code with debug
// information (isa/variables.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/variables.hpp"
#include "simulator/launch/launch.hpp"
#include "simulator/launch/observer.hpp"
#include "traces/analysis/listing.hpp"
#include "traces/analysis/values.hpp"

namespace heddle::traces {

// How values of a type are written.
ValueForm form_of(const isa::VariableType& type);

// The bits of a value from the words that a place names; `word_of(number, is_uniform)` is a
// register's value.
template <typename WordOf>
std::uint64_t value_of_parts(const isa::VariablePlace& place, WordOf&& word_of) {
  std::uint64_t value = 0;
  for (std::uint32_t i = 0; i < place.part_count; ++i) {
    const isa::RegisterPart& part = place.parts[i];
    std::uint64_t word = word_of(part.number, part.is_uniform);
    if (part.bits < 32) word = word >> part.shift & ((std::uint64_t{1} << part.bits) - 1);
    value |= word << (32 * i);
  }
  return value;
}

class Variables {
 public:
  // Without debug information, or where that is damaged, there are none. What the request points to
  // must outlive it.
  explicit Variables(const simulator::LaunchRequest& request);

  const isa::VariableTable& table() const { return table_; }
  // Those of a function that are visible at `offset` bytes in it: of one name the innermost.
  std::vector<const isa::Variable*> visible(const std::string& function,
                                            std::uint64_t offset) const;
  // A parameter's value, the same in all lanes; 0 outside the launch's parameters.
  std::uint64_t parameter(const isa::Variable& variable) const;

  // What a warp's current group sees, with its values in all lanes that are in the function:
  // "x = 3 in lanes 0-15, 5 in lanes 16-31". One that no register holds in any lane is left out.
  struct Value {
    std::string name, type, text;
  };
  std::vector<Value> values(const simulator::WarpView& warp, Listing& listing) const;

 private:
  const simulator::LaunchRequest& request_;
  isa::VariableTable table_;
};

// "3", "3 in lanes 0-15, 5 in lanes 16-31", "0+1*lane": `lanes` are those whose value is known.
std::string variable_text(const isa::VariableType& type, Mask lanes,
                          const std::array<std::uint64_t, simulator::kWarpSize>& values);

}  // namespace heddle::traces
