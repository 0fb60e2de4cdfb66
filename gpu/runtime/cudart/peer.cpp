// Other devices and other processes: there are none that share this GPU. And the driver beneath.
#include <cstring>

#include "gpu/runtime/cudart/copies.hpp"

namespace heddle::runtime {

namespace {

constexpr int kSymbolNotFound = 1;  // cudaDriverEntryPointSymbolNotFound

Error no_driver(const char* symbol, void** function, int* status) {
  return api([&] {
    if (symbol == nullptr || function == nullptr) return Error::invalid_value;
    *function = nullptr;
    Runtime::instance().notice_once(
        std::string(symbol) + ": functions of the driver are not there (cudaGetDriverEntryPoint)");
    if (status == nullptr) return Error::symbol_not_found;
    *status = kSymbolNotFound;
    return Error::success;
  });
}

}  // namespace

HEDDLE_API Error cudaDeviceGetP2PAttribute(int* value, int, int from, int to) {
  return api([&] {
    // One device has no peers: CUDA's answer where both are the same one, or one is not there.
    return value == nullptr || from < 0 || to < 0 ? Error::invalid_value : Error::invalid_device;
  });
}

HEDDLE_API Error cudaIpcGetMemHandle(abi::IpcHandle* handle, void* pointer) {
  return on_device([&](Context& context) {
    const auto block = context.find_memory(address_of(pointer));
    if (handle == nullptr || !block || block->kind != MemoryKind::device)
      return Error::invalid_value;
    *handle = {};
    std::memcpy(handle->reserved, &block->address, sizeof block->address);
    return Error::success;
  });
}

HEDDLE_API Error cudaIpcOpenMemHandle(void**, abi::IpcHandle, unsigned) {
  return api([] {
    return not_supported("cudaIpcOpenMemHandle (each process has a simulated GPU of its own)");
  });
}

HEDDLE_API Error cudaIpcCloseMemHandle(void*) {
  return api([] { return Error::invalid_value; });  // none can have been opened
}

HEDDLE_API Error cudaIpcGetEventHandle(abi::IpcHandle* handle, abi::Handle event) {
  return on_device([&](Context& context) {
    const auto found = context.event(event);
    if (handle == nullptr || !found) return Error::invalid_resource_handle;
    if ((found->flags() & abi::kEventInterprocess) == 0) return Error::invalid_resource_handle;
    *handle = {};
    std::memcpy(handle->reserved, &event, sizeof event);
    return Error::success;
  });
}

HEDDLE_API Error cudaIpcOpenEventHandle(abi::Handle*, abi::IpcHandle) {
  return api([] {
    return not_supported("cudaIpcOpenEventHandle (each process has a simulated GPU of its own)");
  });
}

HEDDLE_API Error cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long,
                                         int* status) {
  return no_driver(symbol, function, status);
}

HEDDLE_API Error cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned,
                                                  unsigned long long, int* status) {
  return no_driver(symbol, function, status);
}

}  // namespace heddle::runtime
