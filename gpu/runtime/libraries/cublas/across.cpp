// cuBLAS-XT: level 3 for matrices in the program's memory, or the devices'. Its rows stand beside
// those of cuBLAS (gemm.cpp, level3.cpp); here are its handle, and the product that it alone has.
// How the work is divided does not show in the results, so these settings are only kept.
#include <vector>

#include "gpu/runtime/libraries/cublas/across.hpp"

extern "C" heddle::runtime::Error cudaGetDeviceCount(int*);

namespace heddle::runtime::libraries::cublas {
namespace {

constexpr int kRoutines = 12, kTypes = 4;

struct AcrossContext : Context {
  int block = 2048, pinning = 0;  // as documented: tiles of 2,048
};
// All handles that this library's calls get are made here.
AcrossContext& of(Handle handle) { return *static_cast<AcrossContext*>(handle); }

Status create(Handle* handle) {
  demand(handle != nullptr);
  *handle = new AcrossContext;
  return Status::success;
}
Status destroy(Handle handle) {
  if (handle == nullptr) return Status::not_initialized;
  delete &of(handle);
  return Status::success;
}

bool are_devices(int count, const int* devices) {
  int there = 0;
  if (count <= 0 || devices == nullptr || cudaGetDeviceCount(&there) != Error::success)
    return false;
  return std::all_of(devices, devices + count, [&](int id) { return id >= 0 && id < there; });
}
Status select_devices(Handle handle, int count, const int* devices) {
  if (handle == nullptr) return Status::not_initialized;
  demand(are_devices(count, devices));
  return Status::success;
}
// One GPU a board.
Status count_boards(int count, const int* devices, int* boards) {
  demand(are_devices(count, devices) && boards != nullptr);
  *boards = count;
  return Status::success;
}

Status set_block(Handle handle, int block) {
  if (handle == nullptr) return Status::not_initialized;
  demand(block > 0);
  of(handle).block = block;
  return Status::success;
}
Status get_block(Handle handle, int* block) {
  if (handle == nullptr) return Status::not_initialized;
  demand(block != nullptr);
  *block = of(handle).block;
  return Status::success;
}
Status set_pinning(Handle handle, int mode) {
  if (handle == nullptr) return Status::not_initialized;
  demand(mode == 0 || mode == 1);
  of(handle).pinning = mode;
  return Status::success;
}
Status get_pinning(Handle handle, int* mode) {
  if (handle == nullptr) return Status::not_initialized;
  demand(mode != nullptr);
  *mode = of(handle).pinning;
  return Status::success;
}
bool is_routine(int routine, int type) {
  return routine >= 0 && routine < kRoutines && type >= 0 && type < kTypes;
}
// What a part of the work is computed with, by the CPU: all of it is here, by OpenBLAS.
Status set_cpu_routine(Handle handle, int routine, int type, void* function) {
  if (handle == nullptr) return Status::not_initialized;
  demand(is_routine(routine, type) && function != nullptr);
  return Status::success;
}
Status set_cpu_ratio(Handle handle, int routine, int type, float ratio) {
  if (handle == nullptr) return Status::not_initialized;
  demand(is_routine(routine, type) && ratio >= 0 && ratio <= 1);
  return Status::success;
}

// C = alpha A B + beta C, or B A, of a symmetric A that is packed.
template <typename T, typename Int>
Status spmm(Handle handle, Side side, Fill fill, Int m, Int n, const T* alpha, const T* ap,
            const T* b, Int ldb, const T* beta, T* c, Int ldc) {
  const Int order = side == Side::left ? m : n;
  demand(m >= 0 && n >= 0 && ldb >= std::max<Int>(1, m) && ldc >= std::max<Int>(1, m));
  return run<T>(handle, {{"m", m}, {"n", n}},
                [=, by_alpha = Scalar<T>(handle, alpha), by_beta = Scalar<T>(handle, beta)] {
                  const T factor = by_alpha.get(), keep = by_beta.get();
                  const T* from = in(ap, order * (order + 1) / 2);
                  std::vector<T> full(static_cast<std::size_t>(order * order));
                  for (Int j = 0; j < order; ++j)
                    for (Int i = fill == Fill::upper ? 0 : j;
                         i < (fill == Fill::upper ? j + 1 : order); ++i)
                      full[static_cast<std::size_t>(i + j * order)] = *from++;
                  blas<T>("symm", kColumns, c_blas(side), c_blas(fill), narrow(m), narrow(n),
                          by(factor), static_cast<const T*>(full.data()),
                          std::max(1, narrow(order)), in(b, span(m, n, ldb)), narrow(ldb), by(keep),
                          out(c, span(m, n, ldc)), narrow(ldc));
                });
}

}  // namespace

HEDDLE_EXPORT(cublasXtCreate, create)
HEDDLE_EXPORT(cublasXtDestroy, destroy)
HEDDLE_EXPORT(cublasXtDeviceSelect, select_devices)
HEDDLE_EXPORT(cublasXtGetNumBoards, count_boards)
HEDDLE_EXPORT(cublasXtSetBlockDim, set_block)
HEDDLE_EXPORT(cublasXtGetBlockDim, get_block)
HEDDLE_EXPORT(cublasXtSetPinningMemMode, set_pinning)
HEDDLE_EXPORT(cublasXtGetPinningMemMode, get_pinning)
HEDDLE_EXPORT(cublasXtSetCpuRoutine, set_cpu_routine)
HEDDLE_EXPORT(cublasXtSetCpuRatio, set_cpu_ratio)
HEDDLE_BLAS_XT_SDCZ(spmm, spmm)

}  // namespace heddle::runtime::libraries::cublas
