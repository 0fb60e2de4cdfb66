// Devices: GPUs of the model that the run was started for.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "gpu/runtime/cudart/api.hpp"
#include "gpu/runtime/device_properties.hpp"

namespace heddle::runtime {

namespace {

constexpr int kLeastPriority = 0, kGreatestPriority = -5;  // as on every GPU since sm_70

std::array<std::atomic<unsigned>, System::kMostGpus> device_flags;

bool exists(int device) { return Runtime::instance().has_gpu(device); }

template <typename Value>
Error answer(Value* out, Value value) {
  return api([&] {
    if (out == nullptr) return Error::invalid_value;
    *out = value;
    return Error::success;
  });
}

// Sets *out to `value(gpu)` when there is such a device.
template <typename Value, typename Get>
Error ask(int device, Value* out, Get value) {
  return api([&] {
    if (out == nullptr) return Error::invalid_value;
    if (!exists(device)) return Error::invalid_device;
    *out = value(static_cast<unsigned>(device));
    return Error::success;
  });
}

// `body(peer)` for a device that can be a peer of the calling thread's: no device is its own.
template <typename Body>
Error on_peer(int peer, Error of_itself, Body body) {
  return on_device([&](Context& context) -> Error {
    if (!exists(peer)) return Error::invalid_device;
    const auto number = static_cast<unsigned>(peer);
    return number == context.gpu() ? of_itself : body(context, number);
  });
}

// That the calling thread works in.
CudaContext& current_context() {
  const ThreadContexts& mine = Runtime::thread().contexts;
  CudaContext* const current = mine.current();
  return current != nullptr ? *current : Runtime::instance().primary(mine.gpu);
}

// Preferences that change nothing a functional run can see.
Error prefer(int config, int most, std::atomic<int>* kept) {
  return api([&] {
    if (config < 0 || config > most) return Error::invalid_value;
    if (kept != nullptr) *kept = config;
    return Error::success;
  });
}

// A call without a device that a host function may not make.
template <typename Body>
Error outside_host_functions(Body body) {
  return api([&] { return in_host_function() ? Error::not_permitted : body(); });
}

}  // namespace

HEDDLE_API Error cudaGetDeviceCount(int* count) {
  return answer(count, static_cast<int>(Runtime::instance().gpus()));
}

HEDDLE_API Error cudaGetDevice(int* device) {
  return outside_host_functions(
      [&] { return answer(device, static_cast<int>(Runtime::thread().contexts.gpu)); });
}

HEDDLE_API Error cudaSetDevice(int device) {
  return outside_host_functions([&] {
    if (!exists(device)) return Error::invalid_device;
    Runtime& runtime = Runtime::instance();
    Runtime::thread().contexts.set(&runtime.primary(static_cast<unsigned>(device)));
    if (runtime.context()) {  // made here, as with CUDA
      runtime.work_in_context();
      return Error::success;
    }
    return runtime.has_context() ? Error::initialization_error : Error::cudart_unloading;
  });
}

HEDDLE_API Error cudaInitDevice(int device, unsigned, unsigned) {
  return on_gpu(device, [](Context&) { return Error::success; });
}

HEDDLE_API Error cudaSetValidDevices(int* devices, int length) {
  return api([&] {
    if (length < 0 || (length > 0 && devices == nullptr)) return Error::invalid_value;
    for (int i = 0; i < length; ++i)
      if (!exists(devices[i])) return Error::invalid_device;
    return Error::success;
  });
}

HEDDLE_API Error cudaChooseDevice(int* device, const abi::DeviceProp*) { return answer(device, 0); }

HEDDLE_API Error cudaSetDeviceFlags(unsigned flags) {
  return api([&] {
    constexpr unsigned kKnown = 0xff, kScheduling = 7, kNotKept = 0x60;
    const unsigned scheduling = flags & kScheduling;  // none, or one way of waiting
    if ((flags & ~kKnown) != 0 || (scheduling & (scheduling - 1)) != 0) return Error::invalid_value;
    device_flags[Runtime::thread().contexts.gpu] = flags & ~kNotKept;
    return Error::success;
  });
}

HEDDLE_API Error cudaGetDeviceFlags(unsigned* flags) {
  constexpr unsigned kMapHost = 8;  // always possible, and reported so
  return answer(flags, device_flags[Runtime::thread().contexts.gpu].load() | kMapHost);
}

HEDDLE_API Error cudaGetDeviceProperties(abi::DeviceProp* properties, int device) {
  return ask(device, properties,
             [](unsigned gpu) { return device_properties(Runtime::instance().model(), gpu); });
}

HEDDLE_API Error cudaDeviceGetAttribute(int* value, int attribute, int device) {
  return outside_host_functions([&] {
    const simulator::GpuModel& model = Runtime::instance().model();
    if (!device_attribute(model, attribute)) return Error::invalid_value;
    return ask(device, value,
               [&](unsigned gpu) { return *device_attribute(model, attribute, gpu); });
  });
}

HEDDLE_API Error cudaDeviceReset() {
  return api([] {
    Runtime& runtime = Runtime::instance();
    if (in_host_function()) return Error::not_permitted;
    Runtime::thread().last_error = Error::success;
    return runtime.reset();
  });
}

HEDDLE_API Error cudaDeviceSynchronize() {
  return on_device([](Context& context) {
    const Error refused = context.refuse_always();
    return refused == Error::success ? context.synchronize() : refused;
  });
}

HEDDLE_API Error cudaDeviceSetLimit(abi::Limit limit, std::size_t value) {
  return on_device_uncaptured([&](Context& context) { return context.set_limit(limit, value); });
}

HEDDLE_API Error cudaDeviceGetLimit(std::size_t* value, abi::Limit limit) {
  return on_device([&](Context& context) {
    if (value == nullptr) return Error::invalid_value;
    std::uint64_t found = 0;
    const Error error = context.limit(limit, found);
    if (error == Error::success) *value = found;
    return error;
  });
}

HEDDLE_API Error cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = kLeastPriority;
  if (greatest != nullptr) *greatest = kGreatestPriority;
  return Error::success;
}

