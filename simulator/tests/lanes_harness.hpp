// Runs one instruction through every variant of the lane functions this processor has, over inputs
// biased towards the edges, and compares each lane with a reference.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "simulator/lanes/float_environment.hpp"
#include "simulator/lanes/selection.hpp"
#include "simulator/tests/lanes_generators.hpp"

namespace heddle::simulator::lanes {

// A lane's registers and predicates as they lie in the warp, before source modifiers.
struct Inputs {
  u64 a = 0, b = 0, c = 0, old = 0;
  bool p = false, q = false, r = false;
  unsigned lane = 0;

  u32 a32() const { return static_cast<u32>(a); }
  u32 b32() const { return static_cast<u32>(b); }
  u32 c32() const { return static_cast<u32>(c); }
};

// What the instruction must leave; absent: not looked at.
struct Outputs {
  std::optional<u64> d;
  std::optional<bool> u, v;
};

using Reference = std::function<Outputs(const Inputs&)>;

struct Modifier {
  isa::Mod mod;
  u32 value;
};

class LaneCase {
 public:
  explicit LaneCase(isa::Op op, std::initializer_list<Modifier> mods = {});

  LaneCase& set(isa::Mod mod, u32 value);
  // Source modifiers, by slot letter: "a", "bc" …
  LaneCase& negate(const char* slots);
  LaneCase& absolute(const char* slots);
  LaneCase& inputs(Generator generator);
  // These sources are RZ.
  LaneCase& zero(const char* slots);
  LaneCase& rows_written(unsigned rows);
  LaneCase& without_predicate_outputs();
  LaneCase& rounds(unsigned count);
  isa::Instruction& instruction() { return instruction_; }

  // Every lane of every variant, full and partial masks, destination apart and on a source.
  void expect(const Reference& reference);
  // The same results from all variants, whatever they are.
  void expect_same_in_all_variants();
  bool selectable() const;

 private:
  void fill(std::mt19937_64& random);
  void run_and_compare(const Variant& variant, Mask on, RowOffset destination,
                       const Reference& reference);

  isa::Instruction instruction_;
  Request request_;
  MicroOp op_;
  Generator generator_ = edgy_integer;
  std::string zero_;
  unsigned rows_written_ = 1;
  unsigned rounds_ = 60;
  std::vector<u32> rows_;
  WarpState warp_;
};

}  // namespace heddle::simulator::lanes
