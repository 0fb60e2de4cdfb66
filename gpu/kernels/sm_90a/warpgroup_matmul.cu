// Products of bf16 matrices as Hopper is meant to make them: boxes of A and B come by tensor
// copies, barriers in shared memory count their bytes, a warp group multiplies them from there.
//
//   nvcc -std=c++17 -gencode arch=compute_90a,code=sm_90a -o warpgroup_matmul warpgroup_matmul.cu
//   ./warpgroup_matmul [M N K]           multiples of 128, 128 and 64
//
// Two kernels: one in which a thread of the only warp group copies while the group multiplies the
// box before, and one in which a warp group copies alone, gives its registers away (setmaxnreg),
// and two others multiply. Numbers are small and whole, so that the check is exact. Prints one line
// for each and ends with status 1 where a result is wrong.
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kRows = 64, kColumns = 128, kDepth = 64;  // of a warp group's box
constexpr int kStages = 4;
constexpr int kGroup = 128;  // threads
constexpr int kBytesOfA = kRows * kDepth * 2, kBytesOfB = kColumns * kDepth * 2;

__device__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ void make_barrier(std::uint64_t* barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(arrivals)
               : "memory");
}

__device__ void expect_bytes(std::uint64_t* barrier, unsigned bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
}

__device__ void arrive(std::uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
               : "memory");
}

__device__ void wait(std::uint64_t* barrier, unsigned phase) {
  asm volatile(
      "{\n .reg .pred done;\n"
      "AGAIN:\n mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      " @!done bra AGAIN;\n}" ::"r"(shared_address(barrier)),
      "r"(phase)
      : "memory");
}

__device__ void copy_box(void* to, const CUtensorMap* map, std::uint64_t* barrier, int k, int row) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "
      "{%3, %4}], [%2];" ::"r"(shared_address(to)),
      "l"(map), "r"(shared_address(barrier)), "r"(k), "r"(row)
      : "memory");
}

// Rows of 128 bytes, swizzled as a whole: eights of them 1,024 bytes apart.
__device__ std::uint64_t descriptor(const void* matrix) {
  return std::uint64_t{shared_address(matrix) >> 4} | std::uint64_t{1} << 16 |
         std::uint64_t{1024 >> 4} << 32 | std::uint64_t{1} << 62;
}

// sums += a * b, 64 x 128 x 16.
__device__ void multiply(float (&d)[64], std::uint64_t a, std::uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
      "%64, %65, 1, 1, 1, 0, 0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
        "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
        "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
        "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
        "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]),
        "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]),
        "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]),
        "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]),
        "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]),
        "+f"(d[63])
      : "l"(a), "l"(b));
}

__device__ void multiply_boxes(float (&sums)[64], const void* a, const void* b) {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  for (int k = 0; k < kDepth / 16; ++k)  // 32 bytes further along the rows
    multiply(sums, descriptor(a) + 2 * k, descriptor(b) + 2 * k);
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

__device__ void store(const float (&sums)[64], float* c, int n, int row, int column) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x % kGroup / 32;
  for (int i = 0; i < 64; i += 2) {
    const int r = row + 16 * warp + lane / 4 + 8 * (i / 2 % 2);
    const int at = column + 8 * (i / 4) + 2 * (lane % 4);
    *reinterpret_cast<float2*>(c + static_cast<std::size_t>(r) * n + at) =
        make_float2(sums[i], sums[i + 1]);
  }
}

// A's rows and B's columns are k long. A block makes 64 x 128 sums.
__global__ void __launch_bounds__(kGroup)
    tiled_matmul(const __grid_constant__ CUtensorMap map_a,
                 const __grid_constant__ CUtensorMap map_b, float* c, int n, int k) {
  extern __shared__ __align__(1024) unsigned char boxes[];
  __shared__ std::uint64_t full[2];
  unsigned char* const of_a = boxes;
  unsigned char* const of_b = boxes + 2 * kBytesOfA;
  const int row = blockIdx.y * kRows, column = blockIdx.x * kColumns, steps = k / kDepth;
  if (threadIdx.x == 0) {
    for (std::uint64_t& each : full) make_barrier(&each, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  const auto fetch = [&](int step) {
    const int stage = step % 2;
    expect_bytes(&full[stage], kBytesOfA + kBytesOfB);
    copy_box(of_a + stage * kBytesOfA, &map_a, &full[stage], step * kDepth, row);
    copy_box(of_b + stage * kBytesOfB, &map_b, &full[stage], step * kDepth, column);
  };
  if (threadIdx.x == 0) fetch(0);
  float sums[64] = {};
  for (int step = 0; step < steps; ++step) {
    const int stage = step % 2;
    if (threadIdx.x == 0 && step + 1 < steps) fetch(step + 1);
    wait(&full[stage], step / 2 % 2);
    multiply_boxes(sums, of_a + stage * kBytesOfA, of_b + stage * kBytesOfB);
    __syncthreads();  // before the boxes are overwritten
  }
  store(sums, c, n, row, column);
}

// The first warp group copies, the two others multiply 64 rows each.
__global__ void __launch_bounds__(3 * kGroup, 1)
    specialised_matmul(const __grid_constant__ CUtensorMap map_a,
                       const __grid_constant__ CUtensorMap map_b, float* c, int n, int k) {
  extern __shared__ __align__(1024) unsigned char boxes[];
  __shared__ std::uint64_t full[kStages], empty[kStages];
  constexpr int kBoxes = 2 * kBytesOfA + kBytesOfB;
  const int row = blockIdx.y * 2 * kRows, column = blockIdx.x * kColumns, steps = k / kDepth;
  if (threadIdx.x == 0) {
    for (std::uint64_t& each : full) make_barrier(&each, 1);
    for (std::uint64_t& each : empty) make_barrier(&each, 2);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x < kGroup) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x != 0) return;
    for (int step = 0; step < steps; ++step) {
      const int stage = step % kStages, round = step / kStages;
      unsigned char* const at = boxes + stage * kBoxes;
      wait(&empty[stage], (round + 1) % 2);
      expect_bytes(&full[stage], kBoxes);
      copy_box(at, &map_a, &full[stage], step * kDepth, row);
      copy_box(at + kBytesOfA, &map_a, &full[stage], step * kDepth, row + kRows);
      copy_box(at + 2 * kBytesOfA, &map_b, &full[stage], step * kDepth, column);
    }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  const int group = threadIdx.x / kGroup - 1;
  float sums[64] = {};
  for (int step = 0; step < steps; ++step) {
    const int stage = step % kStages, round = step / kStages;
    const unsigned char* const at = boxes + stage * kBoxes;
    wait(&full[stage], round % 2);
    multiply_boxes(sums, at + group * kBytesOfA, at + 2 * kBytesOfA);
    if (threadIdx.x % kGroup == 0) arrive(&empty[stage]);
  }
  store(sums, c, n, row + group * kRows, column);
}

static void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

using Encode = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                            const cuuint64_t*, const cuuint32_t*, const cuuint32_t*,
                            CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                            CUtensorMapFloatOOBfill);

