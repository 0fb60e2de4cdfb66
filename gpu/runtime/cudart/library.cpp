// Code that the program loads itself: cudaLibrary_t and its kernels.
#include <cstring>

#include "gpu/runtime/code_in_memory.hpp"
#include "gpu/runtime/cudart/api.hpp"
#include "gpu/runtime/cudart/jit_request.hpp"
#include "simulator/base/file.hpp"

namespace heddle::runtime {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30;

RegisteredBinary* library_of(abi::Handle handle) { return static_cast<RegisteredBinary*>(handle); }

template <typename Read>
Error load(abi::Handle* library, const std::string& origin, const JitRequest& request, Read read) {
  return on_device([&](Context& context) -> Error {
    if (library == nullptr) return Error::invalid_value;
    RegisteredBinary* loaded = nullptr;
    std::string why;
    Error error = Error::invalid_kernel_image;
    try {
      error =
          Runtime::instance().load_library(read(), origin, context, loaded, request.options(), why);
    } catch (const isa::CubinError& bad) {
      why = bad.what();
      Runtime::instance().notice_once(why);
    }
    request.tell({}, why);
    if (error == Error::success) *library = loaded;
    return error;
  });
}

template <typename Body>
Error on_library(abi::Handle library, Body body) {
  return on_device([&](Context& context) -> Error {
    CodeImage* const image = Runtime::instance().library_image(library_of(library), context);
    return image == nullptr ? Error::invalid_resource_handle : body(context, *image);
  });
}

Error get_variable(void** pointer, std::size_t* bytes, abi::Handle library, const char* name,
                   bool managed) {
  return on_library(library, [&](Context& context, CodeImage& image) -> Error {
    if (name == nullptr || (pointer == nullptr && bytes == nullptr)) return Error::invalid_value;
    const auto block = context.variable(image, name);
    if (!block || (managed && block->kind != MemoryKind::managed)) return Error::symbol_not_found;
    if (pointer != nullptr) *pointer = reinterpret_cast<void*>(block->address);
    if (bytes != nullptr) *bytes = block->bytes;
    return Error::success;
  });
}

}  // namespace

// Options of keeping the code in memory do not change what is loaded.
HEDDLE_API Error cudaLibraryLoadData(abi::Handle* library, const void* code, const int* options,
                                     void** values, unsigned count, void*, void*, unsigned) {
  if (code == nullptr) return api([] { return Error::invalid_value; });
  const std::string origin = "code that the program loads";
  return load(library, origin, JitRequest(options, values, count),
              [&] { return read_code(code, origin); });
}

HEDDLE_API Error cudaLibraryLoadFromFile(abi::Handle* library, const char* file, const int* options,
                                         void** values, unsigned count, void*, void*, unsigned) {
  if (file == nullptr) return api([] { return Error::invalid_value; });
  std::string text;
  try {
    text = simulator::read_file(file, kMostBytes);
  } catch (const std::runtime_error&) {
    return api([] { return Error::file_not_found; });
  }
  return load(library, file, JitRequest(options, values, count),
              [&] { return read_code(std::as_bytes(std::span(text)), std::string(file)); });
}

HEDDLE_API Error cudaLibraryUnload(abi::Handle library) {
  return on_device(
      [&](Context&) { return Runtime::instance().unload_library(library_of(library)); });
}

HEDDLE_API Error cudaLibraryGetKernel(abi::Handle* kernel, abi::Handle library, const char* name) {
  return on_library(library, [&](Context& context, CodeImage&) -> Error {
    if (kernel == nullptr || name == nullptr) return Error::invalid_value;
    RegisteredKernel* const found =
        Runtime::instance().library_kernel(library_of(library), context, name);
    if (found == nullptr) return Error::symbol_not_found;
    *kernel = found;
    return Error::success;
  });
}

HEDDLE_API Error cudaLibraryGetGlobal(void** pointer, std::size_t* bytes, abi::Handle library,
                                      const char* name) {
  return get_variable(pointer, bytes, library, name, false);
}

HEDDLE_API Error cudaLibraryGetManaged(void** pointer, std::size_t* bytes, abi::Handle library,
                                       const char* name) {
  return get_variable(pointer, bytes, library, name, true);
}

HEDDLE_API Error cudaLibraryGetKernelCount(unsigned* count, abi::Handle library) {
  return on_library(library, [&](Context&, CodeImage& image) -> Error {
    if (count == nullptr) return Error::invalid_value;
    *count = static_cast<unsigned>(image.kernel_names().size());
    return Error::success;
  });
}

HEDDLE_API Error cudaLibraryEnumerateKernels(abi::Handle* kernels, unsigned count,
                                             abi::Handle library) {
  return on_library(library, [&](Context& context, CodeImage& image) -> Error {
    if (kernels == nullptr) return Error::invalid_value;
    for (const std::string_view name : image.kernel_names()) {
      if (count == 0) break;
      --count;
      *kernels++ = Runtime::instance().library_kernel(library_of(library), context, name);
    }
    return Error::success;
  });
}

}  // namespace heddle::runtime
