// libnvidia-ml.so.1: what monitoring tools and frameworks ask of the simulated GPUs without making
// a context. It stands on the runtime interface's functions.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <optional>

#include "gpu/runtime/driver_support.hpp"
#include "gpu/runtime/nvml/abi.hpp"
#include "gpu/runtime/nvml/refuse.hpp"
#include "gpu/runtime/runtime_api.hpp"

#define HEDDLE_NVML_API extern "C" __attribute__((visibility("default")))

namespace heddle::runtime::nvml {
namespace {

constexpr char kDriver[] = "580.65.06", kLibrary[] = "13.580.65.06";  // of CUDA 13.0
constexpr int kCudaVersion = 13000;
constexpr unsigned kMostGpus = 8;

std::atomic<int> initialized{0};  // how many times

Gpu* gpu_of(unsigned number) {
  static Gpu all[kMostGpus] = {{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}};
  return &all[number];
}

unsigned count() {
  int gpus = 0;
  cudaGetDeviceCount(&gpus);
  return static_cast<unsigned>(gpus);
}

// What a call answers that only needs the library.
template <typename Body>
Return ask(Body body) {
  return initialized > 0 ? body() : Return::uninitialized;
}

// … and one GPU.
template <typename Body>
Return ask_of(const Gpu* gpu, Body body) {
  return ask([&] {
    if (gpu == nullptr || gpu < gpu_of(0) || gpu >= gpu_of(0) + count())
      return Return::invalid_argument;
    return body(static_cast<int>(gpu->number));
  });
}

template <typename Value, typename Get>
Return tell(const Gpu* gpu, Value* to, Get value) {
  return ask_of(gpu, [&](int number) {
    if (to == nullptr) return Return::invalid_argument;
    *to = static_cast<Value>(value(number));
    return Return::success;
  });
}

Return put_text(const char* text, char* to, unsigned length) {
  if (to == nullptr) return Return::invalid_argument;
  if (std::strlen(text) >= length) return Return::insufficient_size;
  std::strcpy(to, text);
  return Return::success;
}

int attribute(int number, int gpu) {
  int value = 0;
  cudaDeviceGetAttribute(&value, number, gpu);
  return value;
}

abi::DeviceProp properties(int gpu) {
  abi::DeviceProp found;
  cudaGetDeviceProperties(&found, gpu);
  return found;
}

struct UuidText {
  char text[41];
};
UuidText uuid_text(int gpu) {
  const abi::Uuid uuid = properties(gpu).uuid;
  UuidText made{"GPU-"};
  char* to = made.text + 4;
  for (unsigned i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) *to++ = '-';
    to += std::snprintf(to, 3, "%02x", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return made;
}

// "0000:01:00.0": as CUDA gives it; NVML's own form has eight digits of the domain.
void pci_ids(int gpu, char (&legacy)[16], unsigned& domain, unsigned& bus, unsigned& device) {
  cudaDeviceGetPCIBusId(legacy, sizeof legacy, gpu);
  std::sscanf(legacy, "%x:%x:%x", &domain, &bus, &device);
}

Memory memory_of(int gpu) {
  static const DriverSupport* const support = [] {
    const void* found = nullptr;
    cudaGetExportTable(&found, &kDriverSupport);
    return static_cast<const DriverSupport*>(found);
  }();
  const unsigned long long total = properties(gpu).totalGlobalMem;
  const unsigned long long used = support->used_bytes(static_cast<unsigned>(gpu));
  return {total, total - used, used};
}

template <typename Matches>
Return find(Gpu** gpu, Return if_none, Matches matches) {
  return ask([&] {
    if (gpu == nullptr) return Return::invalid_argument;
    for (unsigned number = 0; number < count(); ++number)
      if (matches(static_cast<int>(number))) {
        *gpu = gpu_of(number);
        return Return::success;
      }
    return if_none;
  });
}

Return initialize() {
  ++initialized;
  return Return::success;
}

constexpr unsigned kNvidia = 0x10de;  // the vendor in a PCI device's number

}  // namespace

int refuse(const char*) noexcept {
  return static_cast<int>(initialized > 0 ? Return::not_supported : Return::uninitialized);
}

HEDDLE_NVML_API Return nvmlInit() { return initialize(); }
HEDDLE_NVML_API Return nvmlInit_v2() { return initialize(); }
HEDDLE_NVML_API Return nvmlInitWithFlags(unsigned) { return initialize(); }
HEDDLE_NVML_API Return nvmlShutdown() {
  return ask([] {
    --initialized;
    return Return::success;
  });
}

HEDDLE_NVML_API const char* nvmlErrorString(Return result) {
  static constexpr const char* kTexts[] = {
      "Success",
      "Uninitialized",
      "Invalid Argument",
      "Not Supported",
      "Insufficient Permissions",
      "Already Initialized",
      "Not Found",
      "Insufficient Size",
      "Insufficient External Power",
      "Driver Not Loaded",
      "Timeout",
      "Interrupt Request Issue",
      "NVML Shared Library Not Found",
      "Function Not Found",
      "Corrupted infoROM",
      "GPU is lost",
      "GPU requires restart",
      "The operating system has blocked the request.",
      "RM has detected an NVML/RM version mismatch.",
      "GPU is currently in use",
      "Insufficient Memory",
      "No Data",
  };
  const auto number = static_cast<std::size_t>(result);
  return number < sizeof kTexts / sizeof kTexts[0] ? kTexts[number] : "Unknown Error";
}

HEDDLE_NVML_API Return nvmlSystemGetDriverVersion(char* text, unsigned length) {
  return ask([&] { return put_text(kDriver, text, length); });
}
HEDDLE_NVML_API Return nvmlSystemGetNVMLVersion(char* text, unsigned length) {
  return ask([&] { return put_text(kLibrary, text, length); });
}
// These two can be asked without nvmlInit.
HEDDLE_NVML_API Return nvmlSystemGetCudaDriverVersion(int* version) {
  if (version == nullptr) return Return::invalid_argument;
  *version = kCudaVersion;
  return Return::success;
}
HEDDLE_NVML_API Return nvmlSystemGetCudaDriverVersion_v2(int* version) {
  return nvmlSystemGetCudaDriverVersion(version);
}

HEDDLE_NVML_API Return nvmlDeviceGetCount_v2(unsigned* gpus) {
  return ask([&] {
    if (gpus == nullptr) return Return::invalid_argument;
    *gpus = count();
    return Return::success;
  });
}
HEDDLE_NVML_API Return nvmlDeviceGetCount(unsigned* gpus) { return nvmlDeviceGetCount_v2(gpus); }

HEDDLE_NVML_API Return nvmlDeviceGetHandleByIndex_v2(unsigned index, Gpu** gpu) {
  return find(gpu, Return::invalid_argument,
              [&](int number) { return number == static_cast<int>(index); });
}
HEDDLE_NVML_API Return nvmlDeviceGetHandleByIndex(unsigned index, Gpu** gpu) {
  return nvmlDeviceGetHandleByIndex_v2(index, gpu);
}
HEDDLE_NVML_API Return nvmlDeviceGetHandleByUUID(const char* uuid, Gpu** gpu) {
  if (uuid == nullptr) return ask([] { return Return::invalid_argument; });
  return find(gpu, Return::not_found,
              [&](int number) { return std::strcmp(uuid_text(number).text, uuid) == 0; });
}
HEDDLE_NVML_API Return nvmlDeviceGetHandleByUUIDV(const Uuid* uuid, Gpu** gpu) {
  if (uuid == nullptr || (uuid->type != Uuid::kText && uuid->type != Uuid::kBytes))
    return ask([] { return Return::invalid_argument; });
  return find(gpu, Return::not_found, [&](int number) {
    if (uuid->type == Uuid::kText)
      return std::strncmp(uuid_text(number).text, uuid->text, sizeof uuid->text) == 0;
    return std::memcmp(properties(number).uuid.bytes, uuid->bytes, sizeof uuid->bytes) == 0;
  });
}
HEDDLE_NVML_API Return nvmlDeviceGetHandleByPciBusId_v2(const char* text, Gpu** gpu) {
  unsigned domain = 0, bus = 0, device = 0;
  if (text == nullptr) return ask([] { return Return::invalid_argument; });
  const bool has_domain = std::sscanf(text, "%x:%x:%x", &domain, &bus, &device) == 3;
  if (!has_domain && (domain = 0, std::sscanf(text, "%x:%x", &bus, &device)) != 2)
    return ask([] { return Return::not_found; });
  return find(gpu, Return::not_found, [&](int number) {
    char legacy[16];
    unsigned ids[3] = {};
    pci_ids(number, legacy, ids[0], ids[1], ids[2]);
    return ids[0] == domain && ids[1] == bus && ids[2] == device;
  });
}
HEDDLE_NVML_API Return nvmlDeviceGetHandleByPciBusId(const char* text, Gpu** gpu) {
  return nvmlDeviceGetHandleByPciBusId_v2(text, gpu);
}

HEDDLE_NVML_API Return nvmlDeviceGetName(const Gpu* gpu, char* text, unsigned length) {
  return ask_of(gpu, [&](int number) { return put_text(properties(number).name, text, length); });
}
HEDDLE_NVML_API Return nvmlDeviceGetUUID(const Gpu* gpu, char* text, unsigned length) {
  return ask_of(gpu, [&](int number) { return put_text(uuid_text(number).text, text, length); });
}
HEDDLE_NVML_API Return nvmlDeviceGetIndex(const Gpu* gpu, unsigned* index) {
  return tell(gpu, index, [](int number) { return number; });
}
HEDDLE_NVML_API Return nvmlDeviceGetMinorNumber(const Gpu* gpu, unsigned* minor) {
  return tell(gpu, minor, [](int number) { return number; });
}

HEDDLE_NVML_API Return nvmlDeviceGetMemoryInfo(const Gpu* gpu, Memory* memory) {
  return tell(gpu, memory, memory_of);
}
HEDDLE_NVML_API Return nvmlDeviceGetMemoryInfo_v2(const Gpu* gpu, Memory_v2* memory) {
  return ask_of(gpu, [&](int number) {
    if (memory == nullptr) return Return::invalid_argument;
    if (memory->version != kMemory_v2) return Return::argument_version_mismatch;
    const Memory found = memory_of(number);
    *memory = {kMemory_v2, found.total, 0, found.free, found.used};
    return Return::success;
  });
}

HEDDLE_NVML_API Return nvmlDeviceGetPciInfo_v2(const Gpu* gpu, PciInfo_v2* info) {
  return ask_of(gpu, [&](int number) {
    if (info == nullptr) return Return::invalid_argument;
    *info = {};
    info->pci_device_id = kNvidia;
    pci_ids(number, info->bus_id, info->domain, info->bus, info->device);
    return Return::success;
  });
}
HEDDLE_NVML_API Return nvmlDeviceGetPciInfo(const Gpu* gpu, PciInfo_v2* info) {
  return nvmlDeviceGetPciInfo_v2(gpu, info);
}
HEDDLE_NVML_API Return nvmlDeviceGetPciInfo_v3(const Gpu* gpu, PciInfo* info) {
  return ask_of(gpu, [&](int number) {
    if (info == nullptr) return Return::invalid_argument;
    *info = {};
    info->pci_device_id = kNvidia;
    pci_ids(number, info->legacy_bus_id, info->domain, info->bus, info->device);
    std::snprintf(info->bus_id, sizeof info->bus_id, "%08X:%02X:%02X.0", info->domain, info->bus,
                  info->device);
    return Return::success;
  });
}

HEDDLE_NVML_API Return nvmlDeviceGetCudaComputeCapability(const Gpu* gpu, int* major, int* minor) {
  return ask_of(gpu, [&](int number) {
    constexpr int kMajor = 75, kMinor = 76;
    if (major == nullptr || minor == nullptr) return Return::invalid_argument;
    *major = attribute(kMajor, number);
    *minor = attribute(kMinor, number);
    return Return::success;
  });
}
HEDDLE_NVML_API Return nvmlDeviceGetArchitecture(const Gpu* gpu, unsigned* architecture) {
  return tell(gpu, architecture, [](int number) {
    constexpr int kMajor = 75, kMinor = 76, kTuring = 6, kAmpere = 7, kAda = 8, kHopper = 9;
    const int major = attribute(kMajor, number), minor = attribute(kMinor, number);
    if (major == 7) return kTuring;
    if (major == 9) return kHopper;
    return minor == 9 ? kAda : kAmpere;
  });
}
HEDDLE_NVML_API Return nvmlDeviceGetBrand(const Gpu* gpu, int* brand) {
  return tell(gpu, brand, [](int) { return 14; });  // NVML_BRAND_NVIDIA
}
HEDDLE_NVML_API Return nvmlDeviceGetMemoryBusWidth(const Gpu* gpu, unsigned* bits) {
  return tell(gpu, bits, [](int number) { return attribute(37, number); });
}
HEDDLE_NVML_API Return nvmlDeviceGetMaxClockInfo(const Gpu* gpu, int type, unsigned* megahertz) {
  enum Type : int { kGraphics = 0, kSm = 1, kMemory = 2 };
  constexpr int kSmClock = 13, kMemoryClock = 36;
  if (type != kGraphics && type != kSm && type != kMemory)
    return ask_of(gpu, [](int) { return Return::not_supported; });
  return tell(gpu, megahertz, [&](int number) {
    return attribute(type == kMemory ? kMemoryClock : kSmClock, number) / 1000;
  });
}
HEDDLE_NVML_API Return nvmlDeviceGetEccMode(const Gpu* gpu, int* current, int* pending) {
  return ask_of(gpu, [&](int number) {
    constexpr int kEcc = 32;
    if (current == nullptr || pending == nullptr) return Return::invalid_argument;
    *current = *pending = attribute(kEcc, number);
    return Return::success;
  });
}
HEDDLE_NVML_API Return nvmlDeviceGetMultiGpuBoard(const Gpu* gpu, unsigned* is_one) {
  return tell(gpu, is_one, [](int) { return 0; });
}
HEDDLE_NVML_API Return nvmlDeviceOnSameBoard(const Gpu* one, const Gpu* other, int* same) {
  return ask_of(other, [&](int) { return tell(one, same, [&](int) { return one == other; }); });
}
HEDDLE_NVML_API Return nvmlDeviceGetComputeMode(const Gpu* gpu, int* mode) {
  return tell(gpu, mode, [](int) { return 0; });  // shared by all
}
HEDDLE_NVML_API Return nvmlDeviceGetPersistenceMode(const Gpu* gpu, int* mode) {
  return tell(gpu, mode, [](int) { return 0; });
}

// No GPU is divided into instances.
HEDDLE_NVML_API Return nvmlDeviceIsMigDeviceHandle(const Gpu* gpu, unsigned* is_one) {
  return tell(gpu, is_one, [](int) { return 0; });
}
HEDDLE_NVML_API Return nvmlDeviceGetMaxMigDeviceCount(const Gpu* gpu, unsigned* most) {
  return tell(gpu, most, [](int) { return 0; });
}
HEDDLE_NVML_API Return nvmlDeviceGetMigMode(const Gpu* gpu, unsigned* current, unsigned* pending) {
  return ask_of(gpu, [&](int) {
    if (current == nullptr || pending == nullptr) return Return::invalid_argument;
    *current = *pending = 0;
    return Return::success;
  });
}

// Each GPU reaches the others' memory, in every way that is asked for.
HEDDLE_NVML_API Return nvmlDeviceGetP2PStatus(const Gpu* one, const Gpu* other, int, int* status) {
  return ask_of(other, [&](int) { return tell(one, status, [](int) { return 0; }); });
}

}  // namespace heddle::runtime::nvml
