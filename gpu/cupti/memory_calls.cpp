#include "gpu/cupti/memory_calls.hpp"

#include "gpu/cupti/check.hpp"

namespace heddle::cupti {
namespace {

template <typename Parameters>
const Parameters& as(const void* parameters) {
  return *static_cast<const Parameters*>(parameters);
}

void add(Allocations& allocations, CUdeviceptr base, std::size_t bytes) {
  HEDDLE_CALL(
      cuCtxSynchronize());  // an allocation in stream order is there when its stream gets to it
  HEDDLE_CALL(cuMemsetD8(base, 0, bytes));
  HEDDLE_CALL(cuCtxSynchronize());
  allocations.add(base, bytes);
}

}  // namespace

void track_memory(CUpti_CallbackId id, const void* parameters, Allocations& allocations) {
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2: {
      const auto& p = as<cuMemAlloc_v2_params>(parameters);
      return add(allocations, *p.dptr, p.bytesize);
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocPitch_v2: {
      const auto& p = as<cuMemAllocPitch_v2_params>(parameters);
      return add(allocations, *p.dptr, *p.pPitch * p.Height);
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged: {
      const auto& p = as<cuMemAllocManaged_params>(parameters);
      return add(allocations, *p.dptr, p.bytesize);
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync:
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync_ptsz: {
      const auto& p = as<cuMemAllocAsync_params>(parameters);
      return add(allocations, *p.dptr, p.bytesize);
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync:
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync_ptsz: {
      const auto& p = as<cuMemAllocFromPoolAsync_params>(parameters);
      return add(allocations, *p.dptr, p.bytesize);
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2:
      return allocations.remove(as<cuMemFree_v2_params>(parameters).dptr);
    case CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync:
    case CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync_ptsz:
      return allocations.remove(as<cuMemFreeAsync_params>(parameters).dptr);
    case CUPTI_DRIVER_TRACE_CBID_cuMemMap: {
      const auto& p = as<cuMemMap_params>(parameters);
      return allocations.add_mapping(p.ptr, p.size);
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemUnmap: {
      const auto& p = as<cuMemUnmap_params>(parameters);
      return allocations.remove_mappings(p.ptr, p.size);
    }
    default:
      return;
  }
}

}  // namespace heddle::cupti
