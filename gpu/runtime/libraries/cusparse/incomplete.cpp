// cuSPARSE's factors in the matrix's own pattern, in its place: LU, and Cholesky of the lower
// triangle. Those of matrices of blocks are the same, in a coarser pattern.
#include <optional>

#include "gpu/runtime/libraries/cusparse/pattern.hpp"

namespace heddle::runtime::libraries::cusparse {
namespace {

struct Factorisation {
  std::shared_ptr<int> zero = std::make_shared<int>(-1);  // the first bad pivot; -1: none
  int boosts = 0;  // pivots up to `tolerance` become `boost`, both of which the caller keeps
  const double* tolerance = nullptr;
  const void* boost = nullptr;
};
Status create(Factorisation** made) {
  demand(made != nullptr);
  *made = new Factorisation;
  return Status::success;
}
Status destroy(const Factorisation* info) {
  delete info;
  return Status::success;
}
Status zero_pivot(Handle handle, const Factorisation* info, int* position) {
  if (handle == nullptr) return Status::not_initialized;
  demand(info != nullptr && position != nullptr);
  if (!synchronize(handle->stream)) return Status::execution_failed;
  *(handle->pointers == 1 ? out(position, 1) : position) = *info->zero;
  return *info->zero >= 0 ? Status::zero_pivot : Status::success;
}
template <typename T>
Status set_boost(Handle handle, Factorisation* info, int enable, double* tolerance, T* boost) {
  if (handle == nullptr) return Status::not_initialized;
  demand(info != nullptr && (enable == 0 || (tolerance != nullptr && boost != nullptr)));
  info->boosts = enable;
  info->tolerance = tolerance;
  info->boost = boost;
  return Status::success;
}

template <typename T>
struct Boost {
  double tolerance = 0;
  T value{};
};

// Where the elements of one row at a time lie, by their columns.
class RowPlaces {
 public:
  explicit RowPlaces(std::size_t columns) : at_(columns) {}
  void enter(const std::vector<Place>& row) {
    for (const Place& place : row) at_[static_cast<std::size_t>(place.column)] = place.at;
  }
  void leave(const std::vector<Place>& row) {
    for (const Place& place : row) at_[static_cast<std::size_t>(place.column)].reset();
  }
  const std::optional<std::size_t>& operator[](std::int64_t column) const {
    return at_[static_cast<std::size_t>(column)];
  }

 private:
  std::vector<std::optional<std::size_t>> at_;
};

// The first row whose pivot is missing or zero; -1: none.
template <typename T>
std::int64_t factor_lu(const Pattern& pattern, T* values, const std::optional<Boost<T>>& boost) {
  std::int64_t bad = -1;
  RowPlaces here(pattern.size());
  std::vector<T> pivots(pattern.size());
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    here.enter(pattern[i]);
    for (const Place& left : pattern[i]) {
      const auto k = static_cast<std::size_t>(left.column);
      if (k >= i) break;
      values[left.at] /= pivots[k];
      for (const Place& above : pattern[k])
        if (above.column > left.column && here[above.column])
          values[*here[above.column]] -= values[left.at] * values[above.at];
    }
    if (const auto& at = here[static_cast<std::int64_t>(i)]) {
      if (boost && std::abs(values[*at]) <= boost->tolerance) values[*at] = boost->value;
      pivots[i] = values[*at];
    }
    if (pivots[i] == T{} && bad < 0) bad = static_cast<std::int64_t>(i);
    here.leave(pattern[i]);
  }
  return bad;
}

template <typename T>
std::int64_t factor_cholesky(const Pattern& pattern, T* values, const std::optional<Boost<T>>&) {
  std::int64_t bad = -1;
  RowPlaces here(pattern.size());
  std::vector<Real<T>> pivots(pattern.size());
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const auto self = static_cast<std::int64_t>(i);
    here.enter(pattern[i]);
    Real<T> rest{};
    if (here[self]) rest = std::real(values[*here[self]]);
    for (const Place& left : pattern[i]) {
      if (left.column >= self) break;
      const auto k = static_cast<std::size_t>(left.column);
      for (const Place& other : pattern[k])
        if (other.column < left.column && here[other.column])
          values[left.at] -= values[*here[other.column]] * applied(Op::conjugate, values[other.at]);
      values[left.at] /= pivots[k];
      rest -= std::norm(values[left.at]);
    }
    if (rest > 0) pivots[i] = std::sqrt(rest);
    if (pivots[i] == 0 && bad < 0) bad = self;
    if (here[self]) values[*here[self]] = pivots[i];
    here.leave(pattern[i]);
  }
  return bad;
}

