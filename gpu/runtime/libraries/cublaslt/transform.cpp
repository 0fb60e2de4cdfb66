// cublasLtMatrixTransform: C = alpha op(A) + beta op(B), each in its own type and order.
#include <optional>

#include "gpu/runtime/libraries/cublaslt/types.hpp"

namespace heddle::runtime::libraries::cublaslt {
namespace {

using cublas::AnyScalar;
using cublas::Handle;

void check(const Layout& layout, Op op, const Layout& result) {
  cublas::c_blas(op);
  name_of(layout.type);
  if (layout.order != Order::columns && layout.order != Order::rows)
    throw Missing("only the orders COL and ROW are supported");
  const bool plain = op == Op::none;
  demand(layout.batch == result.batch && result.rows == (plain ? layout.rows : layout.columns) &&
         result.columns == (plain ? layout.columns : layout.rows));
}

// Adds factor op(from) to `sum`, which is stored by columns.
void add(const Place& from, Op op, const DoubleComplex& factor, std::int64_t rows,
         std::vector<DoubleComplex>& sum) {
  const std::vector<DoubleComplex> values = load<DoubleComplex>(from);
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i) % rows;
    const auto column = static_cast<std::int64_t>(i) / rows;
    const auto at = op == Op::none ? row + column * from.rows : column + row * from.rows;
    const DoubleComplex value = values[static_cast<std::size_t>(at)];
    sum[i] += factor * (op == Op::conjugate ? std::conj(value) : value);
  }
}

Status transform(Handle handle, const Transform* given, const void* alpha, const void* a,
                 const Layout* layout_a, const void* beta, const void* b, const Layout* layout_b,
                 void* c, const Layout* layout_c, abi::Handle stream) {
  if (handle == nullptr) return Status::not_initialized;
  demand(given != nullptr && alpha != nullptr && layout_a != nullptr && layout_c != nullptr);
  const Transform what = *given;
  const bool on_device = what.pointers == PointerMode::device;
  const bool has_b = b != nullptr && layout_b != nullptr && beta != nullptr;
  const Layout first = *layout_a, second = has_b ? *layout_b : first, result = *layout_c;
  check(first, what.op_a, result);
  if (has_b) check(second, what.op_b, result);
  const AnyScalar of_a(on_device, what.scale, alpha);
  std::optional<AnyScalar> of_b;
  if (has_b) of_b.emplace(on_device, what.scale, beta);
  const auto rows = static_cast<std::int64_t>(result.rows);
  const auto columns = static_cast<std::int64_t>(result.columns);
  return cublas::status_of(
      submit(stream, name_of(result.type),
             {{"rows", rows}, {"columns", columns}, {"batch", result.batch}}, [=] {
               for (std::int64_t i = 0; i < result.batch; ++i) {
                 std::vector<DoubleComplex> sum(static_cast<std::size_t>(rows * columns));
                 add(place(first, a, i), what.op_a, of_a.get(), rows, sum);
                 if (of_b) add(place(second, b, i), what.op_b, of_b->get(), rows, sum);
                 store(place(result, c, i), sum);
               }
             }));
}

}  // namespace

HEDDLE_EXPORT(cublasLtMatrixTransform, transform)

}  // namespace heddle::runtime::libraries::cublaslt
