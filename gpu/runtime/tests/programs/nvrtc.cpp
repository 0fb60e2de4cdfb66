// Code that a program compiles itself (libnvrtc) and loads by the driver's interface.
#include <cuda.h>
#include <nvrtc.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define EXPECT(condition)                                             \
  do {                                                                \
    if (!(condition)) {                                               \
      std::fprintf(stderr, "%d: not so: %s\n", __LINE__, #condition); \
      std::exit(1);                                                   \
    }                                                                 \
  } while (false)

static const char source[] = R"(
template <typename T> __global__ void scale(T* cells, T by) { cells[threadIdx.x] *= by; }
__constant__ int offset = 3;
extern "C" __global__ void shift(int* cells) { cells[threadIdx.x] += offset; }
)";

// What is compiled for `architecture`: PTX for compute_90, machine code for sm_90.
static std::vector<char> compile(const char* architecture, std::string& scale_name) {
  nvrtcProgram program;
  EXPECT(nvrtcCreateProgram(&program, source, "scale.cu", 0, nullptr, nullptr) == NVRTC_SUCCESS);
  EXPECT(nvrtcAddNameExpression(program, "scale<int>") == NVRTC_SUCCESS);
  const std::string option = std::string("--gpu-architecture=") + architecture;
  const char* options[] = {option.c_str(), "--std=c++17"};
  EXPECT(nvrtcCompileProgram(program, 2, options) == NVRTC_SUCCESS);
  const char* name = nullptr;
  EXPECT(nvrtcGetLoweredName(program, "scale<int>", &name) == NVRTC_SUCCESS);
  scale_name = name;
  std::size_t bytes = 0;
  const bool machine_code = architecture[0] == 's';
  EXPECT((machine_code ? nvrtcGetCUBINSize : nvrtcGetPTXSize)(program, &bytes) == NVRTC_SUCCESS);
  std::vector<char> code(bytes);
  EXPECT((machine_code ? nvrtcGetCUBIN : nvrtcGetPTX)(program, code.data()) == NVRTC_SUCCESS);
  EXPECT(nvrtcDestroyProgram(&program) == NVRTC_SUCCESS);
  return code;
}

static void run(const char* architecture) {
  std::string name;
  const std::vector<char> code = compile(architecture, name);
  CUmodule module;
  CUfunction scale, shift;
  EXPECT(cuModuleLoadData(&module, code.data()) == CUDA_SUCCESS);
  EXPECT(cuModuleGetFunction(&scale, module, name.c_str()) == CUDA_SUCCESS);
  EXPECT(cuModuleGetFunction(&shift, module, "shift") == CUDA_SUCCESS);
  CUdeviceptr cells;
  int host[32], by = 5;
  for (int i = 0; i < 32; ++i) host[i] = i;
  EXPECT(cuMemAlloc(&cells, sizeof host) == CUDA_SUCCESS);
  EXPECT(cuMemcpyHtoD(cells, host, sizeof host) == CUDA_SUCCESS);
  void* two[] = {&cells, &by};
  EXPECT(cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, nullptr, two, nullptr) == CUDA_SUCCESS);
  EXPECT(cuLaunchKernel(shift, 1, 1, 1, 32, 1, 1, 0, nullptr, two, nullptr) == CUDA_SUCCESS);
  EXPECT(cuMemcpyDtoH(host, cells, sizeof host) == CUDA_SUCCESS);
  for (int i = 0; i < 32; ++i) EXPECT(host[i] == 5 * i + 3);
  EXPECT(cuMemFree(cells) == CUDA_SUCCESS);
  EXPECT(cuModuleUnload(module) == CUDA_SUCCESS);
}

int main() {
  CUdevice device;
  CUcontext context;
  EXPECT(cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&device, 0) == CUDA_SUCCESS);
  EXPECT(cuDevicePrimaryCtxRetain(&context, device) == CUDA_SUCCESS);
  EXPECT(cuCtxSetCurrent(context) == CUDA_SUCCESS);
  run("compute_90");
  run("sm_90");
  std::puts("ok");
}
