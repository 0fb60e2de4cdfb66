// A grid-stride loop that prints: eight threads, [2, 4], share the numbers below N.
//
//   print_stride [N = 32] [blocks = 2] [threads = 4]
#include <unistd.h>

#include <vector>

#include "../common/common.h"

__global__ void gpu_print(int N) {
  int idxWithinGrid = threadIdx.x + blockIdx.x * blockDim.x;
  int gridStride = gridDim.x * blockDim.x;
  for (int i = idxWithinGrid; i < N; i += gridStride) printf("%d\n", i);
}

int main(int argc, char **argv) {
  const int N = int(argument(argc, argv, 1, 32, 0, 10000));
  const int blocks = int(argument(argc, argv, 2, 2, 1, 1024));
  const int threads = int(argument(argc, argv, 3, 4, 1, 1024));

  // What the kernel prints goes to a file for the length of the launch, to be checked, and is then
  // printed.
  FILE *printed = tmpfile();
  const int out = dup(STDOUT_FILENO);
  if (printed == nullptr || out < 0 || dup2(fileno(printed), STDOUT_FILENO) < 0) {
    perror("print_stride");
    return EXIT_FAILURE;
  }
  gpu_print<<<blocks, threads>>>(N);
  const cudaError_t launched = cudaGetLastError();
  const cudaError_t finished = cudaDeviceSynchronize();
  fflush(stdout);
  dup2(out, STDOUT_FILENO);
  close(out);
  CHECK(launched);
  CHECK(finished);

  Verdict verdict;
  std::vector<int> seen(N);
  rewind(printed);
  int value, numbers = 0;
  for (; fscanf(printed, "%d", &value) == 1; ++numbers) {
    printf("%d\n", value);
    if (verdict.expect(value >= 0 && value < N, "a number below N")) ++seen[value];
  }
  fclose(printed);
  verdict.expect(numbers == N, "N numbers");
  for (int count : seen) verdict.expect(count == 1, "each number once");
  return verdict.finish();
}
