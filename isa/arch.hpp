// The GPU architectures whose machine code this project reads, and what they do differently: one
// table, a row each.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace heddle::isa {

// To add one, add its name here, and build: what has to be decided about it does not compile.
#define HEDDLE_ARCHS(X) X(75) X(80) X(86) X(89) X(90) X(100) X(103) X(110) X(120) X(121)

enum class Arch : std::uint8_t {
#define HEDDLE_ARCH(number) sm_##number,
  HEDDLE_ARCHS(HEDDLE_ARCH)
#undef HEDDLE_ARCH
};

inline constexpr std::array kAllArchs{
#define HEDDLE_ARCH(number) Arch::sm_##number,
    HEDDLE_ARCHS(HEDDLE_ARCH)
#undef HEDDLE_ARCH
};

// The one that kernel sketches (docs/sketches.md) are compiled for.
inline constexpr Arch kSketchArch = Arch::sm_90;

// A value that a row must give: one without it does not compile.
template <class T>
struct Given {
  T value;
  template <class Value>
  requires std::convertible_to<const Value&, T>
  constexpr Given(const Value& given) : value(given) {}  // NOLINT(google-explicit-constructor)
  constexpr operator T() const { return value; }         // NOLINT(google-explicit-constructor)
};

// Where the driver puts things in constant bank 0, in bytes, as nvcc 13.0's code reads them
// (docs/hardware/cubins.md).
struct Bank0Layout {
  Given<std::uint32_t> block;              // its dimensions
  Given<std::uint32_t> grid;               // its dimensions in blocks
  Given<std::uint32_t> shared_window;      // 0: code reads it elsewhere
  Given<std::uint32_t> local_window;       // its address
  Given<std::uint32_t> stack_pointer;      // the initial one
  Given<std::uint32_t> dynamic_shared;     // bytes of shared memory that the launch asks for
  Given<std::uint32_t> parameters;         // the first kernel parameter
  Given<std::uint32_t> parameter_window;   // the address of that; 0: none
  Given<std::uint32_t> memory_descriptor;  // 8 bytes, of global memory; 0: none
  Given<std::uint32_t> constant_bank3;     // what -G code adds to the place of a constant variable
  Given<std::uint32_t> grid_barrier;       // the high word of its address, then the low one
};

// What bank 0 has besides where there are clusters.
struct ClusterLayout {
  std::uint32_t shared_base, shared_limit;
  std::uint32_t comes_in_clusters;
  std::uint32_t shape, reciprocals, clusters;  // three words each
  std::uint32_t blocks;                        // of a cluster
};
inline constexpr ClusterLayout kNoClusters{};

struct ArchTraits {
  Given<int> number;  // NN of -arch=sm_NN
  Given<std::string_view> name;
  Bank0Layout bank0;
  Given<ClusterLayout> cluster_layout;
  Given<std::uint32_t> reserved_shared_bytes;  // of a block's, which the system keeps
  // Blocks that run together and reach each other's shared memory, barriers in shared memory that
  // count arrivals and bytes, and the instructions for them.
  Given<bool> has_clusters;
  Given<std::uint32_t> exclusive_warpsync;  // Mod::warpsync_mode of .EXCLUSIVE
  Given<std::uint32_t> popc_inc;            // Mod::atom_op of ATOMS.POPC.INC
  Given<bool> narrowing_says_saturation;    // I2IP: Mod::sat is 1 where it saturates
  Given<bool> lepc_adds_displacement;  // LEPC: from the next instruction on; else its own place
  Given<bool> branch_has_mask;         // BRA.DIV, BRA.CONV; else they mean the whole warp
  Given<bool> prints_zero_register_as_u32;  // [RZ.U32+UR4]; else [UR4]
  // Tensor cores: products of halves are summed as many at a time as an instruction has, with 25
  // bits kept; else by groups, with 24 (docs/hardware/arithmetic.md).
  Given<bool> sums_whole_products;
  Given<bool> fp64_is_fixed;      // FP64 results come after a fixed time; else by a scoreboard
  Given<unsigned> guard_latency;  // cycles from a comparison to a guard (checks/hazard_latencies)
  Given<std::span<const std::uint16_t>> shared_kib;  // what shared memory gets of L1's
  Given<int> float_per_double;  // FP32 over FP64 lanes of an SM (CUDA programming guide)
  Given<bool> has_ecc;          // of its usual GPUs: HBM and data-centre parts, not GeForce ones
  Given<bool> has_persisting_l2;
  // How many blocks fit follows the carveout that a kernel prefers, as the runtime tells it.
  Given<bool> occupancy_follows_carveout;
};

