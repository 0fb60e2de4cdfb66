// Runs every kernel of a cubin (made by make_ptx.py) on the inputs of warpgroup_inputs.hpp and
// writes, for each, a hash of D.
//
//   nvcc -std=c++20 -I../instruction_probe -o warpgroup_probe warpgroup_probe.cu -lcuda
//   ./warpgroup_probe CUBIN ANSWERS [RAW PREFIX]
//
// ANSWERS: lines "kernel hash", or "kernel refused". RAW: D of the kernels whose names begin with
// PREFIX, one after the other as they come.
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "warpgroup_inputs.hpp"

namespace {

namespace probe = warpgroup_probe;

void check(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  const char* name = "unknown error";
  cuGetErrorName(result, &name);
  std::fprintf(stderr, "warpgroup_probe: %s: %s\n", what, name);
  std::exit(2);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  check(cuInit(0), "starting");
  CUdevice device;
  CUcontext context;
  CUmodule module;
  check(cuDeviceGet(&device, 0), "finding a GPU");
  check(cuDevicePrimaryCtxRetain(&context, device), "making a context");
  check(cuCtxSetCurrent(context), "making a context current");
  check(cuModuleLoad(&module, argv[1]), "loading the kernels");
  unsigned count = 0;
  check(cuModuleGetFunctionCount(&count, module), "counting the kernels");
  std::vector<CUfunction> functions(count);
  check(cuModuleEnumerateFunctions(functions.data(), count, module), "listing the kernels");
  constexpr std::size_t kMostBlocks = 64, kMostOut = std::size_t{128} * 4 * probe::kThreads;
  CUdeviceptr in, out;
  check(cuMemAlloc(&in, kMostBlocks * probe::kBytes), "allocating");
  check(cuMemAlloc(&out, kMostBlocks * kMostOut), "allocating");
  std::ofstream answers(argv[2]);
  std::ofstream raw;
  if (argc > 4) raw.open(argv[3], std::ios::binary);
  for (CUfunction function : functions) {
    const char* name = nullptr;
    check(cuFuncGetName(&name, function), "naming a kernel");
    const probe::Form form = probe::form_of(name);
    const unsigned blocks = form.blocks();
    std::vector<unsigned char> inputs(std::size_t{blocks} * probe::kBytes);
    for (unsigned block = 0; block < blocks; ++block)
      probe::fill(inputs.data() + std::size_t{block} * probe::kBytes, name, block);
    check(cuMemcpyHtoD(in, inputs.data(), inputs.size()), "copying");
    void* arguments[] = {&in, &out};
    check(cuLaunchKernel(function, blocks, 1, 1, probe::kThreads, 1, 1, 0, nullptr, arguments,
                         nullptr),
          name);
    check(cuCtxSynchronize(), name);
    std::vector<unsigned char> result(std::size_t{blocks} * form.registers_of_d() * 4 *
                                      probe::kThreads);
    check(cuMemcpyDtoH(result.data(), out, result.size()), "copying");
    char text[24];
    std::snprintf(
        text, sizeof text, "%016llx",
        static_cast<unsigned long long>(instruction_probe::hash(result.data(), result.size())));
    answers << name << ' ' << text << '\n';
    if (argc > 4 && std::string_view(name).find(argv[4]) != std::string_view::npos) {
      raw.write(name, static_cast<std::streamsize>(std::strlen(name)));
      raw.write("\n", 1);
      raw.write(reinterpret_cast<const char*>(result.data()),
                static_cast<std::streamsize>(result.size()));
    }
  }
  answers.flush();
  std::_Exit(answers ? 0 : 2);
}
