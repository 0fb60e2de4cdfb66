// What the probes of warp groups' products and of the copy engine share: questions chosen by name,
// launches in clusters, products of a shape, maps of boxes.
#pragma once

#include "../../common/tensor_maps.h"
#include "../../common/warp_groups.h"
#include "flush.h"
#include "probe.h"

namespace timing {

constexpr int kSamples = 7, kShared = 196608;

inline std::vector<std::string> asked;
inline bool is_asked(const std::string& name) {
  if (asked.empty()) return true;
  for (const std::string& each : asked)
    if (name.rfind(each, 0) == 0) return true;
  return false;
}

struct Shape {
  unsigned blocks = 1;
  int threads = 32, cluster = 1;
  const Flush* flush =
      nullptr;  // before each launch; null: the first launch warms what caches hold
};

// The kernel leaves numbers of cycles for each block, one for each of `parts`; of `blocks` in a
// row, where parts is longer than one. `share`: of them.
template <typename Kernel, typename... Arguments>
void ask_parts(const std::string& name, const std::vector<std::string>& parts, Kernel kernel,
               const Shape& shape, double share, Arguments... arguments) {
  if (!is_asked(name)) return;
  CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  Buffer<long long> times(shape.blocks * parts.size());
  std::vector<std::vector<double>> samples(parts.size());
  for (int i = 0; i <= kSamples; ++i) {
    if (shape.flush != nullptr) (*shape.flush)();
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(shape.blocks);
    config.blockDim = dim3(unsigned(shape.threads));
    config.dynamicSmemBytes = kShared;
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {unsigned(shape.cluster), 1, 1};
    config.attrs = &attribute;
    config.numAttrs = shape.cluster > 1 ? 1 : 0;
    CUDA(cudaLaunchKernelEx(&config, kernel, times.data(), arguments...));
    finish();
    if (i == 0) continue;
    const std::vector<long long> all = times.read();
    for (std::size_t part = 0; part < parts.size(); ++part) {
      double sum = 0;
      for (unsigned block = 0; block < shape.blocks; ++block)
        sum += double(all[part * shape.blocks + block]);
      samples[part].push_back(sum / shape.blocks * share);
    }
  }
  for (std::size_t part = 0; part < parts.size(); ++part)
    print(name + (parts[part].empty() ? "" : "." + parts[part]), samples[part], "cycles");
}

template <typename Kernel, typename... Arguments>
void ask(const std::string& name, Kernel kernel, unsigned blocks, int threads, int cluster,
         double share, Arguments... arguments) {
  ask_parts(name, {""}, kernel, Shape{blocks, threads, cluster}, share, arguments...);
}

// ---- products

template <int kN, bool kFromRegisters>
struct Product;

#define PRODUCT(N, COUNT, LIST, TEXT, A, B0, B1)                                                \
  template <>                                                                                   \
  struct Product<N, false> {                                                                    \
    float d[COUNT];                                                                             \
    __device__ void operator()(std::uint64_t a, std::uint64_t b) {                              \
      asm volatile("wgmma.mma_async.sync.aligned.m64n" #N "k16.f32.bf16.bf16 {" TEXT "}, %" #A  \
                   ", %" #B0 ", 1, 1, 1, 0, 0;"                                                 \
                   : LIST                                                                       \
                   : "l"(a), "l"(b));                                                           \
    }                                                                                           \
  };                                                                                            \
  template <>                                                                                   \
  struct Product<N, true> {                                                                     \
    float d[COUNT];                                                                             \
    __device__ void operator()(std::uint64_t a, std::uint64_t b) {                              \
      const unsigned r = unsigned(a);                                                           \
      asm volatile("wgmma.mma_async.sync.aligned.m64n" #N "k16.f32.bf16.bf16 {" TEXT "}, {%" #A \
                   ", %" #A ", %" #A ", %" #A "}, %" #B1 ", 1, 1, 1, 0;"                        \
                   : LIST                                                                       \
                   : "r"(r), "l"(b));                                                           \
    }                                                                                           \
  };

#define TEXT_4 "%0, %1, %2, %3"
#define TEXT_16 TEXT_4 ", %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define TEXT_128                                                                               \
  WG_TEXT_64                                                                                   \
  ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, "    \
  "%81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, " \
  "%99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, "  \
  "%114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define LIST_4 "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
#define LIST_16 WG_8(d, 0), WG_8(d, 8)
#define LIST_64 WG_32(d, 0), WG_32(d, 32)
#define LIST_128 LIST_64, WG_32(d, 64), WG_32(d, 96)
PRODUCT(8, 4, LIST_4, TEXT_4, 4, 5, 5)
PRODUCT(32, 16, LIST_16, TEXT_16, 16, 17, 17)
PRODUCT(64, 32, WG_32(d, 0), WG_TEXT_32, 32, 33, 33)
PRODUCT(128, 64, LIST_64, WG_TEXT_64, 64, 65, 65)
PRODUCT(256, 128, LIST_128, TEXT_128, 128, 129, 129)

// ---- boxes

// Rows of `width` bytes, `pitch` apart (0: one behind the other); the box has `box_rows` of them.
inline CUtensorMap map_of(void* data, int swizzle, int width, int box_rows, std::size_t rows,
                          std::size_t pitch = 0,
                          CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_NONE) {
  using Encode = decltype(&cuTensorMapEncodeTiled);
  void* encode = nullptr;
  cudaDriverEntryPointQueryResult found;
  CUDA(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault,
                                        &found));
  CUtensorMap map;
  if (pitch == 0) pitch = std::size_t(width);
  const cuuint64_t size[] = {pitch / 4, rows}, stride[] = {pitch};
  const cuuint32_t box[] = {cuuint32_t(width / 4), cuuint32_t(box_rows)}, step[] = {1, 1};
  const CUresult result = reinterpret_cast<Encode>(encode)(
      &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, data, size, stride, box, step,
      CU_TENSOR_MAP_INTERLEAVE_NONE, static_cast<CUtensorMapSwizzle>(swizzle),
      promotion, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) std::exit(2);
  return map;
}

}  // namespace timing
