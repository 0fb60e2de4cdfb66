#include "gpu/runtime/libraries/cublas/product.hpp"

namespace heddle::runtime::libraries::cublas {
namespace {

// TF32 keeps 10 bits of a fraction.
float rounded_to_tf32(float value) {
  constexpr std::uint32_t kDropped = 13;
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  if (!std::isfinite(value)) return value;
  bits = (bits + (1u << (kDropped - 1))) >> kDropped << kDropped;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

void round_inputs(Compute compute, std::vector<float>& values) {
  for (float& value : values) {
    if (compute == Compute::float32_by_tf32) value = rounded_to_tf32(value);
    if (compute == Compute::float32_by_float16) value = static_cast<float>(Float16(value));
    if (compute == Compute::float32_by_bfloat16) value = static_cast<float>(Bfloat16(value));
  }
}

template <typename Work>
void multiply_in(const Product& product) {
  const auto& [op_a, op_b, a, b, c, d, compute, alpha, beta, finish] = product;
  const std::int64_t depth = op_a == Op::none ? a.columns : a.rows;
  std::vector<Work> first = load<Work>(a), second = load<Work>(b);
  if constexpr (std::is_same_v<Work, float>) {
    round_inputs(compute, first);
    round_inputs(compute, second);
  }
  const bool keeps = beta != DoubleComplex{};
  std::vector<Work> sum =
      keeps ? load<Work>(c) : std::vector<Work>(static_cast<std::size_t>(d.rows * d.columns));
  const Work factor = convert<Work>(alpha), keep = keeps ? convert<Work>(beta) : Work{};
  if (!sum.empty())
    blas<Work>("gemm", kColumns, c_blas(op_a), c_blas(op_b), narrow(d.rows), narrow(d.columns),
               narrow(depth), by(factor), static_cast<const Work*>(first.data()),
               std::max(1, narrow(a.rows)), static_cast<const Work*>(second.data()),
               std::max(1, narrow(b.rows)), by(keep), sum.data(), narrow(d.rows));
  if constexpr (!kIsComplex<Work>)
    if (finish != nullptr) finish->apply(sum);
  store(d, sum);
}

}  // namespace

DataType scale_type(Compute compute, DataType result) {
  const bool is_complex = result == DataType::complex64 || result == DataType::complex128;
  switch (compute) {
    case Compute::float16:
    case Compute::float16_pedantic:
      return DataType::float16;
    case Compute::float64:
    case Compute::float64_pedantic:
      return is_complex ? DataType::complex128 : DataType::float64;
    case Compute::int32:
    case Compute::int32_pedantic:
      return result == DataType::int8 ? DataType::float32 : DataType::int32;
    case Compute::float32:
    case Compute::float32_pedantic:
    case Compute::float32_by_float16:
    case Compute::float32_by_bfloat16:
    case Compute::float32_by_tf32:
      return is_complex ? DataType::complex64 : DataType::float32;
  }
  throw Missing("cublasComputeType_t " + std::to_string(static_cast<int>(compute)) +
                " is not supported");
}

// Sums of products of whole numbers are exact as doubles: they stay below 2^53.
void multiply(const Product& product) {
  switch (scale_type(product.compute, product.d.type)) {
    case DataType::complex64:
      return multiply_in<Complex>(product);
    case DataType::complex128:
      return multiply_in<DoubleComplex>(product);
    case DataType::float16:
      return multiply_in<float>(product);
    case DataType::float32:
      if (product.compute != Compute::int32 && product.compute != Compute::int32_pedantic)
        return multiply_in<float>(product);
      [[fallthrough]];
    default:
      return multiply_in<double>(product);
  }
}

AnyScalar::AnyScalar(bool on_device, DataType type, const void* at)
    : there_(on_device), type_(type), at_(at) {
  demand(at != nullptr);
  if (!there_)
    value_ = with_type(type_, [&](auto sample) {
      std::memcpy(&sample, at_, sizeof sample);
      return convert<DoubleComplex>(sample);
    });
}

DoubleComplex AnyScalar::get() const {
  if (!there_) return value_;
  return with_type(type_, [&](auto sample) {
    sample = *in(static_cast<const decltype(sample)*>(at_), 1);
    return convert<DoubleComplex>(sample);
  });
}

}  // namespace heddle::runtime::libraries::cublas
