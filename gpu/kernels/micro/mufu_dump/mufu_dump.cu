// Writes the values of the special-function unit (MUFU) over ranges of argument words.
//
// PTX reaches some functions only behind a multiplication or a range reduction, so the kernel is
// compiled for EX2, whose .ftz form is one bare MUFU, and the function number in the loaded cubin
// is changed to the one wanted: 0 COS, 1 SIN, 2 EX2, 3 LG2, 4 RCP, 5 RSQ, 6 RCP64H, 7 RSQ64H,
// 8 SQRT, 9 TANH.
//
//   nvcc -arch=sm_90 -cubin -o mufu_dump.cubin mufu_dump.cu
//   nvcc -arch=sm_90 -o mufu_dump mufu_dump.cu -lcuda
//   ./mufu_dump mufu_dump.cubin FUNCTION FIRST COUNT STRIDE > values
//
// Little-endian words: the function of FIRST, FIRST + STRIDE, … (COUNT of them, at most 2^32).

#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" __global__ void mufu_dump(unsigned first, unsigned stride, unsigned count,
                                     unsigned* values) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float value;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(value) : "f"(__uint_as_float(first + i * stride)));
  values[i] = __float_as_uint(value);
}

#ifndef __CUDA_ARCH__

namespace {

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "mufu_dump: %s\n", what.c_str());
  std::exit(2);
}

void check(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  const char* name = "unknown error";
  cuGetErrorName(result, &name);
  fail(std::string(what) + ": " + name);
}

std::vector<char> patched_cubin(const char* path, unsigned function) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(std::string("cannot read ") + path);
  std::vector<char> image{std::istreambuf_iterator<char>(file), {}};
  constexpr std::uint64_t kMufu = 0x308, kEx2 = 2, kFunctionShift = 74 - 64;
  int found = 0;
  for (std::size_t at = 0; at + 16 <= image.size(); at += 16) {
    std::uint64_t word[2];
    std::memcpy(word, image.data() + at, sizeof word);
    if ((word[0] & 0xfff) != kMufu || (word[1] >> kFunctionShift & 0xf) != kEx2) continue;
    word[1] ^= (kEx2 ^ std::uint64_t{function}) << kFunctionShift;
    std::memcpy(image.data() + at, word, sizeof word);
    ++found;
  }
  if (found != 1) fail("the cubin does not have one MUFU.EX2");
  return image;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) fail("usage: mufu_dump CUBIN FUNCTION FIRST COUNT STRIDE");
  const auto number = [&](int i) { return std::strtoull(argv[i], nullptr, 0); };
  const std::uint64_t function = number(2), count = number(4);
  const auto stride = static_cast<unsigned>(number(5));
  if (function > 9 || count > std::uint64_t{1} << 32) fail("number out of range");
  const std::vector<char> image = patched_cubin(argv[1], static_cast<unsigned>(function));

  check(cuInit(0), "starting");
  CUdevice device;
  check(cuDeviceGet(&device, 0), "finding a GPU");
  CUcontext context;
  check(cuDevicePrimaryCtxRetain(&context, device), "making a context");
  check(cuCtxSetCurrent(context), "making it current");
  CUmodule module;
  check(cuModuleLoadData(&module, image.data()), "loading the kernel");
  CUfunction kernel;
  check(cuModuleGetFunction(&kernel, module, "mufu_dump"), "finding the kernel");

  constexpr unsigned kPiece = 1u << 24, kBlock = 256;
  CUdeviceptr values;
  check(cuMemAlloc(&values, std::size_t{kPiece} * 4), "allocating");
  std::vector<std::uint32_t> host(kPiece);
  for (std::uint64_t done = 0; done < count;) {
    auto piece = static_cast<unsigned>(std::min<std::uint64_t>(kPiece, count - done));
    auto first = static_cast<unsigned>(number(3) + done * stride);
    unsigned step = stride;
    void* arguments[] = {&first, &step, &piece, &values};
    check(cuLaunchKernel(kernel, (piece + kBlock - 1) / kBlock, 1, 1, kBlock, 1, 1, 0, nullptr,
                         arguments, nullptr),
          "launching");
    check(cuMemcpyDtoH(host.data(), values, std::size_t{piece} * 4), "copying");
    if (std::fwrite(host.data(), 4, piece, stdout) != piece) fail("cannot write");
    done += piece;
  }
  return 0;
}

#endif