// Boxes of `rows` rows, 128 bytes of k each.
static CUtensorMap map_of(Encode encode, void* matrix, int rows_of_matrix, int k, int rows) {
  CUtensorMap map;
  const cuuint64_t size[] = {static_cast<cuuint64_t>(k), static_cast<cuuint64_t>(rows_of_matrix)};
  const cuuint64_t stride[] = {static_cast<cuuint64_t>(k) * 2};
  const cuuint32_t box[] = {kDepth, static_cast<cuuint32_t>(rows)}, step[] = {1, 1};
  const CUresult result =
      encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, matrix, size, stride, box, step,
             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
             CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) {
    std::printf("cuTensorMapEncodeTiled: error %d\n", static_cast<int>(result));
    std::exit(1);
  }
  return map;
}

int main(int argc, char** argv) {
  const int m = argc > 3 ? std::atoi(argv[1]) : 256, n = argc > 3 ? std::atoi(argv[2]) : 256;
  const int k = argc > 3 ? std::atoi(argv[3]) : 512;
  std::vector<__nv_bfloat16> a(static_cast<std::size_t>(m) * k), b(static_cast<std::size_t>(n) * k);
  unsigned state = 1;
  const auto small = [&] {
    state = state * 1664525u + 1013904223u;
    return __float2bfloat16(static_cast<float>(static_cast<int>(state >> 24) % 9 - 4));
  };
  for (auto& each : a) each = small();
  for (auto& each : b) each = small();
  void *device_a, *device_b, *device_c;
  check(cudaMalloc(&device_a, a.size() * 2), "cudaMalloc");
  check(cudaMalloc(&device_b, b.size() * 2), "cudaMalloc");
  check(cudaMalloc(&device_c, static_cast<std::size_t>(m) * n * 4), "cudaMalloc");
  check(cudaMemcpy(device_a, a.data(), a.size() * 2, cudaMemcpyHostToDevice), "cudaMemcpy");
  check(cudaMemcpy(device_b, b.data(), b.size() * 2, cudaMemcpyHostToDevice), "cudaMemcpy");
  void* encode = nullptr;
  cudaDriverEntryPointQueryResult found;
  check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000,
                                         cudaEnableDefault, &found),
        "cudaGetDriverEntryPointByVersion");
  const auto make = reinterpret_cast<Encode>(encode);
  const CUtensorMap map_a = map_of(make, device_a, m, k, kRows);
  const CUtensorMap map_b = map_of(make, device_b, n, k, kColumns);
  float* const c = static_cast<float*>(device_c);
  bool right = true;
  for (int kernel = 0; kernel < 2; ++kernel) {
    check(cudaMemset(device_c, 0xff, static_cast<std::size_t>(m) * n * 4), "cudaMemset");
    if (kernel == 0) {
      constexpr int kShared = 2 * (kBytesOfA + kBytesOfB);
      check(
          cudaFuncSetAttribute(tiled_matmul, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared),
          "cudaFuncSetAttribute");
      tiled_matmul<<<dim3(n / kColumns, m / kRows), kGroup, kShared>>>(map_a, map_b, c, n, k);
    } else {
      constexpr int kShared = kStages * (2 * kBytesOfA + kBytesOfB);
      check(cudaFuncSetAttribute(specialised_matmul, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 kShared),
            "cudaFuncSetAttribute");
      specialised_matmul<<<dim3(n / kColumns, m / (2 * kRows)), 3 * kGroup, kShared>>>(map_a, map_b,
                                                                                       c, n, k);
    }
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "kernel");
    std::vector<float> sums(static_cast<std::size_t>(m) * n);
    check(cudaMemcpy(sums.data(), device_c, sums.size() * 4, cudaMemcpyDeviceToHost), "cudaMemcpy");
    int wrong = 0;
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        float sum = 0;
        for (int l = 0; l < k; ++l)
          sum += __bfloat162float(a[static_cast<std::size_t>(i) * k + l]) *
                 __bfloat162float(b[static_cast<std::size_t>(j) * k + l]);
        if (sum != sums[static_cast<std::size_t>(i) * n + j]) ++wrong;
      }
    std::printf("%s: %d of %d sums wrong\n", kernel == 0 ? "tiled_matmul" : "specialised_matmul",
                wrong, m * n);
    right = right && wrong == 0;
  }
  return right ? 0 : 1;
}
