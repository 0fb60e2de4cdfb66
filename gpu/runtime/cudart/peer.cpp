// Pairs of devices; other processes. And the driver beneath.
#include <dlfcn.h>

#include "gpu/runtime/cudart/copies.hpp"

namespace heddle::runtime {

namespace {

// The driver front's own look-up, where that is loaded (`heddle run` does).
using FindFunction = int (*)(const char*, void**, int, unsigned long long, int*);
FindFunction driver_functions() {
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return driver == nullptr ? nullptr
                           : reinterpret_cast<FindFunction>(dlsym(driver, "cuGetProcAddress_v2"));
}

Error driver_function(const char* symbol, void** function, int version, unsigned long long flags,
                      int* status) {
  return api([&] {
    constexpr int kSymbolNotFound = 1;  // cudaDriverEntryPointSymbolNotFound
    if (symbol == nullptr || function == nullptr) return Error::invalid_value;
    *function = nullptr;
    int found = kSymbolNotFound;
    if (const FindFunction find = driver_functions())
      find(symbol, function, version, flags, &found);
    if (status != nullptr) *status = found;
    if (*function == nullptr)
      Runtime::instance().notice_once(
          std::string(symbol) + ": the driver has no such function (cudaGetDriverEntryPoint)");
    return *function != nullptr || status != nullptr ? Error::success : Error::symbol_not_found;
  });
}

// Which of two functions where there is one for each thread's own stream 0.
unsigned long long per_thread(unsigned long long flags, DefaultStream zero) {
  constexpr unsigned long long kPerThread = 2;
  return flags == 0 && zero == DefaultStream::per_thread ? kPerThread : flags;
}

}  // namespace

HEDDLE_API Error cudaDeviceGetP2PAttribute(int* value, int attribute, int from, int to) {
  return api([&] {
    // As GPUs that NVLink connects: no pair is faster than another, each reaches the other's
    // memory, atomics and arrays included.
    enum Attribute : int { kRank = 1, kAccess, kAtomics, kArrays, kPartialAtomics };
    const Runtime& runtime = Runtime::instance();
    if (value == nullptr || from < 0 || to < 0) return Error::invalid_value;
    if (from == to || !runtime.has_gpu(from) || !runtime.has_gpu(to)) return Error::invalid_device;
    if (attribute < kRank || attribute > kPartialAtomics) return Error::invalid_value;
    *value = attribute == kAccess || attribute == kAtomics || attribute == kArrays;
    return Error::success;
  });
}

HEDDLE_API Error cudaIpcGetMemHandle(abi::IpcHandle* handle, void* pointer) {
  return on_device([&](Context& current) {
    if (handle == nullptr) return Error::invalid_value;
    return on_owner(current, pointer, [&](Context& context) {
      return context.share_memory(address_of(pointer), *handle);
    });
  });
}

HEDDLE_API Error cudaIpcOpenMemHandle(void** pointer, abi::IpcHandle handle, unsigned flags) {
  return on_device([&](Context& context) {
    constexpr unsigned kLazyPeerAccess = 1;
    if (pointer == nullptr || flags != kLazyPeerAccess) return Error::invalid_value;
    std::uint64_t address = 0;
    const Error error = context.open_memory(handle, address);
    if (error == Error::success) *pointer = reinterpret_cast<void*>(address);
    return error;
  });
}

HEDDLE_API Error cudaIpcCloseMemHandle(void* pointer) {
  return on_device([&](Context& current) {
    return on_owner(current, pointer,
                    [&](Context& context) { return context.close_memory(address_of(pointer)); });
  });
}

HEDDLE_API Error cudaIpcGetEventHandle(abi::IpcHandle* handle, abi::Handle event) {
  return on_device([&](Context& context) {
    const auto found = context.event(event);
    if (handle == nullptr || !found) return Error::invalid_resource_handle;
    return context.share_event(*found, *handle);
  });
}

HEDDLE_API Error cudaIpcOpenEventHandle(abi::Handle* event, abi::IpcHandle handle) {
  return on_device([&](Context& context) {
    std::shared_ptr<Event> opened;
    if (event == nullptr) return Error::invalid_value;
    const Error error = context.open_event(handle, opened);
    if (error == Error::success) *event = opened.get();
    return error;
  });
}

HEDDLE_STREAM_API(cudaGetDriverEntryPoint, _ptsz,
                  (const char* symbol, void** function, unsigned long long flags, int* status),
                  (symbol, function, flags, status)) {
  constexpr int kOurs = 13000;
  return driver_function(symbol, function, kOurs, per_thread(flags, kStreamZero), status);
}

HEDDLE_STREAM_API(cudaGetDriverEntryPointByVersion, _ptsz,
                  (const char* symbol, void** function, unsigned version, unsigned long long flags,
                   int* status),
                  (symbol, function, version, flags, status)) {
  return driver_function(symbol, function, static_cast<int>(version),
                         per_thread(flags, kStreamZero), status);
}

}  // namespace heddle::runtime