template <auto kFactor, typename T>
Status factor(Handle handle, DataType type, const Layout& a, T* values, Factorisation* info) {
  if (handle == nullptr) return Status::not_initialized;
  demand(info != nullptr);
  return run(handle, type, shape_of(a), [=, context = *handle, told = *info] {
    std::optional<Boost<T>> boost;
    if (told.boosts != 0) {
      const auto* const value = static_cast<const T*>(told.boost);
      const bool there = context.pointers == 1;
      boost = {there ? *in(told.tolerance, 1) : *told.tolerance, there ? *in(value, 1) : *value};
    }
    const std::int64_t bad = kFactor(pattern_of(a), out(values, a.elements()), boost);
    *told.zero = bad < 0 ? -1 : static_cast<int>(bad / a.block);
  });
}

// An analysis finds diagonal elements that are missing.
Status analyse(Handle handle, DataType type, const Layout& a, Factorisation* info) {
  if (handle == nullptr) return Status::not_initialized;
  demand(info != nullptr);
  return run(handle, type, shape_of(a), [=, zero = info->zero] {
    const Pattern pattern = pattern_of(a);
    *zero = -1;
    for (std::size_t i = 0; i < pattern.size() && *zero < 0; ++i)
      if (std::ranges::find(pattern[i], static_cast<std::int64_t>(i), &Place::column) ==
          pattern[i].end())
        *zero = static_cast<int>(i) / a.block;
  });
}

template <typename T, DataType kType>
struct OfRows {
  using Size = SmallWorkspace<Handle, int, int, const Description*, T*, const int*, const int*,
                              Factorisation*>;
  static Status prepare(Handle handle, int rows, int count, const Description* of, const T*,
                        const int* begin, const int* places, Factorisation* info, int, void*) {
    return analyse(handle, kType, csr(rows, rows, count, of, begin, places), info);
  }
  template <auto kFactor>
  static Status compute(Handle handle, int rows, int count, const Description* of, T* values,
                        const int* begin, const int* places, Factorisation* info, int, void*) {
    return factor<kFactor>(handle, kType, csr(rows, rows, count, of, begin, places), values, info);
  }
};
template <typename T, DataType kType>
struct OfBlocks {
  using Size = SmallWorkspace<Handle, int, int, int, const Description*, T*, const int*, const int*,
                              int, Factorisation*>;
  static Status prepare(Handle handle, int direction, int rows, int count, const Description* of,
                        const T*, const int* begin, const int* places, int block,
                        Factorisation* info, int, void*) {
    return analyse(handle, kType, bsr(direction, rows, rows, count, of, begin, places, block),
                   info);
  }
  template <auto kFactor>
  static Status compute(Handle handle, int direction, int rows, int count, const Description* of,
                        T* values, const int* begin, const int* places, int block,
                        Factorisation* info, int, void*) {
    return factor<kFactor>(
        handle, kType, bsr(direction, rows, rows, count, of, begin, places, block), values, info);
  }
};

}  // namespace

#define HEDDLE_FACTOR(routine, kind, T, type, how)                                  \
  HEDDLE_EXPORT(cusparse##routine##_bufferSize, kind<T, DataType::type>::Size::ask) \
  HEDDLE_EXPORT(cusparse##routine##_analysis, kind<T, DataType::type>::prepare)     \
  HEDDLE_EXPORT(cusparse##routine, kind<T, DataType::type>::compute<how<T>>)
#define HEDDLE_INCOMPLETE(letter, T, type)                             \
  HEDDLE_FACTOR(letter##csrilu02, OfRows, T, type, factor_lu)          \
  HEDDLE_FACTOR(letter##csric02, OfRows, T, type, factor_cholesky)     \
  HEDDLE_FACTOR(letter##bsrilu02, OfBlocks, T, type, factor_lu)        \
  HEDDLE_FACTOR(letter##bsric02, OfBlocks, T, type, factor_cholesky)   \
  HEDDLE_EXPORT(cusparse##letter##csrilu02_numericBoost, set_boost<T>) \
  HEDDLE_EXPORT(cusparse##letter##bsrilu02_numericBoost, set_boost<T>)
HEDDLE_INCOMPLETE(S, float, float32)
HEDDLE_INCOMPLETE(D, double, float64)
HEDDLE_INCOMPLETE(C, Complex, complex64)
HEDDLE_INCOMPLETE(Z, DoubleComplex, complex128)
#define HEDDLE_INFO(Kind, kind)                         \
  HEDDLE_EXPORT(cusparseCreate##Kind##02Info, create)   \
  HEDDLE_EXPORT(cusparseDestroy##Kind##02Info, destroy) \
  HEDDLE_EXPORT(cusparseX##kind##02_zeroPivot, zero_pivot)
HEDDLE_INFO(Csrilu, csrilu)
HEDDLE_INFO(Csric, csric)
HEDDLE_INFO(Bsrilu, bsrilu)
HEDDLE_INFO(Bsric, bsric)

}  // namespace heddle::runtime::libraries::cusparse
