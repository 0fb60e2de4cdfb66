// What code that nvcc emits calls before main, after it, and around every <<<…>>>.
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "gpu/runtime/crash_report.hpp"
#include "gpu/runtime/cudart/api.hpp"

namespace heddle::runtime {

namespace {

RegisteredBinary* binary_of(void** handle) { return reinterpret_cast<RegisteredBinary*>(handle); }

}  // namespace

HEDDLE_API void** __cudaRegisterFatBinary(void* wrapper) {
  return reinterpret_cast<void**>(Runtime::instance().register_binary(wrapper));
}

HEDDLE_API void __cudaRegisterFatBinaryEnd(void**) {}

HEDDLE_API void __cudaUnregisterFatBinary(void** handle) {
  Runtime::instance().unregister_binary(binary_of(handle));
}

HEDDLE_API void __cudaRegisterFunction(void** handle, const char* stub, char*, const char* name,
                                       int, void*, void*, void*, void*, int*) {
  Runtime::instance().register_kernel(binary_of(handle), stub, name);
}

HEDDLE_API void __cudaRegisterVar(void** handle, char* shadow, char*, const char* name, int,
                                  std::size_t, int, int) {
  Runtime::instance().register_variable(binary_of(handle), shadow, name, nullptr);
}

HEDDLE_API void __cudaRegisterManagedVar(void** handle, void** pointer, char*, const char* name,
                                         int, std::size_t, int, int) {
  Runtime::instance().register_variable(binary_of(handle), pointer, name, pointer);
}

// Host code calls this before it first touches a managed variable, and goes on when it is not 0.
HEDDLE_API char __cudaInitModule(void** handle) {
  const Error error = on_device([&](Context& context) {
    return Runtime::instance().initialize_managed(binary_of(handle), context);
  });
  return error == Error::success ? 1 : 0;
}

HEDDLE_API unsigned __cudaPushCallConfiguration(abi::Dim3 grid, abi::Dim3 block,
                                                std::size_t shared_bytes, abi::Handle stream) {
  ThreadState& thread = Runtime::thread();
  if (thread.configurations == ThreadState::kMaxNesting) return 1;
  thread.configuration[thread.configurations++] = {grid, block, shared_bytes, stream};
  return 0;
}

HEDDLE_API Error __cudaPopCallConfiguration(abi::Dim3* grid, abi::Dim3* block,
                                            std::size_t* shared_bytes, void* stream) {
  return api([&] {
    ThreadState& thread = Runtime::thread();
    if (thread.configurations == 0) return Error::missing_configuration;
    const LaunchConfiguration& configuration = thread.configuration[--thread.configurations];
    *grid = configuration.grid;
    *block = configuration.block;
    *shared_bytes = configuration.shared_bytes;
    *static_cast<abi::Handle*>(stream) = configuration.stream;
    return Error::success;
  });
}

HEDDLE_API Error __cudaGetKernel(abi::Handle* kernel, const void* stub) {
  return api([&] {
    if (kernel == nullptr) return Error::invalid_value;
    *kernel = Runtime::instance().kernel_by_stub(stub);
    return *kernel != nullptr ? Error::success : Error::invalid_device_function;
  });
}

HEDDLE_API Error cudaGetKernel(abi::Handle* kernel, const void* stub) {
  return __cudaGetKernel(kernel, stub);
}

// A program that `heddle run` started ends with it, however that ends. Its children are its own.
__attribute__((constructor)) static void at_load() {
  report_crashes();
  const char* const parent = std::getenv("HEDDLE_PARENT");
  if (parent == nullptr || std::atol(parent) != getppid()) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (std::atol(parent) != getppid()) raise(SIGKILL);  // it has ended meanwhile
}

// For programs that register no code. The library is loaded into children that are no CUDA programs
// too, where there is nothing to do.
__attribute__((destructor)) static void at_unload() {
  if (Runtime* runtime = Runtime::if_any()) runtime->end();
}

}  // namespace heddle::runtime
