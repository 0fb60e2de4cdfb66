// Makes tensor maps, and copies and reduces boxes of tensors, as tensor_inputs.hpp says.
//
//   nvcc -std=c++20 -I../instruction_probe -o tensor_probe tensor_probe.cu -lcuda
//   ./tensor_probe tensor_kernels.cubin MAPS ANSWERS RAW
//
// MAPS: for each description the result (4 bytes) and the map (128 bytes; zeros where it was
// refused). ANSWERS: lines "number hash", "number refused", or "number no map". RAW: for each of
// the first 240 cases its number and the bytes it left.
#include <cuda.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tensor_inputs.hpp"

namespace {

namespace probe = tensor_probe;

struct Request {
  int rank, at[5], corner[3];
  unsigned bytes, shared, dump;
};

void check(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  const char* name = "unknown error";
  cuGetErrorName(result, &name);
  std::fprintf(stderr, "tensor_probe: %s: %s\n", what, name);
  std::exit(2);
}

CUresult encode(CUtensorMap& map, const probe::Tensor& t, std::uint64_t memory) {
  std::memset(&map, 0, sizeof map);
  const auto type = static_cast<CUtensorMapDataType>(t.type);
  const auto interleave = static_cast<CUtensorMapInterleave>(t.interleave);
  const auto swizzle = static_cast<CUtensorMapSwizzle>(t.swizzle);
  const auto promotion = static_cast<CUtensorMapL2promotion>(t.promotion);
  const auto fill = static_cast<CUtensorMapFloatOOBfill>(t.fill);
  auto* address = reinterpret_cast<void*>(memory + t.offset);
  const cuuint64_t* sizes = reinterpret_cast<const cuuint64_t*>(t.size.data());
  const cuuint64_t* strides = reinterpret_cast<const cuuint64_t*>(t.stride.data());
  if (t.im2col)
    return cuTensorMapEncodeIm2col(&map, type, t.rank, address, sizes, strides, t.lower.data(),
                                   t.upper.data(), t.channels, t.pixels, t.step.data(), interleave,
                                   swizzle, promotion, fill);
  return cuTensorMapEncodeTiled(&map, type, t.rank, address, sizes, strides, t.box.data(),
                                t.step.data(), interleave, swizzle, promotion, fill);
}

void write_maps(const char* path) {
  std::ofstream maps(path, std::ios::binary);
  for (unsigned number = 0; number < probe::kMaps; ++number) {
    CUtensorMap map;
    const int result = encode(map, probe::any_tensor(number), probe::kMapAddress);
    if (result != CUDA_SUCCESS) std::memset(&map, 0, sizeof map);
    maps.write(reinterpret_cast<const char*>(&result), sizeof result);
    maps.write(reinterpret_cast<const char*>(&map), sizeof map);
  }
}

const char* kernel_of(const probe::Case& c) {
  static const char* const kReductions[] = {
      "tensor_reduce_add", "tensor_reduce_min", "tensor_reduce_max", "tensor_reduce_inc",
      "tensor_reduce_dec", "tensor_reduce_and", "tensor_reduce_or",  "tensor_reduce_xor"};
  static const char* const kOthers[] = {
      "tensor_load",        "tensor_store",        "",
      "tensor_load_im2col", "tensor_store_im2col", "tensor_multicast"};
  return c.does == probe::Does::reduce ? kReductions[c.operation]
                                       : kOthers[static_cast<unsigned>(c.does)];
}

// From a case on to the end, or to one that fails: then status 3.
[[noreturn]] void answer(char** argv, unsigned first) {
  check(cuInit(0), "starting");
  CUdevice device;
  CUcontext context;
  CUmodule module;
  check(cuDeviceGet(&device, 0), "finding a GPU");
  check(cuDevicePrimaryCtxRetain(&context, device), "making a context");
  check(cuCtxSetCurrent(context), "making a context current");
  check(cuModuleLoad(&module, argv[1]), "loading the kernels");
  if (first == 0) write_maps(argv[2]);
  CUdeviceptr tensor, other;
  constexpr unsigned kOther = probe::kTensorBytes;
  check(cuMemAlloc(&tensor, probe::kTensorBytes), "allocating");
  check(cuMemAlloc(&other, kOther), "allocating");
  std::ofstream answers(argv[3], std::ios::app), raw(argv[4], std::ios::app | std::ios::binary);
  for (unsigned number = first; number < probe::kCases; ++number) {
    const probe::Case c = probe::case_of(number);
    CUtensorMap map;
    if (encode(map, c.tensor, tensor) != CUDA_SUCCESS) {
      answers << number << " no map\n" << std::flush;
      continue;
    }
    std::vector<unsigned char> before(probe::kTensorBytes), out(kOther);
    probe::fill(before.data(), number, 0);
    check(cuMemcpyHtoD(tensor, before.data(), before.size()), "copying");
    const bool loads = c.does == probe::Does::load || c.does == probe::Does::load_im2col ||
                       c.does == probe::Does::multicast;
    if (!loads) probe::fill(out.data(), number, 1);
    check(cuMemcpyHtoD(other, out.data(), kOther), "copying");
    Request request{static_cast<int>(c.tensor.rank), {}, {}, c.tensor.box_bytes(), c.shared, 0};
    std::copy(c.at.begin(), c.at.end(), request.at);
    std::copy(c.corner.begin(), c.corner.end(), request.corner);
    CUfunction function;
    check(cuModuleGetFunction(&function, module, kernel_of(c)), "finding a kernel");
    void* arguments[] = {&map, &request, &other};
    const unsigned blocks = c.does == probe::Does::multicast ? 2 : 1;
    CUresult result = cuLaunchKernel(function, blocks, 1, 1, 32, 1, 1, probe::kSharedBytes, nullptr,
                                     arguments, nullptr);
    if (result == CUDA_SUCCESS) result = cuCtxSynchronize();
    if (result != CUDA_SUCCESS) {
      const char* name = "unknown error";
      cuGetErrorName(result, &name);
      std::fprintf(stderr, "%u: %s\n", number, name);
      answers << number << " refused\n" << std::flush;
      std::_Exit(3);
    }
    const unsigned bytes = loads ? blocks * probe::kLeft : probe::kTensorBytes;
    std::vector<unsigned char> left(bytes);
    check(cuMemcpyDtoH(left.data(), loads ? other : tensor, bytes), "copying");
    char text[24];
    std::snprintf(
        text, sizeof text, "%016llx",
        static_cast<unsigned long long>(instruction_probe::hash(left.data(), left.size())));
    answers << number << ' ' << text << '\n' << std::flush;
    if (number < 240) {
      raw.write(reinterpret_cast<const char*>(&number), 4);
      raw.write(reinterpret_cast<const char*>(left.data()), bytes);
      raw.flush();
    }
  }
  std::_Exit(0);
}

unsigned answered(const char* path) {
  std::ifstream file(path);
  unsigned count = 0;
  for (std::string line; std::getline(file, line);) ++count;
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  for (const int file : {3, 4}) std::ofstream(argv[file], std::ios::trunc);
  // A refused case takes its process with it, so a fresh one goes on after it.
  for (;;) {
    const unsigned first = answered(argv[3]);
    if (first == probe::kCases) return 0;
    const pid_t child = fork();
    if (child == 0) answer(argv, first);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 3) return 2;
  }
}
