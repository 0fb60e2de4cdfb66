#include "gpu/runtime/device_properties.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "isa/arch.hpp"

namespace heddle::runtime {
namespace {

using simulator::GpuModel;

bool has_ecc(const GpuModel& m) { return isa::traits(m.arch).has_ecc; }

int fp64_ratio(isa::Arch arch) { return isa::traits(arch).float_per_double; }

// What may be set aside for persisting accesses: five eighths of the L2 on an A100 and an H100.
std::uint32_t persisting_l2_bytes(const GpuModel& m) {
  return isa::traits(m.arch).has_persisting_l2 ? m.l2_bytes / 8 * 5 : 0;
}

struct Attribute {
  int number;
  int (*value)(const GpuModel&);
};

constexpr std::array kAttributes{
#define HEDDLE_ATTRIBUTE(number, name, expression) \
  Attribute{number,                                \
            []([[maybe_unused]] const GpuModel& m) { return static_cast<int>(expression); }},
#include "gpu/runtime/device_attributes.inc"
#undef HEDDLE_ATTRIBUTE
    // Of cuda.h: gathers, virtual memory, handles of other systems, compression, decompression.
    Attribute{44, [](const GpuModel&) { return 1; }},
    Attribute{102, [](const GpuModel&) { return 1; }},
    Attribute{103, [](const GpuModel&) { return 1; }},
    Attribute{104, [](const GpuModel&) { return 0; }},
    Attribute{105, [](const GpuModel&) { return 0; }},
    Attribute{107, [](const GpuModel&) { return 1; }},
    Attribute{110, [](const GpuModel&) { return 0; }},
    Attribute{136, [](const GpuModel&) { return 0; }},
    Attribute{137, [](const GpuModel&) { return 0; }},
    Attribute{146, [](const GpuModel&) { return 0; }},
};

constexpr auto kNumbers = [] {
  std::array<int, kAttributes.size()> numbers{};
  std::ranges::transform(kAttributes, numbers.begin(), &Attribute::number);
  std::ranges::sort(numbers);
  return numbers;
}();

// Fields of the properties that are attributes too, by the attribute's number.
struct IntField {
  std::size_t offset;
  int attribute;
};
#define HEDDLE_FIELD(field, attribute) \
  IntField { offsetof(abi::DeviceProp, field), attribute }
constexpr std::array kIntFields{
    HEDDLE_FIELD(maxThreadsPerBlock, 1),
    HEDDLE_FIELD(maxThreadsDim[0], 2),
    HEDDLE_FIELD(maxThreadsDim[1], 3),
    HEDDLE_FIELD(maxThreadsDim[2], 4),
    HEDDLE_FIELD(maxGridSize[0], 5),
    HEDDLE_FIELD(maxGridSize[1], 6),
    HEDDLE_FIELD(maxGridSize[2], 7),
    HEDDLE_FIELD(warpSize, 10),
    HEDDLE_FIELD(regsPerBlock, 12),
    HEDDLE_FIELD(multiProcessorCount, 16),
    HEDDLE_FIELD(integrated, 18),
    HEDDLE_FIELD(canMapHostMemory, 19),
    HEDDLE_FIELD(maxTexture1D, 21),
    HEDDLE_FIELD(maxTexture2D[0], 22),
    HEDDLE_FIELD(maxTexture2D[1], 23),
    HEDDLE_FIELD(maxTexture3D[0], 24),
    HEDDLE_FIELD(maxTexture3D[1], 25),
    HEDDLE_FIELD(maxTexture3D[2], 26),
    HEDDLE_FIELD(maxTexture2DLayered[0], 27),
    HEDDLE_FIELD(maxTexture2DLayered[1], 28),
    HEDDLE_FIELD(maxTexture2DLayered[2], 29),
    HEDDLE_FIELD(concurrentKernels, 31),
    HEDDLE_FIELD(ECCEnabled, 32),
    HEDDLE_FIELD(pciBusID, 33),
    HEDDLE_FIELD(pciDeviceID, 34),
    HEDDLE_FIELD(tccDriver, 35),
    HEDDLE_FIELD(memoryBusWidth, 37),
    HEDDLE_FIELD(l2CacheSize, 38),
    HEDDLE_FIELD(maxThreadsPerMultiProcessor, 39),
    HEDDLE_FIELD(asyncEngineCount, 40),
    HEDDLE_FIELD(unifiedAddressing, 41),
    HEDDLE_FIELD(maxTexture1DLayered[0], 42),
    HEDDLE_FIELD(maxTexture1DLayered[1], 43),
    HEDDLE_FIELD(maxTexture2DGather[0], 45),
    HEDDLE_FIELD(maxTexture2DGather[1], 46),
    HEDDLE_FIELD(maxTexture3DAlt[0], 47),
    HEDDLE_FIELD(maxTexture3DAlt[1], 48),
    HEDDLE_FIELD(maxTexture3DAlt[2], 49),
    HEDDLE_FIELD(pciDomainID, 50),
    HEDDLE_FIELD(maxTextureCubemap, 52),
    HEDDLE_FIELD(maxTextureCubemapLayered[0], 53),
    HEDDLE_FIELD(maxTextureCubemapLayered[1], 54),
    HEDDLE_FIELD(maxSurface1D, 55),
    HEDDLE_FIELD(maxSurface2D[0], 56),
    HEDDLE_FIELD(maxSurface2D[1], 57),
    HEDDLE_FIELD(maxSurface3D[0], 58),
    HEDDLE_FIELD(maxSurface3D[1], 59),
    HEDDLE_FIELD(maxSurface3D[2], 60),
    HEDDLE_FIELD(maxSurface1DLayered[0], 61),
    HEDDLE_FIELD(maxSurface1DLayered[1], 62),
    HEDDLE_FIELD(maxSurface2DLayered[0], 63),
    HEDDLE_FIELD(maxSurface2DLayered[1], 64),
    HEDDLE_FIELD(maxSurface2DLayered[2], 65),
    HEDDLE_FIELD(maxSurfaceCubemap, 66),
    HEDDLE_FIELD(maxSurfaceCubemapLayered[0], 67),
    HEDDLE_FIELD(maxSurfaceCubemapLayered[1], 68),
    HEDDLE_FIELD(maxTexture2DLinear[0], 70),
    HEDDLE_FIELD(maxTexture2DLinear[1], 71),
    HEDDLE_FIELD(maxTexture2DLinear[2], 72),
    HEDDLE_FIELD(maxTexture2DMipmap[0], 73),
    HEDDLE_FIELD(maxTexture2DMipmap[1], 74),
    HEDDLE_FIELD(major, 75),
    HEDDLE_FIELD(minor, 76),
    HEDDLE_FIELD(maxTexture1DMipmap, 77),
    HEDDLE_FIELD(streamPrioritiesSupported, 78),
    HEDDLE_FIELD(globalL1CacheSupported, 79),
    HEDDLE_FIELD(localL1CacheSupported, 80),
    HEDDLE_FIELD(regsPerMultiprocessor, 82),
    HEDDLE_FIELD(managedMemory, 83),
    HEDDLE_FIELD(isMultiGpuBoard, 84),
    HEDDLE_FIELD(multiGpuBoardGroupID, 85),
    HEDDLE_FIELD(hostNativeAtomicSupported, 86),
    HEDDLE_FIELD(pageableMemoryAccess, 88),
    HEDDLE_FIELD(concurrentManagedAccess, 89),
    HEDDLE_FIELD(computePreemptionSupported, 90),
    HEDDLE_FIELD(canUseHostPointerForRegisteredMem, 91),
    HEDDLE_FIELD(cooperativeLaunch, 95),
    HEDDLE_FIELD(hostRegisterSupported, 99),
    HEDDLE_FIELD(pageableMemoryAccessUsesHostPageTables, 100),
    HEDDLE_FIELD(directManagedMemAccessFromHost, 101),
    HEDDLE_FIELD(maxBlocksPerMultiProcessor, 106),
    HEDDLE_FIELD(persistingL2CacheMaxSize, 108),
    HEDDLE_FIELD(accessPolicyMaxWindowSize, 109),
    HEDDLE_FIELD(sparseCudaArraySupported, 112),
    HEDDLE_FIELD(hostRegisterReadOnlySupported, 113),
    HEDDLE_FIELD(timelineSemaphoreInteropSupported, 114),
    HEDDLE_FIELD(memoryPoolsSupported, 115),
    HEDDLE_FIELD(gpuDirectRDMASupported, 116),
    HEDDLE_FIELD(gpuDirectRDMAWritesOrdering, 118),
    HEDDLE_FIELD(clusterLaunch, 120),
    HEDDLE_FIELD(deferredMappingCudaArraySupported, 121),
    HEDDLE_FIELD(ipcEventSupported, 125),
    HEDDLE_FIELD(deviceNumaConfig, 130),
    HEDDLE_FIELD(deviceNumaId, 131),
    HEDDLE_FIELD(mpsEnabled, 133),
    HEDDLE_FIELD(hostNumaId, 134),
    HEDDLE_FIELD(hostNumaMultinodeIpcSupported, 143),
};
#undef HEDDLE_FIELD

}  // namespace

std::optional<int> device_attribute(const GpuModel& model, int attribute, unsigned gpu) {
  constexpr int kPciBus = 33, kBoardGroup = 85;  // each GPU has a slot, and a board, of its own
  const auto row = std::ranges::find(kAttributes, attribute, &Attribute::number);
  if (row == kAttributes.end()) return std::nullopt;
  const bool counts = attribute == kPciBus || attribute == kBoardGroup;
  return row->value(model) + (counts ? static_cast<int>(gpu) : 0);
}

std::string pci_bus_id(unsigned gpu) { return fmt::format("0000:{:02x}:00.0", gpu + 1); }

std::span<const int> device_attributes() { return kNumbers; }

abi::DeviceProp device_properties(const GpuModel& model, unsigned gpu) {
  abi::DeviceProp prop{};
  model.name.copy(prop.name, sizeof prop.name - 1);
  // A fixed identifier per model and GPU, so that output does not differ from run to run.
  std::string("heddle ").append(model.id).copy(prop.uuid.bytes, sizeof prop.uuid.bytes - 1);
  prop.uuid.bytes[sizeof prop.uuid.bytes - 1] = static_cast<char>(gpu);
  prop.luidDeviceNodeMask = 0;
  prop.totalGlobalMem = model.memory_bytes;
  prop.sharedMemPerBlock = model.shared_bytes_per_block;
  prop.memPitch = 2147483647;
  prop.totalConstMem = 65536;
  prop.textureAlignment = 512;
  prop.texturePitchAlignment = 32;
  prop.surfaceAlignment = 512;
  prop.sharedMemPerMultiprocessor = model.shared_bytes_per_sm;
  prop.sharedMemPerBlockOptin = model.shared_bytes_per_block_optin;
  prop.reservedSharedMemPerBlock = model.shared_bytes_reserved;
  prop.unifiedFunctionPointers = 1;
  for (const IntField& field : kIntFields) {
    const int value = device_attribute(model, field.attribute, gpu).value();
    std::memcpy(reinterpret_cast<std::byte*>(&prop) + field.offset, &value, sizeof value);
  }
  return prop;
}

}  // namespace heddle::runtime