// CUDA C++ Programming Guide, compute capabilities.
inline constexpr std::uint16_t kSharedKib75[] = {32, 64};
inline constexpr std::uint16_t kSharedKib80[] = {0, 8, 16, 32, 64, 100, 132, 164};
inline constexpr std::uint16_t kSharedKib86[] = {0, 8, 16, 32, 64, 100};
inline constexpr std::uint16_t kSharedKib90[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};

// Up to sm_90 the launch's own values are in front.
constexpr Bank0Layout launch_in_front(std::uint32_t parameters, std::uint32_t parameter_window,
                                      std::uint32_t memory_descriptor, std::uint32_t constant_bank3,
                                      std::uint32_t grid_barrier) {
  return {.block = 0x00,
          .grid = 0x0c,
          .shared_window = 0x18,
          .local_window = 0x20,
          .stack_pointer = 0x28,
          .dynamic_shared = 0x2c,
          .parameters = parameters,
          .parameter_window = parameter_window,
          .memory_descriptor = memory_descriptor,
          .constant_bank3 = constant_bank3,
          .grid_barrier = grid_barrier};
}
inline constexpr Bank0Layout kBank0Of75 = launch_in_front(0x160, 0, 0, 0x50, 0x8c);
inline constexpr Bank0Layout kBank0Of80 = launch_in_front(0x160, 0, 0x118, 0x50, 0x8c);

inline constexpr ArchTraits kSm75Traits{
    .number = 75,
    .name = "sm_75",
    .bank0 = kBank0Of75,
    .cluster_layout = kNoClusters,
    .reserved_shared_bytes = 0,
    .has_clusters = false,
    .exclusive_warpsync = 2,
    .popc_inc = 10,
    .narrowing_says_saturation = false,
    .lepc_adds_displacement = false,
    .branch_has_mask = false,
    .prints_zero_register_as_u32 = false,
    .sums_whole_products = false,
    .fp64_is_fixed = false,
    .guard_latency = 12,
    .shared_kib = kSharedKib75,
    .float_per_double = 32,
    .has_ecc = true,
    .has_persisting_l2 = false,
    .occupancy_follows_carveout = false,
};
inline constexpr ArchTraits kSm80Traits{
    .number = 80,
    .name = "sm_80",
    .bank0 = kBank0Of80,
    .cluster_layout = kNoClusters,
    .reserved_shared_bytes = 0,
    .has_clusters = false,
    .exclusive_warpsync = 2,
    .popc_inc = 10,
    .narrowing_says_saturation = false,
    .lepc_adds_displacement = false,
    .branch_has_mask = true,
    .prints_zero_register_as_u32 = false,
    .sums_whole_products = false,
    .fp64_is_fixed = false,
    .guard_latency = 13,
    .shared_kib = kSharedKib80,
    .float_per_double = 2,
    .has_ecc = true,
    .has_persisting_l2 = true,
    .occupancy_follows_carveout = false,
};
inline constexpr ArchTraits kSm86Traits{
    .number = 86,
    .name = "sm_86",
    .bank0 = kBank0Of80,
    .cluster_layout = kNoClusters,
    .reserved_shared_bytes = 0,
    .has_clusters = false,
    .exclusive_warpsync = 2,
    .popc_inc = 10,
    .narrowing_says_saturation = false,
    .lepc_adds_displacement = false,
    .branch_has_mask = true,
    .prints_zero_register_as_u32 = false,
    .sums_whole_products = false,
    .fp64_is_fixed = false,
    .guard_latency = 13,
    .shared_kib = kSharedKib86,
    .float_per_double = 64,
    .has_ecc = false,
    .has_persisting_l2 = true,
    .occupancy_follows_carveout = false,
};
inline constexpr ArchTraits kSm89Traits{
    .number = 89,
    .name = "sm_89",
    .bank0 = kBank0Of80,
    .cluster_layout = kNoClusters,
    .reserved_shared_bytes = 0,
    .has_clusters = false,
    .exclusive_warpsync = 2,
    .popc_inc = 10,
    .narrowing_says_saturation = false,
    .lepc_adds_displacement = false,
    .branch_has_mask = true,
    .prints_zero_register_as_u32 = false,
    .sums_whole_products = false,
    .fp64_is_fixed = false,
    .guard_latency = 13,
    .shared_kib = kSharedKib86,
    .float_per_double = 64,
    .has_ecc = false,
    .has_persisting_l2 = true,
    .occupancy_follows_carveout = false,
};
inline constexpr ClusterLayout kClustersOf90{.shared_base = 0x114,
                                             .shared_limit = 0x13c,
                                             .comes_in_clusters = 0x140,
                                             .shape = 0x144,
                                             .reciprocals = 0x150,
                                             .clusters = 0x15c,
                                             .blocks = 0x188};
