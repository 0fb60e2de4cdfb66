// A program that launches a kernel through the driver's interface, without the toolkit: the one of
// gpu/runtime/tests/data/accumulate.fatbin, which it is given. Ends with 1 and a message when the
// driver refuses anything.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

extern "C" {
int cuInit(unsigned);
int cuDeviceGet(int*, int);
int cuDevicePrimaryCtxRetain(void**, int);
int cuCtxSetCurrent(void*);
int cuModuleLoadData(void**, const void*);
int cuModuleGetFunction(void**, void*, const char*);
int cuMemAlloc_v2(std::uint64_t*, std::size_t);
int cuMemcpyHtoD_v2(std::uint64_t, const void*, std::size_t);
int cuMemcpyDtoH_v2(void*, std::uint64_t, std::size_t);
int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   void*, void**, void**);
int cuCtxSynchronize();
}

static void check(int result, const char* what) {
  if (result == 0) return;
  std::fprintf(stderr, "launches: %s gives %d\n", what, result);
  std::exit(1);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream file(argv[1], std::ios::binary);
  const std::string image{std::istreambuf_iterator<char>(file), {}};
  if (image.empty()) {
    std::fprintf(stderr, "launches: %s cannot be read\n", argv[1]);
    return 1;
  }
  constexpr unsigned kThreads = 64;
  int device = 0, factor = 3, values[kThreads] = {};
  void *context = nullptr, *module = nullptr, *kernel = nullptr;
  std::uint64_t data = 0;
  check(cuInit(0), "cuInit");
  check(cuDeviceGet(&device, 0), "cuDeviceGet");
  check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
  check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
  check(cuModuleLoadData(&module, image.data()), "cuModuleLoadData");
  check(cuModuleGetFunction(&kernel, module, "accumulate"), "cuModuleGetFunction");
  check(cuMemAlloc_v2(&data, sizeof values), "cuMemAlloc");
  check(cuMemcpyHtoD_v2(data, values, sizeof values), "cuMemcpyHtoD");
  void* arguments[] = {&data, &factor};
  for (int i = 0; i < 3; ++i)
    check(cuLaunchKernel(kernel, 1, 1, 1, kThreads, 1, 1, 0, nullptr, arguments, nullptr),
          "cuLaunchKernel");
  check(cuCtxSynchronize(), "cuCtxSynchronize");
  check(cuMemcpyDtoH_v2(values, data, sizeof values), "cuMemcpyDtoH");
  std::printf("%d\n", values[5]);
  return std::fflush(stdout) == 0 ? 0 : 1;
}