HEDDLE_API Error cudaDeviceGetCacheConfig(int* config) {
  return answer(config, current_context().cache_preference.load());
}
HEDDLE_API Error cudaDeviceSetCacheConfig(int config) {
  return prefer(config, 3, &current_context().cache_preference);
}
HEDDLE_API Error cudaDeviceGetSharedMemConfig(int* config) { return answer(config, 1); }
HEDDLE_API Error cudaDeviceSetSharedMemConfig(int config) { return prefer(config, 2, nullptr); }
HEDDLE_API Error cudaCtxResetPersistingL2Cache() { return Error::success; }

HEDDLE_API Error cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return api([&] {
    if (!exists(device)) return Error::invalid_device;
    const std::string id = pci_bus_id(static_cast<unsigned>(device));
    if (text == nullptr || length <= static_cast<int>(id.size())) return Error::invalid_value;
    std::memcpy(text, id.c_str(), id.size() + 1);
    return Error::success;
  });
}

HEDDLE_API Error cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return api([&] {
    unsigned domain = 0, bus = 0, slot = 0;
    if (device == nullptr || text == nullptr) return Error::invalid_value;
    if (std::sscanf(text, "%x:%x:%x", &domain, &bus, &slot) != 3) return Error::invalid_value;
    const auto number = static_cast<int>(bus) - 1;
    if (domain != 0 || slot != 0 || !exists(number)) return Error::invalid_device;
    *device = number;
    return Error::success;
  });
}

HEDDLE_API Error cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return api([&] {
    return exists(peer) ? ask(device, can, [&](unsigned) { return int{device != peer}; })
                        : Error::invalid_device;
  });
}

HEDDLE_API Error cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  if (flags != 0) return api([] { return Error::invalid_value; });
  return on_peer(peer, Error::peer_access_unsupported,
                 [](Context& context, unsigned number) { return context.enable_peer(number); });
}

HEDDLE_API Error cudaDeviceFlushGPUDirectRDMAWrites(int, int) { return Error::success; }

// Atomics on the host's memory: none that both sides do.
HEDDLE_API Error cudaDeviceGetHostAtomicCapabilities(unsigned* capabilities, const int* operations,
                                                     unsigned count, int device) {
  return api([&] {
    if (!exists(device)) return Error::invalid_device;
    if (capabilities == nullptr || operations == nullptr) return Error::invalid_value;
    std::fill_n(capabilities, count, 0u);
    return Error::success;
  });
}
HEDDLE_API Error cudaDeviceGetP2PAtomicCapabilities(unsigned*, const int*, unsigned, int from,
                                                    int to) {
  return api([&] {
    return from != to && exists(from) && exists(to)
               ? not_supported("cudaDeviceGetP2PAtomicCapabilities")
               : Error::invalid_device;
  });
}

HEDDLE_API Error cudaDeviceDisablePeerAccess(int peer) {
  return on_peer(peer, Error::peer_access_not_enabled,
                 [](Context& context, unsigned number) { return context.disable_peer(number); });
}

}  // namespace heddle::runtime
