// The queens of an n x n board by backtracking: a thread for each pair of first two rows, with a
// stack of its own, so that lanes run loops of very different length.
#include "../common/device_array.h"

__global__ void n_queens(int size, unsigned* solutions) {
  const int thread = int(blockIdx.x * blockDim.x + threadIdx.x);
  const int first = thread / size, second = thread % size;
  if (first >= size || first == second || first == second + 1 || second == first + 1) return;
  const unsigned all = (1u << size) - 1;
  unsigned columns[12], left[12], right[12], free[12];
  int row = 2;
  unsigned found = 0;
  columns[2] = 1u << first | 1u << second;
  left[2] = 1u << first << 2 | 1u << second << 1;
  right[2] = 1u << first >> 2 | 1u << second >> 1;
  free[2] = all & ~(columns[2] | left[2] | right[2]);
  while (row >= 2) {
    if (free[row] == 0) {
      --row;
      continue;
    }
    const unsigned queen = free[row] & -free[row];
    free[row] ^= queen;
    if (row == size - 1) {
      ++found;
      continue;
    }
    columns[row + 1] = columns[row] | queen;
    left[row + 1] = (left[row] | queen) << 1;
    right[row + 1] = (right[row] | queen) >> 1;
    ++row;
    free[row] = all & ~(columns[row] | left[row] | right[row]);
  }
  atomicAdd(solutions, found);
}

int main(int argc, char** argv) {
  static const unsigned kSolutions[] = {0, 1, 0, 0, 2, 10, 4, 40, 92, 352};
  const int size = int(argument(argc, argv, 1, 7, 4, 9));
  DeviceArray<unsigned> solutions(1);
  n_queens<<<(unsigned(size * size) + 31) / 32, 32>>>(size, solutions.data());
  Verdict verdict;
  verdict.expect(solutions.host()[0] == kSolutions[size], "n_queens");
  return verdict.finish();
}
