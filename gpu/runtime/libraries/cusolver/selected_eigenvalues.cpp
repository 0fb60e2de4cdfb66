// cuSOLVER's eigenvalues of A x = w B x, and some of those of A alone. Each is LAPACK's.
#include "gpu/runtime/libraries/cusolver/types.hpp"
#include "gpu/runtime/libraries/numbers.hpp"

namespace heddle::runtime::libraries::cusolver {
namespace {

using Size = std::int64_t;

enum class Range : int { all = 1001, by_index = 1002, by_value = 1003 };

// Which of the eigenvalues, in ascending order: above `low` up to `high`, or from the `first` to
// the `last`, counted from one.
struct Wanted {
  Range range;
  double low, high;
  Size first, last;

  bool is_valid(Size n) const {
    if (range == Range::by_index) return n == 0 || (first >= 1 && last >= first && last <= n);
    return range == Range::all || (range == Range::by_value && low < high);
  }
};

// Moves those that are wanted to the front, and the columns that belong to them. How many.
template <typename T>
int keep(const Wanted& wanted, Vectors vectors, int n, T* a, int lda, Real<T>* values) {
  int kept = 0;
  for (int i = 0; i < n; ++i) {
    const bool is_wanted =
        wanted.range == Range::all ||
        (wanted.range == Range::by_index ? i + 1 >= wanted.first && i + 1 <= wanted.last
                                         : values[i] > wanted.low && values[i] <= wanted.high);
    if (!is_wanted) continue;
    if (kept != i) {
      values[kept] = values[i];
      if (vectors == Vectors::wanted)
        std::copy_n(a + std::int64_t{i} * lda, n, a + std::int64_t{kept} * lda);
    }
    ++kept;
  }
  return kept;
}

// The number that is found is the program's variable, so the routine is waited for.
template <typename T, typename Count>
Status select(Handle handle, const Wanted& wanted, Vectors vectors, Fill fill, Size n, T* a,
              Size lda, Real<T>* w, Count* found, int* info) {
  demand(n >= 0 && lda >= std::max<Size>(1, n) && found != nullptr && wanted.is_valid(n));
  const int order = narrow(n), leading = narrow(lda);
  *found = 0;
  const Status status = run<T>(handle, {{"n", n}}, info, [=] {
    const int answer = eigenvalues(vectors, fill, order, a, leading, w);
    if (answer == 0)
      *found = keep(wanted, vectors, order, out(a, span(n, n, lda)), leading, out(w, n));
    return answer;
  });
  if (status != Status::success) return status;
  return synchronize(handle->stream) ? Status::success : Status::execution_failed;
}

template <typename T>
Status syevdx(Handle handle, Vectors vectors, Range range, Fill fill, int n, T* a, int lda,
              Real<T> low, Real<T> high, int first, int last, int* found, Real<T>* w, T*, int,
              int* info) {
  return select(handle, {range, low, high, first, last}, vectors, fill, n, a, lda, w, found, info);
}

Status syevdx_of_type(Handle handle, void*, Vectors vectors, Range range, Fill fill, Size n,
                      DataType type, void* a, Size lda, void* low, void* high, Size first,
                      Size last, Size* found, DataType, void* w, DataType, void*, std::size_t,
                      void*, std::size_t, int* info) {
  demand(range != Range::by_value || (low != nullptr && high != nullptr));
  return with_lapack_type(type, [&]<typename T>(T) {
    const auto bound = [range](const void* at) {
      return range == Range::by_value ? double{*static_cast<const Real<T>*>(at)} : 0;
    };
    return select(handle, {range, bound(low), bound(high), first, last}, vectors, fill, n,
                  static_cast<T*>(a), lda, static_cast<Real<T>*>(w), found, info);
  });
}
Status syevdx_workspaces(Handle, void*, Vectors, Range, Fill, Size, DataType, const void*, Size,
                         void*, void*, Size, Size, Size*, DataType, const void*, DataType,
                         std::size_t* device, std::size_t* host) {
  demand(device != nullptr && host != nullptr);
  *device = *host = 8;
  return Status::success;
}

// `kind`: 1 for A x = w B x, 2 for A B x = w x, 3 for B A x = w x. B becomes its Cholesky factor.
template <typename T>
Status sygvd(Handle handle, int kind, Vectors vectors, Fill fill, int n, T* a, int lda, T* b,
             int ldb, Real<T>* w, T*, int, int* info) {
  demand(kind >= 1 && kind <= 3 && n >= 0 && lda >= std::max(1, n) && ldb >= std::max(1, n));
  return run<T>(handle, {{"n", n}}, info, [=] {
    return lapack<T>(kIsComplex<T> ? "hegvd" : "sygvd", kind,
                     vectors == Vectors::wanted ? 'V' : 'N', letter_of(fill), n,
                     out(a, span(n, n, lda)), lda, out(b, span(n, n, ldb)), ldb, out(w, n));
  });
}
template <typename T>
Status sygvj(Handle handle, int kind, Vectors vectors, Fill fill, int n, T* a, int lda, T* b,
             int ldb, Real<T>* w, T* work, int elements, int* info, Parameters*) {
  return sygvd(handle, kind, vectors, fill, n, a, lda, b, ldb, w, work, elements, info);
}

template <typename T>
using OfOne = Workspace<Vectors, Range, Fill, int, const T*, int, Real<T>, Real<T>, int, int, int*,
                        const Real<T>*>;
template <typename T>
using OfTwo = Workspace<int, Vectors, Fill, int, const T*, int, const T*, int, const Real<T>*>;

}  // namespace

#define HEDDLE_SELECTED(letter, sy_he, T)                                  \
  HEDDLE_EXPORT(cusolverDn##letter##sy_he##evdx, syevdx<T>)                \
  HEDDLE_EXPORT(cusolverDn##letter##sy_he##evdx_bufferSize, OfOne<T>::ask) \
  HEDDLE_EXPORT(cusolverDn##letter##sy_he##gvd, sygvd<T>)                  \
  HEDDLE_EXPORT(cusolverDn##letter##sy_he##gvd_bufferSize, OfTwo<T>::ask)  \
  HEDDLE_EXPORT(cusolverDn##letter##sy_he##gvj, sygvj<T>)                  \
  HEDDLE_EXPORT(cusolverDn##letter##sy_he##gvj_bufferSize, OfTwo<T>::ask_with_parameters)
HEDDLE_SELECTED(S, sy, float)
HEDDLE_SELECTED(D, sy, double)
HEDDLE_SELECTED(C, he, Complex)
HEDDLE_SELECTED(Z, he, DoubleComplex)
HEDDLE_EXPORT(cusolverDnXsyevdx, syevdx_of_type)
HEDDLE_EXPORT(cusolverDnXsyevdx_bufferSize, syevdx_workspaces)

}  // namespace heddle::runtime::libraries::cusolver
