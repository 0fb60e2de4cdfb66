// Which driver calls make and end device allocations.
#pragma once

#include <cuda.h>
#include <cupti.h>

#include "gpu/cupti/allocations.hpp"

namespace heddle::cupti {

inline constexpr CUpti_CallbackId kMemoryCalls[] = {
    CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemAllocPitch_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged,
    CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync,
    CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync,
    CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync,
    CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuMemMap,
    CUPTI_DRIVER_TRACE_CBID_cuMemUnmap};

// After a call of kMemoryCalls succeeded. A new allocation is filled with zeros: what the program
// has not written must not depend on who used the memory before.
void track_memory(CUpti_CallbackId id, const void* parameters, Allocations& allocations);

}  // namespace heddle::cupti
