#include "traces/analysis/variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace heddle::traces {
namespace {

using simulator::kWarpSize;
using simulator::WarpView;
using Kind = isa::VariableType::Kind;

isa::VariableTable read_table(const isa::Cubin& cubin) {
  try {
    return isa::VariableTable(cubin);
  } catch (const isa::CubinError&) {
    return {};
  }
}

std::string text_of(std::uint64_t value, const isa::VariableType& type) {
  if (type.kind == Kind::boolean) return (value & 0xff) != 0 ? "true" : "false";
  return value_text(value, 8 * type.bytes, form_of(type));
}

// Every value with its lanes.
std::string each_text(const isa::VariableType& type, Mask lanes,
                      const std::array<std::uint64_t, kWarpSize>& values) {
  constexpr unsigned kMost = 4;
  std::string text;
  unsigned shown = 0;
  for (Mask left = lanes; left.any(); ++shown) {
    const std::string value = text_of(values[left.first()], type);
    Mask same;
    for (const unsigned lane : left) {
      if (text_of(values[lane], type) == value) same |= Mask::of(lane);
    }
    if (same == simulator::kFullMask) return value;
    if (shown == kMost) return fmt::format("{}, and others in {} more", text, left.count());
    text += fmt::format("{}{} in lane{} {}", shown == 0 ? "" : ", ", value,
                        same.count() == 1 ? "" : "s", lanes_text(same));
    left &= ~same;
  }
  return text;
}

}  // namespace

ValueForm form_of(const isa::VariableType& type) {
  switch (type.kind) {
    case Kind::integer:
    case Kind::character:
      return ValueForm::integer;
    case Kind::natural:
    case Kind::boolean:
      return ValueForm::natural;
    case Kind::floating:
      return ValueForm::floating;
    case Kind::pointer:
      return ValueForm::hex;
  }
  return ValueForm::hex;
}

std::string variable_text(const isa::VariableType& type, Mask lanes,
                          const std::array<std::uint64_t, kWarpSize>& values) {
  const std::string each = each_text(type, lanes, values);
  if (type.kind == Kind::boolean || each.find(" more") == each.npos) return each;
  std::string rule = values_text(lanes, values, 8 * type.bytes, 1, form_of(type));
  if (!rule.ends_with("*lane")) return each;
  if (lanes != simulator::kFullMask) rule += fmt::format(" in lanes {}", lanes_text(lanes));
  return rule;
}

Variables::Variables(const simulator::LaunchRequest& request)
    : request_(request), table_(read_table(request.module->cubin())) {}

std::vector<const isa::Variable*> Variables::visible(const std::string& function,
                                                     std::uint64_t offset) const {
  std::vector<const isa::Variable*> seen;
  for (const isa::Variable& variable : table_.of(function)) {
    if (offset < variable.begin || offset >= variable.end) continue;
    const auto outer = std::ranges::find(seen, variable.name, &isa::Variable::name);
    if (outer == seen.end())
      seen.push_back(&variable);
    else
      *outer = &variable;
  }
  return seen;
}

std::uint64_t Variables::parameter(const isa::Variable& variable) const {
  std::uint64_t value = 0;
  const std::size_t begin = request_.kernel->parameter_offset;
  if (!variable.bank0 || *variable.bank0 < begin) return value;
  const std::size_t at = *variable.bank0 - begin;
  if (at + variable.type.bytes <= request_.parameters.size())
    std::memcpy(&value, request_.parameters.data() + at, variable.type.bytes);
  return value;
}

std::vector<Variables::Value> Variables::values(const WarpView& warp, Listing& listing) const {
  if (warp.current() == nullptr) return {};
  const Listing::Line& here = listing.at(warp.current()->pc);
  std::vector<Value> shown;
  for (const isa::Variable* variable : visible(here.function, here.offset)) {
    std::array<std::uint64_t, kWarpSize> values{};
    Mask known;
    for (const simulator::Group& group : warp.groups()) {
      const Listing::Line& line = listing.at(group.pc);
      if (line.function != here.function) continue;
      const auto place = table_.place(line.function, *variable, line.offset);
      if (!place) continue;
      known |= group.lanes;
      for (const unsigned lane : group.lanes) {
        values[lane] = place->bank0
                           ? parameter(*variable)
                           : value_of_parts(*place, [&](std::uint32_t number, bool is_uniform) {
                               const std::size_t row =
                                   is_uniform ? simulator::kUniformRow + number : number;
                               return warp.row(row)[is_uniform ? 0 : lane];
                             });
      }
    }
    if (known.any())
      shown.push_back(
          {variable->name, variable->type.name, variable_text(variable->type, known, values)});
  }
  return shown;
}

}  // namespace heddle::traces
