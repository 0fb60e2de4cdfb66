// Does what is wrong with tensor copies, bulk copies, barriers and products, each in a process of
// its own, and says what becomes of it:
//
//   nvcc -std=c++17 -o tensor_faults tensor_faults.cu -lcuda
//   ./tensor_faults faults_kernels.cubin
//
// One line a case: its name, the launch's result, and the words that it left.
#include <cuda.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "fault_cases.hpp"

namespace {

constexpr unsigned kShared = 32768, kData = 1 << 16;

void check(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  const char* name = "unknown error";
  cuGetErrorName(result, &name);
  std::fprintf(stderr, "tensor_faults: %s: %s\n", what, name);
  std::exit(2);
}

// Maps must lie at multiples of 64, which a value that is returned need not.
void describe(CUtensorMap& map, CUdeviceptr data, unsigned rank, CUtensorMapInterleave interleave) {
  const cuuint64_t size[] = {64, rank == 1 ? 1u : 256u, 4},
                   stride[] = {interleave == CU_TENSOR_MAP_INTERLEAVE_NONE ? 64u : 16u, 64 * 256};
  const cuuint32_t box[] = {interleave == CU_TENSOR_MAP_INTERLEAVE_NONE ? 64u : 16u, 32, 1},
                   step[] = {1, 1, 1};
  check(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT8, rank,
                               reinterpret_cast<void*>(data), size, stride, box, step, interleave,
                               CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
        "describing a tensor");
}

void describe_pixels(CUtensorMap& map, CUdeviceptr data) {
  const cuuint64_t size[] = {64, 16, 16}, stride[] = {64, 1024};
  const int corner[] = {0};
  const cuuint32_t step[] = {1, 1, 1};
  check(cuTensorMapEncodeIm2col(&map, CU_TENSOR_MAP_DATA_TYPE_UINT8, 3,
                                reinterpret_cast<void*>(data), size, stride, corner, corner, 64, 32,
                                step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
        "describing pixels");
}

[[noreturn]] void ask(const char* cubin, unsigned what) {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction function;
  CUdeviceptr data, out;
  check(cuInit(0), "starting");
  check(cuDeviceGet(&device, 0), "finding a GPU");
  check(cuDevicePrimaryCtxRetain(&context, device), "making a context");
  check(cuCtxSetCurrent(context), "making a context current");
  check(cuModuleLoad(&module, cubin), "loading the kernels");
  check(cuModuleGetFunction(&function, module, "ask"), "finding the kernel");
  check(cuMemAlloc(&data, kData), "allocating");
  check(cuMemAlloc(&out, 16), "allocating");
  check(cuMemsetD8(data, 1, kData), "filling");
  check(cuMemsetD8(out, 0, 16), "filling");
  CUtensorMap map, other;
  describe(map, data, 2, CU_TENSOR_MAP_INTERLEAVE_NONE);
  describe(other, data, 2, CU_TENSOR_MAP_INTERLEAVE_NONE);
  if (what == faults::kMapZeros) std::memset(&other, 0, sizeof other);
  if (what == faults::kMapGarbage)
    for (unsigned i = 0; i < sizeof other; ++i)
      reinterpret_cast<unsigned char*>(&other)[i] = static_cast<unsigned char>(i * 37 + 11);
  if (what == faults::kMapOfIm2col) describe_pixels(other, data);
  if (what == faults::kMapOfLine) describe(other, data, 1, CU_TENSOR_MAP_INTERLEAVE_NONE);
  if (what == faults::kMapInterleaved) describe(other, data, 3, CU_TENSOR_MAP_INTERLEAVE_16B);
  if (what == faults::kMapOfNothing || what == faults::kStoreNowhere ||
      what == faults::kPrefetchNowhere)
    describe(other, CUdeviceptr{0x10000}, 2, CU_TENSOR_MAP_INTERLEAVE_NONE);
  void* arguments[] = {&map, &other, &what, &data, &out};
  check(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, kShared),
        "asking for shared memory");
  CUlaunchConfig config = {};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 128, config.blockDimY = config.blockDimZ = 1;
  config.sharedMemBytes = kShared;
  CUlaunchAttribute cluster;
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim.x = cluster.value.clusterDim.y = cluster.value.clusterDim.z = 1;
  config.attrs = &cluster;
  config.numAttrs = 1;
  CUresult result = cuLaunchKernelEx(&config, function, arguments, nullptr);
  if (result == CUDA_SUCCESS) result = cuCtxSynchronize();
  const char* name = "unknown error";
  cuGetErrorName(result, &name);
  unsigned left[4] = {};
  if (result == CUDA_SUCCESS) check(cuMemcpyDtoH(left, out, sizeof left), "copying");
  std::printf("%s %s %08x %08x %08x %08x\n", faults::kNames[what], name, left[0], left[1], left[2],
              left[3]);
  std::fflush(stdout);
  std::_Exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  constexpr unsigned kMostSeconds = 15;
  for (unsigned what = 0; what < faults::kCases; ++what) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(kMostSeconds);
      ask(argv[1], what);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      std::printf("%s no answer\n", faults::kNames[what]);
      std::fflush(stdout);
    }
  }
}
