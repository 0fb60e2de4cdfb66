#include "gpu/launcher/driver.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "gpu/runtime/abi.hpp"

namespace heddle::launcher {
namespace {

namespace abi = runtime::abi;

using Status = int;                // CUresult
using Address = std::uint64_t;     // CUdeviceptr
constexpr Status kNotFound = 500;  // CUDA_ERROR_NOT_FOUND

// CUmemAllocationProp and CUmemAccessDesc of cuda.h.
struct Properties {
  int type = 1, handle_types = 0;   // pinned; no other process has it
  abi::MemLocation location{1, 0};  // the first device
  void* security = nullptr;
  std::array<unsigned char, 8> flags{};
};
constexpr int kReadWrite = 3;

// CUlaunchConfig.
struct LaunchConfig {
  abi::Dim3 grid, block;
  unsigned shared_bytes = 0;
  Handle stream = nullptr;
  abi::LaunchAttribute* attributes = nullptr;
  unsigned attribute_count = 0;
};

// CU_LAUNCH_PARAM_BUFFER_POINTER, CU_LAUNCH_PARAM_BUFFER_SIZE, CU_LAUNCH_PARAM_END.
void* const kBufferPointer = reinterpret_cast<void*>(1);
void* const kBufferSize = reinterpret_cast<void*>(2);
constexpr int kStackLimit = 0;                            // CU_LIMIT_STACK_SIZE
constexpr int kMostSharedBytes = 8, kLargeClusters = 14;  // of CUfunction_attribute
constexpr unsigned kPortableCluster = 8;                  // blocks

abi::Dim3 dim(const simulator::Dim3& given) { return {given.x, given.y, given.z}; }

}  // namespace

struct Driver::Calls {
  Calls() : library(dlopen("libcuda.so.1", RTLD_NOW)) {
    if (library == nullptr)
      throw std::runtime_error(fmt::format("there is no GPU driver to launch with: {}", dlerror()));
  }

  template <typename... Parameters>
  void operator()(const char* name, Parameters... parameters) {
    check(name, status(name, parameters...));
  }
  template <typename... Parameters>
  Status status(const char* name, Parameters... parameters) {
    void* const found = dlsym(library, name);
    if (found == nullptr)
      throw std::runtime_error(fmt::format("the driver has no function {}", name));
    return reinterpret_cast<Status (*)(Parameters...)>(found)(parameters...);
  }
  void check(const char* name, Status result) {
    if (result == 0) return;
    const char* text = nullptr;
    if (status("cuGetErrorName", result, &text) != 0 || text == nullptr) text = "an unknown error";
    throw std::runtime_error(fmt::format("{}: {} ({})", name, text, result));
  }

  void* library;
  int device = 0;
  Handle context = nullptr;
};

Driver::Driver() : calls_(std::make_unique<Calls>()) {
  Calls& call = *calls_;
  call("cuInit", 0u);
  call("cuDeviceGet", &call.device, 0);
  call("cuDevicePrimaryCtxRetain", &call.context, call.device);
  call("cuCtxSetCurrent", call.context);
}

Driver::~Driver() = default;  // the context ends with the process

std::string Driver::device_name() const {
  constexpr int kMost = 256;
  std::array<char, kMost> name{};
  (*calls_)("cuDeviceGetName", name.data(), kMost, calls_->device);
  return name.data();
}

void Driver::set_stack_bytes(std::uint64_t bytes) {
  (*calls_)("cuCtxSetLimit", kStackLimit, static_cast<std::size_t>(bytes));
}

void Driver::reserve(std::uint64_t address, std::uint64_t bytes) {
  Address given = 0;
  (*calls_)("cuMemAddressReserve", &given, std::size_t{bytes}, std::size_t{0}, Address{address},
            0ull);
  if (given != address)
    throw std::runtime_error(
        fmt::format("the driver cannot map memory at {:#x}, where the capsule has it", address));
}

void Driver::map(std::uint64_t address, std::uint64_t bytes) {
  Calls& call = *calls_;
  const std::size_t size = bytes, offset = 0;
  const unsigned long long no_flags = 0;
  const Properties properties;
  unsigned long long memory = 0;
  call("cuMemCreate", &memory, size, &properties, no_flags);
  call("cuMemMap", Address{address}, size, offset, memory, no_flags);
  const abi::MemAccessDesc access{properties.location, kReadWrite};
  call("cuMemSetAccess", Address{address}, size, &access, std::size_t{1});
}

void Driver::clear(std::uint64_t address, std::uint64_t bytes) {
  const unsigned char zero = 0;
  (*calls_)("cuMemsetD8_v2", Address{address}, zero, std::size_t{bytes});
}

void Driver::write(std::uint64_t address, std::span<const std::byte> bytes) {
  (*calls_)("cuMemcpyHtoD_v2", Address{address}, static_cast<const void*>(bytes.data()),
            bytes.size());
}

void Driver::read(std::uint64_t address, std::span<std::byte> bytes) {
  (*calls_)("cuMemcpyDtoH_v2", static_cast<void*>(bytes.data()), Address{address}, bytes.size());
}

Handle Driver::load(std::span<const std::byte> cubin) {
  Handle module = nullptr;
  (*calls_)("cuModuleLoadData", &module, static_cast<const void*>(cubin.data()));
  return module;
}

void Driver::unload(Handle module) { (*calls_)("cuModuleUnload", module); }

Handle Driver::function(Handle module, const std::string& name) {
  Handle found = nullptr;
  (*calls_)("cuModuleGetFunction", &found, module, name.c_str());
  return found;
}

std::uint64_t Driver::variable(Handle module, const std::string& name) {
  Address address = 0;
  std::size_t bytes = 0;
  const Status result =
      calls_->status("cuModuleGetGlobal_v2", &address, &bytes, module, name.c_str());
  if (result == kNotFound) return 0;
  calls_->check("cuModuleGetGlobal", result);
  return address;
}

void Driver::launch(const GpuLaunch& launch) {
  Calls& call = *calls_;
  if (launch.dynamic_shared_bytes != 0)
    call("cuFuncSetAttribute", launch.function, kMostSharedBytes,
         static_cast<int>(launch.dynamic_shared_bytes));
  std::array<abi::LaunchAttribute, 3> attributes{};
  unsigned count = 0;
  if (launch.cooperative) {
    attributes[count].id = abi::kLaunchAttributeCooperative;
    attributes[count++].value.cooperative = 1;
  }
  if (launch.cluster.count() > 1) {
    if (launch.cluster.count() > kPortableCluster)
      call("cuFuncSetAttribute", launch.function, kLargeClusters, 1);
    attributes[count].id = abi::kLaunchAttributeClusterDimension;
    attributes[count++].value.clusterDim = dim(launch.cluster);
  }
  if (launch.preferred_carveout) {
    attributes[count].id = abi::kLaunchAttributeCarveout;
    attributes[count++].value.carveout = *launch.preferred_carveout;
  }
  const LaunchConfig config{dim(launch.grid), dim(launch.block), launch.dynamic_shared_bytes,
                            nullptr,          attributes.data(), count};
  std::size_t bytes = launch.parameters.size();
  void* extra[] = {kBufferPointer, const_cast<std::byte*>(launch.parameters.data()), kBufferSize,
                   &bytes, nullptr};
  void** const none = nullptr;
  call("cuLaunchKernelEx", &config, launch.function, none, bytes == 0 ? none : extra);
  call("cuCtxSynchronize");
}

}  // namespace heddle::launcher