inline constexpr ArchTraits kSm90Traits{
    .number = 90,
    .name = "sm_90",
    .bank0 = launch_in_front(0x210, 0x198, 0x208, 0xd0, 0x44),
    .cluster_layout = kClustersOf90,
    .reserved_shared_bytes = 0x400,
    .has_clusters = true,
    .exclusive_warpsync = 1,
    .popc_inc = 11,
    .narrowing_says_saturation = true,
    .lepc_adds_displacement = true,
    .branch_has_mask = true,
    .prints_zero_register_as_u32 = true,
    .sums_whole_products = true,
    .fp64_is_fixed = true,
    .guard_latency = 13,
    .shared_kib = kSharedKib90,
    .float_per_double = 2,
    .has_ecc = true,
    .has_persisting_l2 = true,
    .occupancy_follows_carveout = true,
};

// What can differ between the cluster shapes of one launch is in front, in a record of 0xa0 bytes
// for each; code picks one by SR_CgaSize, and finds the last where that is 0.
inline constexpr Bank0Layout kBank0Of100{.block = 0x360,
                                         .grid = 0x370,
                                         .shared_window = 0,
                                         .local_window = 0x2f8,
                                         .stack_pointer = 0x37c,
                                         .dynamic_shared = 0x2ac,
                                         .parameters = 0x380,
                                         .parameter_window = 0x348,
                                         .memory_descriptor = 0x358,
                                         .constant_bank3 = 0x120,
                                         .grid_barrier = 0x254};
inline constexpr ClusterLayout kClustersOf100{.shared_base = 0x16c,
                                              .shared_limit = 0x2bc,
                                              .comes_in_clusters = 0x36c,
                                              .shape = 0x2a0,
                                              .reciprocals = 0x2b0,
                                              .clusters = 0x2c0,
                                              .blocks = 0x2cc};

// Blackwell's data-centre parts. What is neither in the programming guide nor in what nvcc makes
// is taken over from sm_90.
constexpr ArchTraits data_centre_blackwell(int number, std::string_view name) {
  return {
      .number = number,
      .name = name,
      .bank0 = kBank0Of100,
      .cluster_layout = kClustersOf100,
      .reserved_shared_bytes = 0x400,
      .has_clusters = true,
      .exclusive_warpsync = 1,
      .popc_inc = 11,
      .narrowing_says_saturation = true,
      .lepc_adds_displacement = true,
      .branch_has_mask = true,
      .prints_zero_register_as_u32 = true,
      .sums_whole_products = true,
      .fp64_is_fixed = true,
      .guard_latency = 13,
      .shared_kib = kSharedKib90,
      .float_per_double = 2,
      .has_ecc = true,
      .has_persisting_l2 = true,
      .occupancy_follows_carveout = true,
  };
}
// The others: less shared memory, few FP64 units.
constexpr ArchTraits client_blackwell(int number, std::string_view name) {
  ArchTraits traits = data_centre_blackwell(number, name);
  traits.shared_kib = std::span<const std::uint16_t>(kSharedKib86);
  traits.float_per_double = 64;
  traits.fp64_is_fixed = false;
  traits.has_ecc = false;
  return traits;
}
inline constexpr ArchTraits kSm100Traits = data_centre_blackwell(100, "sm_100");
inline constexpr ArchTraits kSm103Traits = data_centre_blackwell(103, "sm_103");
inline constexpr ArchTraits kSm110Traits = data_centre_blackwell(110, "sm_110");
inline constexpr ArchTraits kSm120Traits = client_blackwell(120, "sm_120");
inline constexpr ArchTraits kSm121Traits = client_blackwell(121, "sm_121");

constexpr const ArchTraits& traits(Arch arch) {
  switch (arch) {
    case Arch::sm_75:
      return kSm75Traits;
    case Arch::sm_80:
      return kSm80Traits;
    case Arch::sm_86:
      return kSm86Traits;
    case Arch::sm_89:
      return kSm89Traits;
    case Arch::sm_90:
      return kSm90Traits;
    case Arch::sm_100:
      return kSm100Traits;
    case Arch::sm_103:
      return kSm103Traits;
    case Arch::sm_110:
      return kSm110Traits;
    case Arch::sm_120:
      return kSm120Traits;
    case Arch::sm_121:
      return kSm121Traits;
  }
  throw "an architecture without traits";
}

constexpr int sm_number(Arch arch) { return traits(arch).number; }
constexpr std::string_view name(Arch arch) { return traits(arch).name; }
constexpr Bank0Layout bank0_layout(Arch arch) { return traits(arch).bank0; }

constexpr std::optional<Arch> arch_from_sm(int number) {
  for (Arch arch : kAllArchs)
    if (sm_number(arch) == number) return arch;
  return std::nullopt;
}

}  // namespace heddle::isa
