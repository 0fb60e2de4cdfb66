// Two ways to write the same thing, twenty times, as programs are before and after somebody made
// them faster (or hoped to). gpu/kernels/pairs.toml names the pairs; docs/variants.md has the
// times.
//
//   pairs [PAIR: its number in the list below; default: all]
#include "arithmetic.h"
#include "data_layout.h"
#include "shared_memory.h"

int main(int argc, char** argv) {
  void (*const pairs[])(Verdict&) = {
      transpose, structures,     wide_loads,     grid_stride,   read_only, sorted_input, fusion,
      histogram, matrix_product, constant_table, shared_stride, reduction, prefix_sums,  block_size,
      atomics,   branches,       unrolling,      coarsening,    precision, small_arrays};
  constexpr long kPairs = sizeof pairs / sizeof *pairs;
  const long only = argument(argc, argv, 1, 0, 1, kPairs);
  Verdict verdict;
  for (long i = 1; i <= kPairs; ++i)
    if (only == 0 || only == i) pairs[i - 1](verdict);
  return verdict.finish();
}
