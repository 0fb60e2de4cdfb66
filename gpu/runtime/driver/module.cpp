// Modules and libraries, which are the same here, and what is in them; linking, of one part.
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "gpu/runtime/driver/api.hpp"

namespace heddle::runtime::driver {
namespace {

// What cuLinkComplete gives out, until cuLinkDestroy.
struct Linking {
  std::vector<char> code;
  bool several = false;
};

std::mutex linkings_mutex;
std::set<Linking*>& linkings() {
  static auto& all = *new std::set<Linking*>;
  return all;
}

bool is_linking(Linking* linking) {
  std::lock_guard lock(linkings_mutex);
  return linkings().contains(linking);
}

Error load(abi::Handle* module, const void* image) {
  return cudaLibraryLoadData(module, image, nullptr, nullptr, 0, nullptr, nullptr, 0);
}

}  // namespace

HEDDLE_DRIVER_API Result cuModuleLoadData(abi::Handle* module, const void* image) {
  return forward([&] { return load(module, image); });
}
HEDDLE_DRIVER_API Result cuModuleLoadDataEx(abi::Handle* module, const void* image, unsigned, void*,
                                            void*) {
  return forward([&] { return load(module, image); });
}
HEDDLE_DRIVER_API Result cuModuleLoadFatBinary(abi::Handle* module, const void* image) {
  return forward([&] { return load(module, image); });
}
HEDDLE_DRIVER_API Result cuModuleLoad(abi::Handle* module, const char* file) {
  return forward([&] {
    return cudaLibraryLoadFromFile(module, file, nullptr, nullptr, 0, nullptr, nullptr, 0);
  });
}
HEDDLE_DRIVER_API Result cuModuleUnload(abi::Handle module) {
  return forward([&] { return cudaLibraryUnload(module); });
}
HEDDLE_DRIVER_API Result cuModuleGetFunction(abi::Handle* function, abi::Handle module,
                                             const char* name) {
  return forward([&] { return cudaLibraryGetKernel(function, module, name); });
}
HEDDLE_DRIVER_API Result cuModuleGetGlobal_v2(DevicePointer* address, std::size_t* bytes,
                                              abi::Handle module, const char* name) {
  return forward(
      [&] { return cudaLibraryGetGlobal(reinterpret_cast<void**>(address), bytes, module, name); });
}
HEDDLE_DRIVER_API Result cuModuleGetFunctionCount(unsigned* count, abi::Handle module) {
  return forward([&] { return cudaLibraryGetKernelCount(count, module); });
}
HEDDLE_DRIVER_API Result cuModuleEnumerateFunctions(abi::Handle* functions, unsigned count,
                                                    abi::Handle module) {
  return forward([&] { return cudaLibraryEnumerateKernels(functions, count, module); });
}
HEDDLE_DRIVER_API Result cuModuleGetLoadingMode(int* mode) {
  constexpr int kEager = 1;
  if (mode == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  *mode = kEager;
  return Result::CUDA_SUCCESS;
}

HEDDLE_DRIVER_API Result cuLibraryLoadData(abi::Handle* library, const void* code, void*, void*,
                                           unsigned, void*, void*, unsigned) {
  return cuModuleLoadData(library, code);
}
HEDDLE_DRIVER_API Result cuLibraryLoadFromFile(abi::Handle* library, const char* file, void*, void*,
                                               unsigned, void*, void*, unsigned) {
  return cuModuleLoad(library, file);
}
HEDDLE_DRIVER_API Result cuLibraryUnload(abi::Handle library) { return cuModuleUnload(library); }
HEDDLE_DRIVER_API Result cuLibraryGetKernel(abi::Handle* kernel, abi::Handle library,
                                            const char* name) {
  return cuModuleGetFunction(kernel, library, name);
}
HEDDLE_DRIVER_API Result cuLibraryGetGlobal(DevicePointer* address, std::size_t* bytes,
                                            abi::Handle library, const char* name) {
  return cuModuleGetGlobal_v2(address, bytes, library, name);
}
HEDDLE_DRIVER_API Result cuLibraryGetModule(abi::Handle* module, abi::Handle library) {
  if (module == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  *module = library;
  return Result::CUDA_SUCCESS;
}
HEDDLE_DRIVER_API Result cuKernelGetFunction(abi::Handle* function, abi::Handle kernel) {
  if (function == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  *function = kernel;
  return Result::CUDA_SUCCESS;
}

HEDDLE_DRIVER_API Result cuLinkCreate_v2(unsigned, void*, void*, Linking** state) {
  if (state == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  std::lock_guard lock(linkings_mutex);
  *state = new Linking;
  linkings().insert(*state);
  return Result::CUDA_SUCCESS;
}

HEDDLE_DRIVER_API Result cuLinkAddData_v2(Linking* state, int, void* data, std::size_t size,
                                          const char*, unsigned, void*, void*) {
  if (!is_linking(state) || data == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  state->several |= !state->code.empty();
  const auto* const begin = static_cast<const char*>(data);
  state->code.assign(begin, begin + size);
  state->code.push_back('\0');  // behind PTX
  return Result::CUDA_SUCCESS;
}

// One part needs no linking: it is loaded as it is.
HEDDLE_DRIVER_API Result cuLinkComplete(Linking* state, void** code, std::size_t* bytes) {
  if (!is_linking(state) || code == nullptr || state->code.empty())
    return Result::CUDA_ERROR_INVALID_VALUE;
  if (state->several) return Result::CUDA_ERROR_NOT_SUPPORTED;
  *code = state->code.data();
  if (bytes != nullptr) *bytes = state->code.size();
  return Result::CUDA_SUCCESS;
}

HEDDLE_DRIVER_API Result cuLinkDestroy(Linking* state) {
  std::lock_guard lock(linkings_mutex);
  if (linkings().erase(state) == 0) return Result::CUDA_ERROR_INVALID_HANDLE;
  delete state;
  return Result::CUDA_SUCCESS;
}

}  // namespace heddle::runtime::driver
