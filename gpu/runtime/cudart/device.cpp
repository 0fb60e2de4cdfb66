// Devices: there is one, the GPU model the run was started for.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "gpu/runtime/cudart/api.hpp"
#include "gpu/runtime/device_properties.hpp"

namespace heddle::runtime {

namespace {

constexpr int kDevices = 1;
constexpr int kLeastPriority = 0, kGreatestPriority = -5;  // as on every GPU since sm_70

std::atomic<unsigned> device_flags{0};

bool exists(int device) { return device >= 0 && device < kDevices; }

// Sets *out when there is such a device.
template <typename Value>
Error answer(int device, Value* out, Value value) {
  return api([&] {
    if (out == nullptr) return Error::invalid_value;
    if (!exists(device)) return Error::invalid_device;
    *out = value;
    return Error::success;
  });
}

// Preferences that change nothing a functional run can see; they are told when asked.
std::atomic<int> cache_config{0};
Error prefer(int config, int most, std::atomic<int>* kept) {
  return api([&] {
    if (config < 0 || config > most) return Error::invalid_value;
    if (kept != nullptr) *kept = config;
    return Error::success;
  });
}

}  // namespace

HEDDLE_API Error cudaGetDeviceCount(int* count) { return answer(0, count, kDevices); }

HEDDLE_API Error cudaGetDevice(int* device) { return answer(0, device, 0); }

HEDDLE_API Error cudaSetDevice(int device) {
  return api([&] {
    if (!exists(device)) return Error::invalid_device;
    Runtime& runtime = Runtime::instance();
    if (runtime.context()) return Error::success;  // made here, as with CUDA
    return runtime.has_context() ? Error::initialization_error : Error::cudart_unloading;
  });
}

HEDDLE_API Error cudaInitDevice(int device, unsigned, unsigned) { return cudaSetDevice(device); }

HEDDLE_API Error cudaSetValidDevices(int* devices, int length) {
  return api([&] {
    if (length < 0 || (length > 0 && devices == nullptr)) return Error::invalid_value;
    for (int i = 0; i < length; ++i)
      if (!exists(devices[i])) return Error::invalid_device;
    return Error::success;
  });
}

HEDDLE_API Error cudaChooseDevice(int* device, const abi::DeviceProp*) {
  return answer(0, device, 0);
}

HEDDLE_API Error cudaSetDeviceFlags(unsigned flags) {
  return api([&] {
    constexpr unsigned kKnown = 0xff, kScheduling = 7, kNotKept = 0x60;
    const unsigned scheduling = flags & kScheduling;  // none, or one way of waiting
    if ((flags & ~kKnown) != 0 || (scheduling & (scheduling - 1)) != 0) return Error::invalid_value;
    device_flags = flags & ~kNotKept;
    return Error::success;
  });
}

HEDDLE_API Error cudaGetDeviceFlags(unsigned* flags) {
  constexpr unsigned kMapHost = 8;  // always possible, and reported so
  return answer(0, flags, device_flags.load() | kMapHost);
}

HEDDLE_API Error cudaGetDeviceProperties(abi::DeviceProp* properties, int device) {
  return answer(device, properties, device_properties(Runtime::instance().model()));
}

HEDDLE_API Error cudaDeviceGetAttribute(int* value, int attribute, int device) {
  return api([&] {
    const auto found = device_attribute(Runtime::instance().model(), attribute);
    return found ? answer(device, value, *found) : Error::invalid_value;
  });
}

HEDDLE_API Error cudaDeviceReset() {
  return api([] {
    Runtime& runtime = Runtime::instance();
    if (runtime.has_context())
      if (const auto context = runtime.context(); context && context->inside_action())
        return Error::not_permitted;
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
  return answer(0, config, cache_config.load());
}
HEDDLE_API Error cudaDeviceSetCacheConfig(int config) { return prefer(config, 3, &cache_config); }
HEDDLE_API Error cudaDeviceGetSharedMemConfig(int* config) { return answer(0, config, 1); }
HEDDLE_API Error cudaDeviceSetSharedMemConfig(int config) { return prefer(config, 2, nullptr); }
HEDDLE_API Error cudaCtxResetPersistingL2Cache() { return Error::success; }

HEDDLE_API Error cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return api([&] {
    constexpr char kBusId[] = "0000:01:00.0";
    if (!exists(device)) return Error::invalid_device;
    if (text == nullptr || length < static_cast<int>(sizeof kBusId)) return Error::invalid_value;
    std::memcpy(text, kBusId, sizeof kBusId);
    return Error::success;
  });
}

HEDDLE_API Error cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return api([&] {
    unsigned domain = 0, bus = 0, slot = 0;
    if (device == nullptr || text == nullptr) return Error::invalid_value;
    if (std::sscanf(text, "%x:%x:%x", &domain, &bus, &slot) != 3) return Error::invalid_value;
    if (domain != 0 || bus != 1 || slot != 0) return Error::invalid_device;
    *device = 0;
    return Error::success;
  });
}

HEDDLE_API Error cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return api([&] { return exists(peer) ? answer(device, can, 0) : Error::invalid_device; });
}

HEDDLE_API Error cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return api([&] {
    if (flags != 0) return Error::invalid_value;
    // A device is no peer of itself.
    return exists(peer) ? Error::peer_access_unsupported : Error::invalid_device;
  });
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
HEDDLE_API Error cudaDeviceGetP2PAtomicCapabilities(unsigned*, const int*, unsigned, int, int) {
  return api([] { return Error::invalid_device; });
}

HEDDLE_API Error cudaDeviceDisablePeerAccess(int peer) {
  return api([&] { return exists(peer) ? Error::peer_access_not_enabled : Error::invalid_device; });
}

}  // namespace heddle::runtime
