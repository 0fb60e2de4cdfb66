// What of NVML crosses the boundary: numbers and structures as NVIDIA's documentation of its
// management library gives them, and nvidia-ml-py, which is public.
#pragma once

#include <cstdint>

namespace heddle::runtime::nvml {

enum class Return : int {
  success = 0,
  uninitialized = 1,
  invalid_argument = 2,
  not_supported = 3,
  no_permission = 4,
  already_initialized = 5,
  not_found = 6,
  insufficient_size = 7,
  insufficient_power = 8,
  driver_not_loaded = 9,
  timeout = 10,
  irq_issue = 11,
  library_not_found = 12,
  function_not_found = 13,
  corrupted_inforom = 14,
  gpu_is_lost = 15,
  reset_required = 16,
  operating_system = 17,
  version_mismatch = 18,
  in_use = 19,
  memory = 20,
  no_data = 21,
  argument_version_mismatch = 25,
  unknown = 999,
};

// A GPU, by the address of one of these.
struct Gpu {
  unsigned number = 0;
};

struct Memory {
  unsigned long long total, free, used;
};

struct Memory_v2 {
  unsigned version;
  unsigned long long total, reserved, free, used;
};
inline constexpr unsigned kMemory_v2 = sizeof(Memory_v2) | 2u << 24;

struct PciInfo_v2 {
  char bus_id[16];
  unsigned domain, bus, device, pci_device_id, pci_subsystem_id, reserved[4];
};

struct PciInfo {
  char legacy_bus_id[16];
  unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
  char bus_id[32];
};

// By its text ("GPU-…", 41 bytes with the end) or its 16 bytes.
struct Uuid {
  enum Type : unsigned { kText = 1, kBytes = 2 };
  unsigned version, type;
  union {
    char text[41];
    unsigned char bytes[16];
  };
};

}  // namespace heddle::runtime::nvml
