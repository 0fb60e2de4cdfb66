// How the memory unit counts LDGSTS, a copy from global to shared memory, from both addresses of
// its lanes. Measured on an H200, instruction by instruction (docs/experiments/l1-counting.md).
#pragma once

#include "simulator/memory/access_counts.hpp"

namespace heddle::simulator {

// Which way the data takes: .BYPASS leaves none of it in L1.
enum class CopyPath : std::uint8_t { bypass, through_l1 };

// The lanes of a copy: of those that execute, a guard and an operand choose. Lanes that the guard
// leaves out do nothing; those that the operand leaves out read nothing and write zeros.
struct CopyLanes {
  Mask active, guard, operand;
  Mask partial = Mask();  // write zeros to the end of their place

  Mask writing() const { return active & guard; }
  Mask reading() const { return writing() & operand; }
  Mask zeros() const { return writing() & ~operand; }
  bool fills() const { return zeros().any() || (writing() & partial).any(); }
};

// Which of a copy's two predicates are P0, and how it is read.
struct CopyPredicates {
  bool guard_is_p0 = false, guard_negated = false;
  bool operand_is_p0 = false, operand_negated = false;
};

// `width`: bytes each lane copies: 4, 8 or 16. Addresses of lanes that read are multiples of it;
// `to` counts from any multiple of 128 bytes in shared memory. Sectors and tags are of global
// memory, wavefronts of shared memory. There may be no lane: nothing is counted. A copy past L1
// that fills counts its wavefronts twice over: past L1 those that read, and as if through L1 all.
AccessCounts count_copy(CopyPath path, unsigned width, LaneAddresses from, LaneAddresses to,
                        const CopyLanes& lanes);

// As CUPTI's SASS metrics count a copy one of whose predicates may be P0. `fills`: of an
// instruction that fills the end of places (.ZFILL).
AccessCounts count_copy_in_metrics(CopyPath path, unsigned width, LaneAddresses from,
                                   LaneAddresses to, const CopyLanes& lanes,
                                   const CopyPredicates& predicates, bool fills);

}  // namespace heddle::simulator
