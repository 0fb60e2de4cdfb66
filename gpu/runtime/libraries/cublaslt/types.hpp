// The objects of cuBLASLt. Programs may own their memory (cublasLtMatmulDescInit), so they are
// plain data that fits the sizes of NVIDIA's header. Numbers are those of its documentation.
#pragma once

#include "gpu/runtime/libraries/cublas/product.hpp"

namespace heddle::runtime::libraries::cublaslt {

using cublas::Compute;
using cublas::Op;
using cublas::Status;

enum class Order : std::int32_t { columns = 0, rows = 1 };

enum class PointerMode : std::int32_t {
  host = 0,
  device = 1,
  device_vector = 2,
  alpha_vector_beta_zero = 3,
  alpha_vector_beta_host = 4,
};

// Bits of CUBLASLT_MATMUL_DESC_EPILOGUE.
enum Epilogue : std::uint32_t {
  kPlain = 1,
  kRelu = 2,
  kBias = 4,
  kReluGradient = 8,
  kBiasGradient = 16,
  kGelu = 32,
  kGeluGradient = 64,
  kAuxiliary = 128,
  kBiasGradientOfA = 256,
  kBiasGradientOfB = 512,
};

constexpr std::int32_t kAsResult = -1;  // a type that is not set

struct Layout {
  DataType type;
  Order order;
  std::uint64_t rows, columns;
  std::int64_t leading;
  std::int32_t batch;
  std::int32_t batch_mode;
  std::int64_t step;          // elements from one matrix of the batch to the next
  std::int64_t plane_offset;  // of complex numbers in two planes
};
static_assert(sizeof(Layout) <= 14 * 8);

struct Description {
  Compute compute;
  DataType scale;
  PointerMode pointers;
  Op op_a, op_b, op_c;
  std::int32_t fill;
  std::uint32_t epilogue;
  std::uint64_t bias;
  std::int64_t bias_step;
  std::uint64_t auxiliary;
  std::int64_t auxiliary_leading, auxiliary_step;
  std::int64_t alpha_step;
  std::int32_t multiprocessors;
  std::int32_t auxiliary_type, bias_type;
  std::int8_t fast_sums;
  // Factors of matrices, which belong to types of 8 bits: A, B, C, D, then the auxiliary's, and
  // where the greatest numbers of D and the auxiliary go.
  std::uint64_t scales[7];
};
static_assert(sizeof(Description) <= 32 * 8);

struct Preference {
  std::int32_t search_mode;
  std::uint32_t reductions;
  std::uint64_t workspace;
  std::uint32_t alignment[4];
  float waves;
  std::uint64_t implementations;
};
static_assert(sizeof(Preference) <= 12 * 8);

struct Algorithm {
  std::uint32_t settings[16];  // CUBLASLT_ALGO_CONFIG_...; the host heeds none
};
static_assert(sizeof(Algorithm) == 8 * 8);

struct Transform {
  DataType scale;
  PointerMode pointers;
  Op op_a, op_b;
};
static_assert(sizeof(Transform) <= 8 * 8);

std::size_t size_of(DataType type);

// Matrix `index` of a batch at `address`.
Place place(const Layout& layout, const void* address, std::int64_t index);

}  // namespace heddle::runtime::libraries::cublaslt
