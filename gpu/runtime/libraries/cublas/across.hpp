// cuBLAS-XT's calls: those of cuBLAS, for matrices in the program's memory or the devices', which
// are waited for.
#pragma once

#include "gpu/runtime/libraries/cublas/types.hpp"
#include "gpu/runtime/libraries/program_operands.hpp"

namespace heddle::runtime::libraries::cublas {

template <auto kFunction>
struct Across;
template <typename... Arguments, Status (*kFunction)(Handle, Arguments...)>
struct Across<kFunction> {
  static Status call(Handle handle, Arguments... arguments) {
    const ProgramOperands allowed;
    const Status status = kFunction(handle, arguments...);
    if (status != Status::success) return status;
    return synchronize(handle->stream) ? Status::success : Status::execution_failed;
  }
};

// Its sizes are wide.
#define HEDDLE_BLAS_XT(letter, routine, function, ...) \
  HEDDLE_EXPORT(cublasXt##letter##routine, Across<&function<__VA_ARGS__, std::int64_t>>::call)
#define HEDDLE_BLAS_XT_CZ(routine, function)    \
  HEDDLE_BLAS_XT(C, routine, function, Complex) \
  HEDDLE_BLAS_XT(Z, routine, function, DoubleComplex)
#define HEDDLE_BLAS_XT_SDCZ(routine, function) \
  HEDDLE_BLAS_XT(S, routine, function, float)  \
  HEDDLE_BLAS_XT(D, routine, function, double) \
  HEDDLE_BLAS_XT_CZ(routine, function)

}  // namespace heddle::runtime::libraries::cublas
