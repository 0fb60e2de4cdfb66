// How an instruction finds its lane function.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "simulator/lanes/addresses.hpp"
#include "simulator/warp/micro_op.hpp"

namespace heddle::simulator::lanes {

// What a selector looks at. Modifiers are read into an array first, so that the selectors (which
// are compiled for several vector units) call nothing outside, and tests need no machine words.
struct Request {
  const isa::Instruction* instruction = nullptr;
  isa::ModifierValues mods{};

  std::uint32_t mod(isa::Mod which) const { return mods[static_cast<std::size_t>(which)]; }
  std::uint32_t& mod(isa::Mod which) { return mods[static_cast<std::size_t>(which)]; }
};

// The lane function for an opcode with these modifiers, or null where they are not implemented.
// May fill op.param, which is zero before.
using Selector = LaneFunction (*)(const Request& request, MicroOp& op);

struct Row {
  isa::Op op;
  Selector selector;
};

struct Rows {
  const Row* first;
  std::size_t count;
};

// All lane functions compiled for one vector unit; unused entries are empty.
struct Families {
  Rows rows[11];
  AddressFunctions addresses;
};

// One vector unit's lane functions by opcode; null where there is none.
struct Variant {
  const char* name;
  bool supported;  // by this processor
  std::array<Selector, static_cast<std::size_t>(isa::Op::count_)> selectors;
  AddressFunctions addresses;

  // select_lane_function() with this variant.
  bool select(const Request& request, MicroOp& op) const;
};

// Every variant in the program, narrowest first.
const std::array<Variant, 3>& variants();

}  // namespace heddle::simulator::lanes
