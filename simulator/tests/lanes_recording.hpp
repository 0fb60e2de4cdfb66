// What a GPU answered to single instruction words (gpu/kernels/micro/lane_probe), and whether
// the lane functions answer the same.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "isa/instruction.hpp"

namespace heddle::simulator::lanes {

// A lane's inputs and answer, as lane_probe writes them.
struct LaneInput {
  std::uint64_t a = 0, b = 0, c = 0, predicates = 0;
};
struct LaneAnswer {
  std::uint64_t d = 0, predicates = 0;
  bool refused() const { return d == ~std::uint64_t{0} && predicates == ~std::uint64_t{0}; }
  friend bool operator==(const LaneAnswer&, const LaneAnswer&) = default;
};

// The registers the probe's kernel happens to use; recorded with the words.
struct ProbeRegisters {
  std::uint8_t d = 8, a = 4, b = 6, c = 12;
};

// `per_encoding` words of every encoding of sm_90 that computes on registers and predicates alone
// and that the lane functions implement (or, to learn more, do not): legal modifiers at random, the
// probe's registers, some guarded by P5.
std::vector<isa::Instruction> probe_words(const ProbeRegisters& registers, unsigned per_encoding,
                                          bool implemented, std::mt19937_64& random);

// Inputs for a word, biased towards the edges of the numbers it works on.
std::vector<LaneInput> probe_inputs(const isa::Instruction& instruction, unsigned lanes,
                                    std::mt19937_64& random);

// Our answer, warp by warp (lanes: a multiple of 32); empty where this is not implemented.
std::vector<LaneAnswer> our_answers(const isa::Instruction& instruction,
                                    const ProbeRegisters& registers,
                                    std::span<const LaneInput> inputs);

}  // namespace heddle::simulator::lanes
