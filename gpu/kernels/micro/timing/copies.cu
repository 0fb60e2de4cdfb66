// How long copies take by their size: from and to pageable and pinned host memory, and within the
// device; copies and launches behind one another.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o copies copies.cu && ./copies
#include <chrono>
#include <cstring>

#include "probe.h"

namespace {

using namespace timing;

constexpr int kRepeats = 9;

// By the host's clock, and by events around it: some copies are over for the host before they are.
template <class Work>
void ask(const std::string& name, Work work) {
  cudaEvent_t begin, end;
  CUDA(cudaEventCreate(&begin));
  CUDA(cudaEventCreate(&end));
  std::vector<double> host, device;
  for (int i = 0; i < kRepeats; ++i) {
    CUDA(cudaDeviceSynchronize());
    const auto from = std::chrono::steady_clock::now();
    work();
    const auto to = std::chrono::steady_clock::now();
    host.push_back(std::chrono::duration<double, std::micro>(to - from).count());
  }
  for (int i = 0; i < kRepeats; ++i) {
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaEventRecord(begin, 0));
    work();
    CUDA(cudaEventRecord(end, 0));
    CUDA(cudaDeviceSynchronize());
    float milliseconds = 0;
    CUDA(cudaEventElapsedTime(&milliseconds, begin, end));
    device.push_back(1000.0 * milliseconds);
  }
  print(name + ".host", host, "us");
  print(name + ".events", device, "us");
  CUDA(cudaEventDestroy(begin));
  CUDA(cudaEventDestroy(end));
}

__global__ void nothing() {}

}  // namespace

int main() {
  print_header("copies");
  constexpr std::size_t kMost = std::size_t{64} << 20;
  const Buffer<char> device(kMost), other(kMost);
  std::vector<char> pageable(kMost, 1);
  char* pinned = nullptr;
  CUDA(cudaMallocHost(&pinned, kMost));
  std::memset(pinned, 1, kMost);
  for (std::size_t bytes = 4; bytes <= kMost; bytes *= 4) {
    const std::string size = ".bytes" + std::to_string(bytes);
    ask("to_device.pageable" + size,
        [&] { CUDA(cudaMemcpy(device.data(), pageable.data(), bytes, cudaMemcpyHostToDevice)); });
    ask("to_host.pageable" + size,
        [&] { CUDA(cudaMemcpy(pageable.data(), device.data(), bytes, cudaMemcpyDeviceToHost)); });
    ask("to_device.pinned" + size,
        [&] { CUDA(cudaMemcpyAsync(device.data(), pinned, bytes, cudaMemcpyHostToDevice)); });
    ask("to_host.pinned" + size,
        [&] { CUDA(cudaMemcpyAsync(pinned, device.data(), bytes, cudaMemcpyDeviceToHost)); });
    ask("within.device" + size, [&] {
      CUDA(cudaMemcpyAsync(other.data(), device.data(), bytes, cudaMemcpyDeviceToDevice));
    });
  }
  for (const int count : {0, 1, 2, 8})
    ask("launches.n" + std::to_string(count), [&] {
      for (int i = 0; i < count; ++i) nothing<<<1, 32>>>();
    });
  CUDA(cudaFreeHost(pinned));
}
