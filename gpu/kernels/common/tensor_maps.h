// Tensor maps of matrices in device memory, for the programs here that copy boxes of them.
#pragma once

#include <cuda.h>

#include "common.h"

// A matrix of `rows` rows of `columns` elements that adjoin. Boxes are 128 bytes wide, `box_rows`
// rows high, and swizzled as a whole (128 bytes). `type`: of the elements, `bytes` each.
inline CUtensorMap matrix_map(CUtensorMapDataType type, int bytes, void* matrix, int rows,
                              int columns, int box_rows) {
  using Encode = decltype(&cuTensorMapEncodeTiled);
  void* encode = nullptr;
  cudaDriverEntryPointQueryResult found;
  CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000,
                                         cudaEnableDefault, &found));
  CUtensorMap map;
  const cuuint64_t size[] = {cuuint64_t(columns), cuuint64_t(rows)};
  const cuuint64_t stride[] = {cuuint64_t(columns) * cuuint64_t(bytes)};
  const cuuint32_t box[] = {cuuint32_t(128 / bytes), cuuint32_t(box_rows)}, step[] = {1, 1};
  const CUresult result = reinterpret_cast<Encode>(encode)(
      &map, type, 2, matrix, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
      CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) {
    fprintf(stderr, "cuTensorMapEncodeTiled: error %d\n", int(result));
    exit(EXIT_FAILURE);
  }
  return map;
}
