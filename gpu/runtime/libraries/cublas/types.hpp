// What cuBLAS's routines share. Numbers are those of its documentation.
#pragma once

#include "gpu/runtime/libraries/routine.hpp"

namespace heddle::runtime::libraries::cublas {

enum class Status : int {
  success = 0,
  not_initialized = 1,
  invalid_value = 7,
  execution_failed = 13,
  not_supported = 15,
};
const char* status_name(Status status);

enum class Op : int { none = 0, transpose = 1, conjugate = 2 };
enum class Fill : int { lower = 0, upper = 1 };
enum class Diagonal : int { given = 0, unit = 1 };
enum class Side : int { left = 0, right = 1 };
enum class PointerMode : int { host = 0, device = 1 };

struct Context {
  abi::Handle stream = nullptr;
  PointerMode pointers = PointerMode::host;
  int math_mode = 0;
  int atomics_mode = 0;
};
using Handle = Context*;

// Names in the interface of C BLAS.
constexpr int kColumns = 102;
inline int c_blas(Op op) {
  demand(op >= Op::none && op <= Op::conjugate);
  return 111 + static_cast<int>(op);
}
inline int c_blas(Fill fill) {
  demand(fill == Fill::lower || fill == Fill::upper);
  return fill == Fill::upper ? 121 : 122;
}
inline int c_blas(Diagonal diagonal) { return diagonal == Diagonal::unit ? 132 : 131; }
inline int c_blas(Side side) { return side == Side::right ? 142 : 141; }

template <typename T>
constexpr char kLetter = 's';
template <>
inline constexpr char kLetter<double> = 'd';
template <>
inline constexpr char kLetter<Complex> = 'c';
template <>
inline constexpr char kLetter<DoubleComplex> = 'z';

// cblas_saxpy and its like. Whole numbers must be int.
template <typename T, typename Result = void, typename... Arguments>
Result blas(const char* routine, Arguments... arguments) {
  return call_host<Result>(Host::openblas, std::string("cblas_") + kLetter<T> + routine,
                           arguments...);
}

// C BLAS takes complex numbers by their addresses.
template <typename T>
auto by(const T& value) {
  if constexpr (kIsComplex<T>)
    return &value;
  else
    return value;
}

// A number that the program gives by its address: in its own memory, or on the device.
template <typename T>
class Scalar {
 public:
  Scalar(Handle handle, const T* at)
      : at_(at), there_(handle != nullptr && handle->pointers == PointerMode::device) {
    demand(handle != nullptr && at != nullptr);
    if (!there_) value_ = *at;
  }
  T get() const { return there_ ? *in(at_, 1) : value_; }

 private:
  const T* at_;
  bool there_;
  T value_{};
};

inline Status status_of(Error error) {
  return error == Error::success ? Status::success : Status::execution_failed;
}

template <typename T, typename Compute>
Status run(Handle handle, const Shape& shape, Compute compute) {
  if (handle == nullptr) return Status::not_initialized;
  need(Host::openblas);
  return status_of(submit(handle->stream, type_name<T>(), shape, std::move(compute)));
}

// Of a routine that gives a number: `compute` gives it. One that goes to the program's memory is
// waited for.
template <typename T, typename Result, typename Compute>
Status run_for(Handle handle, const Shape& shape, Result* result, Compute compute) {
  demand(handle != nullptr && result != nullptr);
  const bool there = handle->pointers == PointerMode::device;
  const Status status = run<T>(handle, shape, [=] {
    const Result value = compute();
    *(there ? out(result, 1) : result) = value;
  });
  if (status != Status::success || there) return status;
  return synchronize(handle->stream) ? Status::success : Status::execution_failed;
}

// Rows that are exported for types and for both widths of sizes.
#define HEDDLE_BLAS(letter, routine, function, ...)                       \
  HEDDLE_EXPORT(cublas##letter##routine##_v2, function<__VA_ARGS__, int>) \
  HEDDLE_EXPORT(cublas##letter##routine##_v2_64, function<__VA_ARGS__, std::int64_t>)
#define HEDDLE_BLAS_PLAIN(letter, routine, function, ...)            \
  HEDDLE_EXPORT(cublas##letter##routine, function<__VA_ARGS__, int>) \
  HEDDLE_EXPORT(cublas##letter##routine##_64, function<__VA_ARGS__, std::int64_t>)
#define HEDDLE_BLAS_SD(routine, function) \
  HEDDLE_BLAS(S, routine, function, float) HEDDLE_BLAS(D, routine, function, double)
#define HEDDLE_BLAS_CZ(routine, function) \
  HEDDLE_BLAS(C, routine, function, Complex) HEDDLE_BLAS(Z, routine, function, DoubleComplex)
#define HEDDLE_BLAS_SDCZ(routine, function) \
  HEDDLE_BLAS_SD(routine, function) HEDDLE_BLAS_CZ(routine, function)
#define HEDDLE_BLAS_SDCZ_PLAIN(routine, function)  \
  HEDDLE_BLAS_PLAIN(S, routine, function, float)   \
  HEDDLE_BLAS_PLAIN(D, routine, function, double)  \
  HEDDLE_BLAS_PLAIN(C, routine, function, Complex) \
  HEDDLE_BLAS_PLAIN(Z, routine, function, DoubleComplex)

}  // namespace heddle::runtime::libraries::cublas

template <>
struct heddle::runtime::libraries::Failure<heddle::runtime::libraries::cublas::Status> {
  using Status = heddle::runtime::libraries::cublas::Status;
  static constexpr Status not_supported = Status::not_supported, failed = Status::execution_failed,
                          invalid = Status::invalid_value;
};
