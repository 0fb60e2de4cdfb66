// cuSPARSE's sparse vectors, and their products with dense ones.
#include "gpu/runtime/libraries/cusparse/types.hpp"

namespace heddle::runtime::libraries::cusparse {
namespace {

struct SparseVector {
  std::int64_t size = 0, count = 0;
  const void* places = nullptr;
  void* values = nullptr;
  Index index = Index::bits32;
  int base = 0;
  DataType type = DataType::float32;
};

Status create(SparseVector** made, std::int64_t size, std::int64_t count, const void* places,
              void* values, Index index, int base, DataType type) {
  demand(made != nullptr && size >= 0 && count >= 0 && count <= size);
  *made = new SparseVector{size, count, places, values, index, base, type};
  return Status::success;
}
Status destroy(const SparseVector* vector) {
  delete vector;
  return Status::success;
}
Status describe(const SparseVector* vector, std::int64_t* size, std::int64_t* count,
                const void** places, void** values, Index* index, int* base, DataType* type) {
  demand(vector != nullptr);
  *size = vector->size;
  *count = vector->count;
  *places = vector->places;
  *values = vector->values;
  *index = vector->index;
  *base = vector->base;
  *type = vector->type;
  return Status::success;
}
Status get_base(const SparseVector* vector, int* base) {
  demand(vector != nullptr && base != nullptr);
  *base = vector->base;
  return Status::success;
}
Status get_values(const SparseVector* vector, void** values) {
  demand(vector != nullptr && values != nullptr);
  *values = vector->values;
  return Status::success;
}
Status set_values(SparseVector* vector, void* values) {
  demand(vector != nullptr);
  vector->values = values;
  return Status::success;
}

// Calls visit(sparse element, dense element) for each entry.
template <typename T, typename Visit>
void for_each_pair(const SparseVector& sparse, const Vector& dense, Visit visit) {
  const auto places = indices(sparse.places, sparse.index, sparse.count, sparse.base);
  T* const values = out(static_cast<T*>(sparse.values), sparse.count);
  T* const all = out(static_cast<T*>(dense.values), dense.size);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] < 0 || places[i] >= dense.size)
      throw std::runtime_error("an entry lies outside the vector");
    visit(values[i], all[places[i]]);
  }
}
template <typename Visit>
Status pair_up(Handle handle, const SparseVector* sparse, const Vector* dense, Visit visit) {
  if (handle == nullptr) return Status::not_initialized;
  demand(sparse != nullptr && dense != nullptr && sparse->type == dense->type &&
         sparse->size == dense->size);
  return with_lapack_type(sparse->type, [&]<typename T>(T) {
    const Shape shape{{"n", dense->size}, {"nnz", sparse->count}};
    return run(handle, sparse->type, shape,
               [=, x = *sparse, y = *dense] { for_each_pair<T>(x, y, visit); });
  });
}
Status gather(Handle handle, const Vector* dense, SparseVector* sparse) {
  return pair_up(handle, sparse, dense, [](auto& x, const auto& y) { x = y; });
}
Status scatter(Handle handle, const SparseVector* sparse, Vector* dense) {
  return pair_up(handle, sparse, dense, [](const auto& x, auto& y) { y = x; });
}

Status dot(Handle handle, Op op, const SparseVector* sparse, const Vector* dense, void* result,
           DataType, void*) {
  if (handle == nullptr) return Status::not_initialized;
  demand(sparse != nullptr && dense != nullptr && result != nullptr &&
         sparse->type == dense->type && sparse->size == dense->size);
  const bool there = handle->pointers == 1;
  const Status status = with_lapack_type(sparse->type, [&]<typename T>(T) {
    const Shape shape{{"n", dense->size}, {"nnz", sparse->count}};
    return run(handle, sparse->type, shape, [=, x = *sparse, y = *dense] {
      T sum{};
      for_each_pair<T>(x, y, [&](const T& a, const T& b) { sum += applied(op, a) * b; });
      *(there ? out(static_cast<T*>(result), 1) : static_cast<T*>(result)) = sum;
    });
  });
  // Of a capture the result comes whenever its graph is launched.
  if (status != Status::success || there || is_capturing(handle->stream)) return status;
  return synchronize(handle->stream) ? Status::success : Status::execution_failed;
}
Status dot_workspace(Handle, Op, const SparseVector*, const Vector*, const void*, DataType,
                     std::size_t* bytes) {
  demand(bytes != nullptr);
  *bytes = 8;
  return Status::success;
}

}  // namespace

HEDDLE_EXPORT(cusparseCreateSpVec, create)
HEDDLE_EXPORT(cusparseCreateConstSpVec, create)
HEDDLE_EXPORT(cusparseDestroySpVec, destroy)
HEDDLE_EXPORT(cusparseSpVecGet, describe)
HEDDLE_EXPORT(cusparseSpVecGetIndexBase, get_base)
HEDDLE_EXPORT(cusparseSpVecGetValues, get_values)
HEDDLE_EXPORT(cusparseSpVecSetValues, set_values)
HEDDLE_EXPORT(cusparseGather, gather)
HEDDLE_EXPORT(cusparseScatter, scatter)
HEDDLE_EXPORT(cusparseSpVV, dot)
HEDDLE_EXPORT(cusparseSpVV_bufferSize, dot_workspace)

}  // namespace heddle::runtime::libraries::cusparse
