// Modules and libraries, which are the same here, and what is in them.
#include "gpu/runtime/driver/api.hpp"
#include "gpu/runtime/driver/support.hpp"

namespace heddle::runtime::driver {
HEDDLE_DRIVER_API Result cuModuleLoadDataEx(abi::Handle* module, const void* image, unsigned count,
                                            const int* options, void** values) {
  return forward([&] {
    return cudaLibraryLoadData(module, image, options, values, count, nullptr, nullptr, 0);
  });
}
HEDDLE_DRIVER_API Result cuModuleLoadData(abi::Handle* module, const void* image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}
HEDDLE_DRIVER_API Result cuModuleLoadFatBinary(abi::Handle* module, const void* image) {
  return cuModuleLoadData(module, image);
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

HEDDLE_DRIVER_API Result cuLibraryLoadData(abi::Handle* library, const void* code,
                                           const int* options, void** values, unsigned count, void*,
                                           void*, unsigned) {
  return cuModuleLoadDataEx(library, code, count, options, values);
}
HEDDLE_DRIVER_API Result cuLibraryLoadFromFile(abi::Handle* library, const char* file,
                                               const int* options, void** values, unsigned count,
                                               void*, void*, unsigned) {
  return forward([&] {
    return cudaLibraryLoadFromFile(library, file, options, values, count, nullptr, nullptr, 0);
  });
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
  if (library == nullptr) return Result::CUDA_ERROR_INVALID_HANDLE;
  *module = library;
  return Result::CUDA_SUCCESS;
}
HEDDLE_DRIVER_API Result cuKernelGetFunction(abi::Handle* function, abi::Handle kernel) {
  if (function == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  if (kernel == nullptr) return Result::CUDA_ERROR_INVALID_HANDLE;
  *function = kernel;
  return Result::CUDA_SUCCESS;
}

HEDDLE_DRIVER_API Result cuLibraryGetKernelCount(unsigned* count, abi::Handle library) {
  return cuModuleGetFunctionCount(count, library);
}
HEDDLE_DRIVER_API Result cuLibraryEnumerateKernels(abi::Handle* kernels, unsigned count,
                                                   abi::Handle library) {
  return cuModuleEnumerateFunctions(kernels, count, library);
}
HEDDLE_DRIVER_API Result cuLibraryGetManaged(DevicePointer* address, std::size_t* bytes,
                                             abi::Handle library, const char* name) {
  return forward([&] {
    return cudaLibraryGetManaged(reinterpret_cast<void**>(address), bytes, library, name);
  });
}
HEDDLE_DRIVER_API Result cuKernelGetLibrary(abi::Handle* library, abi::Handle kernel) {
  if (library == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  return forward([&] { return support().library_of(kernel, library); });
}
HEDDLE_DRIVER_API Result cuFuncGetModule(abi::Handle* module, abi::Handle function) {
  return cuKernelGetLibrary(module, function);
}

// No code that a compiler of today makes has references to textures and surfaces.
HEDDLE_DRIVER_API Result cuModuleGetTexRef(abi::Handle* reference, abi::Handle, const char* name) {
  return reference == nullptr || name == nullptr ? Result::CUDA_ERROR_INVALID_VALUE
                                                 : Result::CUDA_ERROR_NOT_FOUND;
}
HEDDLE_DRIVER_API Result cuModuleGetSurfRef(abi::Handle* reference, abi::Handle, const char* name) {
  return cuModuleGetTexRef(reference, nullptr, name);
}

}  // namespace heddle::runtime::driver
