// Products of general matrices: one, an array of them by pointers, or several at equal distances.
#include <functional>

#include "gpu/runtime/libraries/cublas/across.hpp"
#include "gpu/runtime/libraries/cublas/product.hpp"

namespace heddle::runtime::libraries::cublas {
namespace {

constexpr int kTf32Math = 3;  // CUBLAS_TF32_TENSOR_OP_MATH

struct Sizes {
  Op op_a, op_b;
  std::int64_t m, n, k, lda, ldb, ldc;

  // Throws std::invalid_argument where they contradict one another.
  void check() const {
    c_blas(op_a);
    c_blas(op_b);
    demand(m >= 0 && n >= 0 && k >= 0 && ldc >= std::max<std::int64_t>(1, m));
    demand(lda >= std::max<std::int64_t>(1, op_a == Op::none ? m : k));
    demand(ldb >= std::max<std::int64_t>(1, op_b == Op::none ? k : n));
  }
};

struct Types {
  DataType a, b, c;
  Compute compute;
};

// Addresses of one product's matrices.
struct Operands {
  std::uint64_t a, b, c;
};

// `operands` gives those of product i, inside the computation.
Status submit_products(Handle handle, const Sizes& sizes, const Types& types, const void* alpha,
                       const void* beta, std::int64_t count,
                       std::function<Operands(std::int64_t)> operands) {
  if (handle == nullptr) return Status::not_initialized;
  sizes.check();
  demand(count >= 0);
  need(Host::openblas);
  const DataType scale = scale_type(types.compute, types.c);
  const std::string type = std::string(name_of(types.a)) +
                           (types.c == types.a ? "" : std::string(" to ") + name_of(types.c));
  name_of(types.b);
  const bool there = handle->pointers == PointerMode::device;
  const auto shape = count == 1
                         ? Shape{{"m", sizes.m}, {"n", sizes.n}, {"k", sizes.k}}
                         : Shape{{"m", sizes.m}, {"n", sizes.n}, {"k", sizes.k}, {"batch", count}};
  return status_of(submit(
      handle->stream, type.c_str(), shape,
      [=, of_product = AnyScalar(there, scale, alpha), of_sum = AnyScalar(there, scale, beta)] {
        const auto& [op_a, op_b, m, n, k, lda, ldb, ldc] = sizes;
        for (std::int64_t i = 0; i < count; ++i) {
          const Operands at = operands(i);
          Product product;
          product.op_a = op_a;
          product.op_b = op_b;
          product.a = {at.a, types.a, op_a == Op::none ? m : k, op_a == Op::none ? k : m, lda};
          product.b = {at.b, types.b, op_b == Op::none ? k : n, op_b == Op::none ? n : k, ldb};
          product.c = product.d = {at.c, types.c, m, n, ldc};
          product.compute = types.compute;
          product.alpha = of_product.get();
          product.beta = of_sum.get();
          multiply(product);
        }
      }));
}

std::uint64_t address(const void* at) { return reinterpret_cast<std::uint64_t>(at); }

auto one(const void* a, const void* b, const void* c) {
  return [=](std::int64_t) { return Operands{address(a), address(b), address(c)}; };
}
auto listed(const void* const* a, const void* const* b, void* const* c, std::int64_t count) {
  return [=](std::int64_t i) {
    return Operands{address(in(a, count)[i]), address(in(b, count)[i]), address(in(c, count)[i])};
  };
}
struct Distances {
  std::int64_t a, b, c;  // elements
};
auto at_distances(const void* a, const void* b, const void* c, const Distances& by,
                  const Types& types) {
  const auto bytes = [](DataType type) {
    return with_type(type, [](auto sample) { return static_cast<std::int64_t>(sizeof sample); });
  };
  const Distances step{by.a * bytes(types.a), by.b * bytes(types.b), by.c * bytes(types.c)};
  return [=](std::int64_t i) {
    return Operands{address(a) + i * step.a, address(b) + i * step.b, address(c) + i * step.c};
  };
}

// The types of routines that are named by one.
template <typename T>
Types types_of(Handle handle) {
  if constexpr (std::is_same_v<T, float>)
    return {DataType::float32, DataType::float32, DataType::float32,
            handle != nullptr && handle->math_mode == kTf32Math ? Compute::float32_by_tf32
                                                                : Compute::float32};
  else if constexpr (std::is_same_v<T, double>)
    return {DataType::float64, DataType::float64, DataType::float64, Compute::float64};
  else if constexpr (std::is_same_v<T, Complex>)
    return {DataType::complex64, DataType::complex64, DataType::complex64, Compute::float32};
  else if constexpr (std::is_same_v<T, DoubleComplex>)
    return {DataType::complex128, DataType::complex128, DataType::complex128, Compute::float64};
  else
    return {DataType::float16, DataType::float16, DataType::float16, Compute::float16};
}

template <typename T, typename Int>
Status gemm(Handle handle, Op op_a, Op op_b, Int m, Int n, Int k, const T* alpha, const T* a,
            Int lda, const T* b, Int ldb, const T* beta, T* c, Int ldc) {
  return submit_products(handle, {op_a, op_b, m, n, k, lda, ldb, ldc}, types_of<T>(handle), alpha,
                         beta, 1, one(a, b, c));
}

template <typename T, typename Int>
Status gemm_batched(Handle handle, Op op_a, Op op_b, Int m, Int n, Int k, const T* alpha,
                    const void* const* a, Int lda, const void* const* b, Int ldb, const T* beta,
                    void* const* c, Int ldc, Int count) {
  return submit_products(handle, {op_a, op_b, m, n, k, lda, ldb, ldc}, types_of<T>(handle), alpha,
                         beta, count, listed(a, b, c, count));
}

template <typename T, typename Int>
Status gemm_strided(Handle handle, Op op_a, Op op_b, Int m, Int n, Int k, const T* alpha,
                    const T* a, Int lda, std::int64_t step_a, const T* b, Int ldb,
                    std::int64_t step_b, const T* beta, T* c, Int ldc, std::int64_t step_c,
                    Int count) {
  const Types types = types_of<T>(handle);
  return submit_products(handle, {op_a, op_b, m, n, k, lda, ldb, ldc}, types, alpha, beta, count,
                         at_distances(a, b, c, {step_a, step_b, step_c}, types));
}

template <typename Int>
Status gemm_ex(Handle handle, Op op_a, Op op_b, Int m, Int n, Int k, const void* alpha,
               const void* a, DataType type_a, Int lda, const void* b, DataType type_b, Int ldb,
               const void* beta, void* c, DataType type_c, Int ldc, Compute compute, int) {
  return submit_products(handle, {op_a, op_b, m, n, k, lda, ldb, ldc},
                         {type_a, type_b, type_c, compute}, alpha, beta, 1, one(a, b, c));
}

template <typename Int>
Status gemm_batched_ex(Handle handle, Op op_a, Op op_b, Int m, Int n, Int k, const void* alpha,
                       const void* const* a, DataType type_a, Int lda, const void* const* b,
                       DataType type_b, Int ldb, const void* beta, void* const* c, DataType type_c,
                       Int ldc, Int count, Compute compute, int) {
  return submit_products(handle, {op_a, op_b, m, n, k, lda, ldb, ldc},
                         {type_a, type_b, type_c, compute}, alpha, beta, count,
                         listed(a, b, c, count));
}

template <typename Int>
Status gemm_strided_ex(Handle handle, Op op_a, Op op_b, Int m, Int n, Int k, const void* alpha,
                       const void* a, DataType type_a, Int lda, std::int64_t step_a, const void* b,
                       DataType type_b, Int ldb, std::int64_t step_b, const void* beta, void* c,
                       DataType type_c, Int ldc, std::int64_t step_c, Int count, Compute compute,
                       int) {
  const Types types{type_a, type_b, type_c, compute};
  return submit_products(handle, {op_a, op_b, m, n, k, lda, ldb, ldc}, types, alpha, beta, count,
                         at_distances(a, b, c, {step_a, step_b, step_c}, types));
}

// cublasSgemmEx, cublasCgemmEx: elements of smaller types, sums of T.
template <typename T, typename Int>
Status gemm_of_smaller(Handle handle, Op op_a, Op op_b, Int m, Int n, Int k, const T* alpha,
                       const void* a, DataType type_a, Int lda, const void* b, DataType type_b,
                       Int ldb, const T* beta, void* c, DataType type_c, Int ldc) {
  return gemm_ex<Int>(handle, op_a, op_b, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c,
                      type_c, ldc, types_of<T>(handle).compute, 0);
}

}  // namespace

HEDDLE_BLAS_SDCZ(gemm, gemm)
HEDDLE_BLAS_XT_SDCZ(gemm, gemm)
HEDDLE_BLAS_PLAIN(H, gemm, gemm, Float16)
HEDDLE_BLAS_PLAIN(C, gemm3m, gemm, Complex)
HEDDLE_BLAS_PLAIN(Z, gemm3m, gemm, DoubleComplex)
HEDDLE_BLAS_SDCZ_PLAIN(gemmBatched, gemm_batched)
HEDDLE_BLAS_PLAIN(H, gemmBatched, gemm_batched, Float16)
HEDDLE_BLAS_PLAIN(C, gemm3mBatched, gemm_batched, Complex)
HEDDLE_BLAS_SDCZ_PLAIN(gemmStridedBatched, gemm_strided)
HEDDLE_BLAS_PLAIN(H, gemmStridedBatched, gemm_strided, Float16)
HEDDLE_BLAS_PLAIN(C, gemm3mStridedBatched, gemm_strided, Complex)
HEDDLE_BLAS_PLAIN(S, gemmEx, gemm_of_smaller, float)
HEDDLE_BLAS_PLAIN(C, gemmEx, gemm_of_smaller, Complex)
HEDDLE_EXPORT(cublasGemmEx, gemm_ex<int>)
HEDDLE_EXPORT(cublasGemmEx_64, gemm_ex<std::int64_t>)
HEDDLE_EXPORT(cublasGemmBatchedEx, gemm_batched_ex<int>)
HEDDLE_EXPORT(cublasGemmBatchedEx_64, gemm_batched_ex<std::int64_t>)
HEDDLE_EXPORT(cublasGemmStridedBatchedEx, gemm_strided_ex<int>)
HEDDLE_EXPORT(cublasGemmStridedBatchedEx_64, gemm_strided_ex<std::int64_t>)

}  // namespace heddle::runtime::libraries::cublas
