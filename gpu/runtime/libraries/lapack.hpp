// LAPACK's routines by the interface of C, matrices stored by columns.
#pragma once

#include "gpu/runtime/libraries/cublas/types.hpp"

namespace heddle::runtime::libraries {

// LAPACKE_sgetrf and its like: what LAPACK calls INFO. Matrices may hold NaNs.
template <typename T, typename... Arguments>
int lapack(const std::string& routine, Arguments... arguments) {
  call_host(Host::lapacke, "LAPACKE_set_nancheck", 0);
  return call_host<int>(Host::lapacke, std::string("LAPACKE_") + cublas::kLetter<T> + routine,
                        cublas::kColumns, arguments...);
}

inline char letter_of(cublas::Op op) {
  return op == cublas::Op::none ? 'N' : op == cublas::Op::transpose ? 'T' : 'C';
}
inline char letter_of(cublas::Fill fill) { return fill == cublas::Fill::upper ? 'U' : 'L'; }

}  // namespace heddle::runtime::libraries
