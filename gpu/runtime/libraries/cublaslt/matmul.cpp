// cublasLtMatmul: D = epilogue(alpha op(A) op(B) + beta C), of one matrix or of a batch.
#include "gpu/runtime/libraries/cublaslt/matmul.hpp"

#include <optional>

#include "gpu/runtime/libraries/cublaslt/epilogue.hpp"

namespace heddle::runtime::libraries::cublaslt {
namespace {

using cublas::AnyScalar;
using cublas::Handle;

struct Layouts {
  Layout a, b, c, d;
};

std::int64_t rows_of(Op op, const Layout& layout) {
  return static_cast<std::int64_t>(op == Op::none ? layout.rows : layout.columns);
}
std::int64_t columns_of(Op op, const Layout& layout) {
  return static_cast<std::int64_t>(op == Op::none ? layout.columns : layout.rows);
}

void check_layout(const Layout& layout) {
  name_of(layout.type);
  if (layout.order != Order::columns && layout.order != Order::rows)
    throw Missing("only the orders COL and ROW are supported");
  if (layout.batch_mode != 0 || layout.plane_offset != 0)
    throw Missing("of batches only strided ones are supported, of complex numbers no planes");
  const std::uint64_t inner = layout.order == Order::columns ? layout.rows : layout.columns;
  demand(layout.batch > 0 && layout.leading >= static_cast<std::int64_t>(inner));
}

bool has_alpha_vector(PointerMode mode) {
  return mode == PointerMode::alpha_vector_beta_zero || mode == PointerMode::alpha_vector_beta_host;
}

Shape shape_of(const Description& description, const Layouts& of) {
  const auto m = static_cast<std::int64_t>(of.d.rows), n = static_cast<std::int64_t>(of.d.columns);
  const std::int64_t k = columns_of(description.op_a, of.a);
  if (of.d.batch == 1) return {{"m", m}, {"n", n}, {"k", k}};
  return {{"m", m}, {"n", n}, {"k", k}, {"batch", of.d.batch}};
}

struct Operands {
  const void *a, *b, *c, *d;
};

// Inside the computation.
void multiply_all(const Description& description, const Layouts& of, const Operands& at,
                  const DoubleComplex& alpha, const DoubleComplex& beta,
                  std::uint64_t row_factors) {
  for (std::int64_t i = 0; i < of.d.batch; ++i) {
    cublas::Product product;
    product.op_a = description.op_a;
    product.op_b = description.op_b;
    product.a = place(of.a, at.a, i);
    product.b = place(of.b, at.b, i);
    product.c = place(of.c, at.c, i);
    product.d = place(of.d, at.d, i);
    product.compute = description.compute;
    product.alpha = alpha;
    product.beta = beta;
    const Finish finish(description, product, i, row_factors);
    if (description.epilogue != kPlain || row_factors != 0) product.finish = &finish;
    cublas::multiply(product);
  }
}

Status matmul(Handle handle, const Description* given, const void* alpha, const void* a,
              const Layout* layout_a, const void* b, const Layout* layout_b, const void* beta,
              const void* c, const Layout* layout_c, void* d, const Layout* layout_d,
              const Algorithm*, void*, std::size_t, abi::Handle stream) {
  if (handle == nullptr) return Status::not_initialized;
  demand(given != nullptr && layout_a != nullptr && layout_b != nullptr && layout_d != nullptr);
  const Description description = *given;
  const Layouts layouts{*layout_a, *layout_b, layout_c != nullptr ? *layout_c : *layout_d,
                        *layout_d};
  check_product(description, layouts.a, layouts.b, layouts.c, layouts.d);
  need(Host::openblas);
  const bool by_rows = has_alpha_vector(description.pointers);
  const bool on_device = description.pointers == PointerMode::device;
  demand(alpha != nullptr);
  std::optional<AnyScalar> of_product, of_sum;
  if (!by_rows) of_product.emplace(on_device, description.scale, alpha);
  if (description.pointers != PointerMode::alpha_vector_beta_zero && beta != nullptr)
    of_sum.emplace(on_device, description.scale, beta);
  if (by_rows && of_sum && of_sum->get() != DoubleComplex{})
    throw Missing("a vector of alpha beside a beta that is not zero is not supported");
  const std::string type =
      std::string(name_of(layouts.a.type)) +
      (layouts.d.type == layouts.a.type ? "" : std::string(" to ") + name_of(layouts.d.type));
  return cublas::status_of(submit(
      stream, type.c_str(), shape_of(description, layouts),
      [=, at = Operands{a, b, c != nullptr ? c : d, d}] {
        multiply_all(description, layouts, at, of_product ? of_product->get() : DoubleComplex{1},
                     of_sum ? of_sum->get() : DoubleComplex{},
                     by_rows ? reinterpret_cast<std::uint64_t>(alpha) : 0);
      }));
}

}  // namespace

void check_product(const Description& description, const Layout& a, const Layout& b,
                   const Layout& c, const Layout& d) {
  for (const Layout& each : {a, b, c, d}) check_layout(each);
  for (const Op op : {description.op_a, description.op_b}) cublas::c_blas(op);
  const std::int64_t rows = rows_of(description.op_a, a), depth = columns_of(description.op_a, a);
  demand(depth == rows_of(description.op_b, b) && rows == static_cast<std::int64_t>(d.rows));
  demand(columns_of(description.op_b, b) == static_cast<std::int64_t>(d.columns));
  demand(c.rows == d.rows && c.columns == d.columns);
  demand(a.batch == d.batch && b.batch == d.batch && c.batch == d.batch);
  if (description.op_c != Op::none || description.fill != 2)
    throw Missing("only whole matrices C that are not transposed are supported");
  if (description.pointers == PointerMode::device_vector)
    throw Missing("vectors of alpha and beta are not supported");
  for (const std::uint64_t scale : description.scales)
    if (scale != 0) throw Missing("factors of matrices (SCALE_POINTER, AMAX) are not supported");
  name_of(description.scale);
  cublas::scale_type(description.compute, d.type);
  check_epilogue(description, d);
}

HEDDLE_EXPORT(cublasLtMatmul, matmul)

}  // namespace heddle::runtime::libraries::cublaslt
