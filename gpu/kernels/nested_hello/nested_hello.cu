// Kernels that launch themselves with half as many threads, and say so.
//
//   nested_hello [shape = 0] [threads = 8] [blocks = 1]
//
// shape 0: each child is one block of half as many threads; 1: of blocks as large as the parent's, as
// many as half the threads need, until one block is left; 2: as 0, but no deeper than two levels.
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "../common/common.h"

__global__ void nested_halves(int size, int depth) {
  const int tid = threadIdx.x;
  printf("Recursion=%d: Hello World from thread %d block %d\n", depth, tid, blockIdx.x);
  if (size == 1) return;
  const int threads = size >> 1;
  if (tid == 0 && threads > 0) {
    nested_halves<<<1, threads>>>(threads, ++depth);
    printf("-------> nested execution depth: %d\n", depth);
  }
}

__global__ void nested_blocks(int size, int least, int depth) {
  const int tid = blockIdx.x * blockDim.x + threadIdx.x;
  printf("Recursion=%d: Hello World from thread %d block %d\n", depth, tid, blockIdx.x);
  if (size == least) return;
  const int threads = size >> 1;
  if (tid == 0 && threads > 0) {
    const int blocks = (threads + blockDim.x - 1) / blockDim.x;
    nested_blocks<<<blocks, blockDim.x>>>(threads, least, ++depth);
    printf("-------> nested execution depth: %d\n", depth);
  }
}

__global__ void nested_limited(int size, int depth, int deepest) {
  const int tid = threadIdx.x;
  printf("Recursion=%d: Hello World from thread %d block %d\n", depth, tid, blockIdx.x);
  if (size == 1 || depth >= deepest) return;
  const int threads = size >> 1;
  if (tid == 0 && threads > 0) {
    nested_limited<<<1, threads>>>(threads, ++depth, deepest);
    printf("-------> nested execution depth: %d\n", depth);
  }
}

// What the launches of the kernels above print, computed on the host.
struct Expected {
  std::vector<std::string> lines;
  void hello(int depth, int thread, int block) {
    lines.push_back("Recursion=" + std::to_string(depth) + ": Hello World from thread " +
                    std::to_string(thread) + " block " + std::to_string(block));
  }
  void nested(int depth) {
    lines.push_back("-------> nested execution depth: " + std::to_string(depth));
  }
  void halves(int threads, int blocks, int depth, int deepest) {
    for (int block = 0; block < blocks; ++block)
      for (int thread = 0; thread < threads; ++thread) hello(depth, thread, block);
    if (threads == 1 || depth >= deepest) return;
    for (int block = 0; block < blocks; ++block) {
      nested(depth + 1);
      halves(threads / 2, 1, depth + 1, deepest);
    }
  }
  void whole_blocks(int size, int least, int width, int depth) {
    const int blocks = (size + width - 1) / width;
    for (int i = 0; i < blocks * width; ++i) hello(depth, i, i / width);
    if (size == least || size == 1) return;
    nested(depth + 1);
    whole_blocks(size / 2, least, width, depth + 1);
  }
};

int main(int argc, char** argv) {
  const int shape = int(argument(argc, argv, 1, 0, 0, 2));
  const int threads = int(argument(argc, argv, 2, 8, 1, 256));
  const int blocks = int(argument(argc, argv, 3, 1, 1, 16));

  // What is printed comes in no certain order: it goes to a file for the length of the launches, and is
  // printed in order.
  FILE* printed = tmpfile();
  const int out = dup(STDOUT_FILENO);
  if (printed == nullptr || out < 0 || dup2(fileno(printed), STDOUT_FILENO) < 0) {
    perror("nested_hello");
    return EXIT_FAILURE;
  }
  if (shape == 0) nested_halves<<<blocks, threads>>>(threads, 0);
  if (shape == 1) nested_blocks<<<blocks, threads>>>(blocks * threads, blocks, 0);
  if (shape == 2) nested_limited<<<blocks, threads>>>(threads, 0, 2);
  const cudaError_t launched = cudaGetLastError();
  const cudaError_t finished = cudaDeviceSynchronize();
  fflush(stdout);
  dup2(out, STDOUT_FILENO);
  close(out);
  CHECK(launched);
  CHECK(finished);

  std::vector<std::string> lines;
  char line[256];
  rewind(printed);
  while (fgets(line, sizeof line, printed) != nullptr) {
    lines.emplace_back(line);
    lines.back().pop_back();
  }
  fclose(printed);
  std::sort(lines.begin(), lines.end());
  Expected expected;
  if (shape == 1)
    expected.whole_blocks(blocks * threads, blocks, threads, 0);
  else
    expected.halves(threads, blocks, 0, shape == 2 ? 2 : 1000);
  std::sort(expected.lines.begin(), expected.lines.end());
  for (const std::string& each : lines) puts(each.c_str());
  Verdict verdict;
  verdict.expect(lines == expected.lines, "the lines are not those of the nested launches");
  return verdict.finish();
}
