#include "gpu/runtime/libraries/cublaslt/epilogue.hpp"

#include <numbers>

namespace heddle::runtime::libraries::cublaslt {
namespace {

constexpr int kBitsPerByte = 8;

// GELU by tanh, as cuBLASLt computes it.
struct Gelu {
  static constexpr double kCubic = 0.044715;
  static double scale() { return std::sqrt(2 / std::numbers::pi); }
  static double of(double x) { return x / 2 * (1 + std::tanh(scale() * (x + kCubic * x * x * x))); }
  static double gradient(double x) {
    const double t = std::tanh(scale() * (x + kCubic * x * x * x));
    return (1 + t) / 2 + x / 2 * (1 - t * t) * scale() * (1 + 3 * kCubic * x * x);
  }
};

// Where the bit of an element lies in a mask, whose leading dimension counts bits.
struct BitPlace {
  std::size_t byte;
  int bit;
};
BitPlace bit_of(const Place& mask, std::int64_t row, std::int64_t column) {
  const auto bit = static_cast<std::size_t>(mask.at(row, column));
  return {bit / kBitsPerByte, static_cast<int>(bit % kBitsPerByte)};
}

}  // namespace

void check_epilogue(const Description& description, const Layout& d) {
  static constexpr std::uint32_t kKnown[] = {
      kPlain,
      kRelu,
      kRelu | kAuxiliary,
      kBias,
      kRelu | kBias,
      kRelu | kAuxiliary | kBias,
      kReluGradient | kAuxiliary,
      kReluGradient | kAuxiliary | kBiasGradient,
      kGelu,
      kGelu | kAuxiliary,
      kGelu | kBias,
      kGelu | kAuxiliary | kBias,
      kGeluGradient | kAuxiliary,
      kGeluGradient | kAuxiliary | kBiasGradient,
      kBiasGradientOfA,
      kBiasGradientOfB,
  };
  const std::uint32_t epilogue = description.epilogue;
  demand(std::ranges::find(kKnown, epilogue) != std::end(kKnown));
  if (epilogue == kPlain) return;
  if (d.type == DataType::complex64 || d.type == DataType::complex128)
    throw Missing("epilogues of complex numbers are not supported");
  if (epilogue & (kBias | kBiasGradient | kBiasGradientOfA | kBiasGradientOfB))
    demand(description.bias != 0);
  if (epilogue & kAuxiliary)
    demand(description.auxiliary != 0 &&
           description.auxiliary_leading >= static_cast<std::int64_t>(d.rows));
}

Finish::Finish(const Description& description, const cublas::Product& product, std::int64_t index,
               std::uint64_t row_factors)
    : description_(description), product_(product), index_(index), row_factors_(row_factors) {}

Place Finish::vector(std::uint64_t address, DataType type, std::int64_t step,
                     std::int64_t size) const {
  const auto bytes = index_ * step * static_cast<std::int64_t>(size_of(type));
  return {address + static_cast<std::uint64_t>(bytes), type, size, 1, size};
}

Place Finish::bias(std::int64_t size) const {
  const bool is_whole = product_.d.type == DataType::int8;
  const DataType type = description_.bias_type != kAsResult
                            ? static_cast<DataType>(description_.bias_type)
                        : is_whole ? description_.scale
                                   : product_.d.type;
  return vector(description_.bias, type, description_.bias_step, size);
}

// The input of GELU, or ReLU's mask, whose distances are in bits.
Place Finish::auxiliary() const {
  Place place = product_.d;
  place.leading = description_.auxiliary_leading;
  if (description_.auxiliary_type != kAsResult)
    place.type = static_cast<DataType>(description_.auxiliary_type);
  const bool is_mask = description_.epilogue & (kRelu | kReluGradient);
  const std::int64_t step = index_ * description_.auxiliary_step;
  place.address =
      description_.auxiliary +
      static_cast<std::uint64_t>(is_mask ? step / kBitsPerByte
                                         : step * static_cast<std::int64_t>(size_of(place.type)));
  return place;
}

template <typename Work>
void Finish::activate(std::vector<Work>& sum) const {
  const std::uint32_t epilogue = description_.epilogue;
  if (!(epilogue & (kRelu | kReluGradient | kGelu | kGeluGradient))) return;
  const Place place = auxiliary();
  const std::int64_t rows = product_.d.rows;
  if (epilogue & kGelu) {
    if (epilogue & kAuxiliary) store(place, sum);
    for (Work& each : sum) each = static_cast<Work>(Gelu::of(each));
  }
  if (epilogue & kGeluGradient) {
    const std::vector<Work> input = load<Work>(place);
    for (std::size_t i = 0; i < sum.size(); ++i)
      sum[i] = static_cast<Work>(sum[i] * Gelu::gradient(input[i]));
  }
  if (!(epilogue & (kRelu | kReluGradient))) return;
  std::uint8_t* const mask = epilogue & kAuxiliary
                                 ? out(pointer_to<std::uint8_t>(place.address),
                                       (place.elements() + kBitsPerByte - 1) / kBitsPerByte)
                                 : nullptr;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i) % rows;
    const auto [byte, bit] = bit_of(place, row, static_cast<std::int64_t>(i) / rows);
    if (epilogue & kReluGradient) {
      if ((mask[byte] >> bit & 1) == 0) sum[i] = 0;
      continue;
    }
    const bool is_positive = sum[i] > 0;
    if (mask != nullptr)
      mask[byte] =
          static_cast<std::uint8_t>((mask[byte] & ~(1u << bit)) | unsigned{is_positive} << bit);
    if (sum[i] < 0) sum[i] = 0;  // NaN stays
  }
}

template <typename Work>
void Finish::store_bias_gradient(const std::vector<Work>& sum) const {
  const auto rows = static_cast<std::size_t>(product_.d.rows);
  std::vector<Work> total(rows);
  for (std::size_t i = 0; i < sum.size(); ++i) total[i % rows] += sum[i];
  store(bias(product_.d.rows), total);
}

// Sums of op(A)'s rows, or of op(B)'s columns.
template <typename Work>
void Finish::store_input_gradient(const Place& operand, Op op, bool of_a) const {
  const std::vector<Work> values = load<Work>(operand);
  const bool by_stored_rows = of_a == (op == Op::none);
  const auto rows = static_cast<std::size_t>(operand.rows);
  const std::int64_t size = by_stored_rows ? operand.rows : operand.columns;
  std::vector<Work> total(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < values.size(); ++i)
    total[by_stored_rows ? i % rows : i / rows] += values[i];
  store(bias(size), total);
}

template <typename Work>
void Finish::apply_in(std::vector<Work>& sum) const {
  const auto rows = static_cast<std::size_t>(product_.d.rows);
  const std::uint32_t epilogue = description_.epilogue;
  if (row_factors_ != 0) {
    const std::vector<Work> factors = load<Work>(
        vector(row_factors_, description_.scale, description_.alpha_step, product_.d.rows));
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] *= factors[i % rows];
  }
  if (epilogue & kBias) {
    const std::vector<Work> values = load<Work>(bias(product_.d.rows));
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += values[i % rows];
  }
  activate(sum);
  if (epilogue & kBiasGradient) store_bias_gradient(sum);
  if (epilogue & kBiasGradientOfA) store_input_gradient<Work>(product_.a, product_.op_a, true);
  if (epilogue & kBiasGradientOfB) store_input_gradient<Work>(product_.b, product_.op_b, false);
}

}  // namespace heddle::runtime::libraries::cublaslt
