// Level 1 with types as arguments: cublasDotEx and its like.
#include "gpu/runtime/libraries/cublas/product.hpp"

namespace heddle::runtime::libraries::cublas {
namespace {

// A vector on the device. A negative increment starts at its other end.
struct Vector {
  std::uint64_t address;
  DataType type;
  std::int64_t n, increment;

  Place place() const { return {address, type, 1, n, std::abs(increment)}; }
};
template <typename Work>
std::vector<Work> load(const Vector& vector) {
  std::vector<Work> values = libraries::load<Work>(vector.place());
  if (vector.increment < 0) std::ranges::reverse(values);
  return values;
}
template <typename Work>
void store(const Vector& vector, std::vector<Work> values) {
  if (vector.increment < 0) std::ranges::reverse(values);
  libraries::store(vector.place(), values);
}
template <typename Int>
Vector vector_of(const void* at, DataType type, Int n, Int increment) {
  demand(increment != 0);
  name_of(type);
  return {reinterpret_cast<std::uint64_t>(at), type, std::max<std::int64_t>(0, n), increment};
}

Status submit_typed(Handle handle, const Vector& x, DataType execution, auto compute) {
  if (handle == nullptr) return Status::not_initialized;
  with_lapack_type(execution, [](auto) {});
  need(Host::openblas);
  return status_of(submit(handle->stream, name_of(x.type), {{"n", x.n}},
                          [=] { with_lapack_type(execution, compute); }));
}

// Of routines that give a number, of its own type. One in the program's memory is waited for.
Status submit_number(Handle handle, const Vector& x, DataType execution, void* result,
                     DataType type, auto compute) {
  demand(handle != nullptr && result != nullptr);
  name_of(type);
  const bool there = handle->pointers == PointerMode::device;
  const Status status = submit_typed(handle, x, execution, [=](auto sample) {
    const auto number = compute(sample);
    with_type(type, [&](auto converted) {
      converted = convert<decltype(converted)>(number);
      auto* const to = static_cast<decltype(converted)*>(result);
      std::memcpy(there ? out(to, 1) : to, &converted, sizeof converted);
    });
  });
  if (status != Status::success || there) return status;
  return synchronize(handle->stream) ? Status::success : Status::execution_failed;
}

template <typename Int, bool kConjugated>
Status dot(Handle handle, Int n, const void* x, DataType type_x, Int incx, const void* y,
           DataType type_y, Int incy, void* result, DataType type, DataType execution) {
  const Vector first = vector_of(x, type_x, n, incx), second = vector_of(y, type_y, n, incy);
  return submit_number(handle, first, execution, result, type, [=](auto sample) {
    using Work = decltype(sample);
    const std::vector<Work> a = load<Work>(first), b = load<Work>(second);
    Work sum{};
    if constexpr (kIsComplex<Work>)
      blas<Work>(kConjugated ? "dotc_sub" : "dotu_sub", narrow(first.n), a.data(), 1, b.data(), 1,
                 &sum);
    else
      sum = blas<Work, Work>("dot", narrow(first.n), a.data(), 1, b.data(), 1);
    return sum;
  });
}

template <typename Int>
Status nrm2(Handle handle, Int n, const void* x, DataType type_x, Int incx, void* result,
            DataType type, DataType execution) {
  const Vector vector = vector_of(x, type_x, n, incx);
  const bool is_complex = type_x == DataType::complex64 || type_x == DataType::complex128;
  return submit_number(handle, vector, execution, result, type, [=](auto sample) {
    using Number = Real<decltype(sample)>;
    const auto norm = [&](auto element, const char* name) {
      const auto values = load<decltype(element)>(vector);
      return call_host<Number>(Host::openblas, std::string("cblas_") + kLetter<Number> + name,
                               narrow(vector.n), values.data(), 1);
    };
    if (!is_complex) return norm(Number{}, "nrm2");
    return norm(std::complex<Number>{}, sizeof(Number) == 8 ? "znrm2" : "cnrm2");
  });
}

template <typename Int>
Status axpy(Handle handle, Int n, const void* alpha, DataType type_alpha, const void* x,
            DataType type_x, Int incx, void* y, DataType type_y, Int incy, DataType execution) {
  if (handle == nullptr) return Status::not_initialized;
  const Vector from = vector_of(x, type_x, n, incx), to = vector_of(y, type_y, n, incy);
  const AnyScalar by_alpha(handle->pointers == PointerMode::device, type_alpha, alpha);
  return submit_typed(handle, from, execution, [=](auto sample) {
    using Work = decltype(sample);
    const Work factor = convert<Work>(by_alpha.get());
    const std::vector<Work> added = load<Work>(from);
    std::vector<Work> sum = load<Work>(to);
    blas<Work>("axpy", narrow(from.n), by(factor), added.data(), 1, sum.data(), 1);
    store(to, std::move(sum));
  });
}

template <typename Int>
Status scal(Handle handle, Int n, const void* alpha, DataType type_alpha, void* x, DataType type_x,
            Int incx, DataType execution) {
  if (handle == nullptr) return Status::not_initialized;
  const Vector vector = vector_of(x, type_x, n, incx);
  const AnyScalar by_alpha(handle->pointers == PointerMode::device, type_alpha, alpha);
  return submit_typed(handle, vector, execution, [=](auto sample) {
    using Work = decltype(sample);
    const Work factor = convert<Work>(by_alpha.get());
    std::vector<Work> values = load<Work>(vector);
    blas<Work>("scal", narrow(vector.n), by(factor), values.data(), 1);
    store(vector, std::move(values));
  });
}

}  // namespace

HEDDLE_EXPORT(cublasDotEx, dot<int, false>)
HEDDLE_EXPORT(cublasDotEx_64, dot<std::int64_t, false>)
HEDDLE_EXPORT(cublasDotcEx, dot<int, true>)
HEDDLE_EXPORT(cublasDotcEx_64, dot<std::int64_t, true>)
HEDDLE_EXPORT(cublasNrm2Ex, nrm2<int>)
HEDDLE_EXPORT(cublasNrm2Ex_64, nrm2<std::int64_t>)
HEDDLE_EXPORT(cublasAxpyEx, axpy<int>)
HEDDLE_EXPORT(cublasAxpyEx_64, axpy<std::int64_t>)
HEDDLE_EXPORT(cublasScalEx, scal<int>)
HEDDLE_EXPORT(cublasScalEx_64, scal<std::int64_t>)

}  // namespace heddle::runtime::libraries::cublas
