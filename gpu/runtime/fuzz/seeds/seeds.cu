// Small launches of what committed capsules lack, one per value of SEED, as seeds of the fuzz
// targets that execute capsules. make.sh beside this builds and captures them.
#include <cuda_fp16.h>
#include <mma.h>

#include <cstdint>
#include <cstdio>

static void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

constexpr int kWords = 64;

#define TEXTURES 1
#define SURFACES 2
#define CLUSTERS 3
#define BULK_COPIES 4
#define ASYNC_COPIES 5
#define PRINTF 6
#define DEVICE_LAUNCHES 7
#define ATOMICS 8
#define DEVICE_HEAP 9
#define CALLS 10
#define TENSORS 11
#define WARP_FUNCTIONS 12
#define BARRIERS 13
#define FLOATS 14
#define REGISTERED 15

__device__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

#if SEED == TEXTURES
__global__ void seed(unsigned* out, cudaTextureObject_t plane, cudaTextureObject_t buffer) {
  const float x = threadIdx.x % 8 * 0.17f, y = threadIdx.x / 8 * 0.3f;
  const float4 filtered = tex2D<float4>(plane, x, y), level = tex2DLod<float4>(plane, y, x, 0.5f);
  const float4 corners = tex2Dgather<float4>(plane, x, y, 1);
  const unsigned fetched = tex1Dfetch<unsigned>(buffer, threadIdx.x - 3);
  out[threadIdx.x] = fetched + static_cast<unsigned>(filtered.x + level.y + corners.z);
}
#elif SEED == SURFACES
__global__ void seed(unsigned* out, cudaSurfaceObject_t surface) {
  const int x = threadIdx.x % 8, y = threadIdx.x / 8;
  const uchar4 read = surf2Dread<uchar4>(surface, x * 4, y, cudaBoundaryModeClamp);
  surf2Dwrite(make_uchar4(read.w, read.z, 1, x), surface, y * 4, x, cudaBoundaryModeZero);
  out[threadIdx.x] = read.x;
}
#elif SEED == CLUSTERS
__global__ void __cluster_dims__(2, 1, 1) seed(unsigned* out) {
  __shared__ unsigned tile[kWords];
  unsigned rank, remote, value;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  tile[threadIdx.x] = threadIdx.x + 100 * rank;
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(remote) : "r"(shared_address(&tile[threadIdx.x ^ 1])), "r"(rank ^ 1));
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(remote) : "memory");
  asm volatile("atom.shared::cluster.add.u32 %0, [%1], 3;" : "=r"(rank) : "r"(remote) : "memory");
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
  out[threadIdx.x] = value + tile[threadIdx.x] + rank;
}
#elif SEED == BULK_COPIES
__global__ void seed(unsigned* out) {
  __shared__ alignas(128) unsigned tile[kWords];
  __shared__ std::uint64_t barrier;
  const unsigned at = shared_address(&barrier), to = shared_address(tile);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at));
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(at) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];"
                 ::"r"(to), "l"(out), "r"(at) : "memory");
  }
  __syncthreads();
  asm volatile(
      "{ .reg .pred over; again_%=: mbarrier.try_wait.parity.shared::cta.b64 over, [%0], 0; @!over bra again_%=; }"
      ::"r"(at) : "memory");
  tile[threadIdx.x] += threadIdx.x;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x != 0) return;
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 256;"
               ::"l"(out), "r"(to) : "memory");
  asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}
#elif SEED == ASYNC_COPIES
__global__ void seed(unsigned* out) {
  __shared__ alignas(16) unsigned tile[kWords];
  __shared__ std::uint64_t barrier;
  const unsigned at = shared_address(&barrier);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at));
  __syncthreads();
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
               ::"r"(shared_address(&tile[threadIdx.x])), "l"(out + (threadIdx.x ^ 5)) : "memory");
  asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at) : "memory");
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
#elif SEED == PRINTF
__global__ void seed(unsigned* out) {
  if (threadIdx.x % 16 == 3)
    printf("%s %5d %-8.3f %c%% %llx\n", "thread", threadIdx.x, threadIdx.x * 0.5, 'a', 1ull << 40);
  out[threadIdx.x] = threadIdx.x;
}
#elif SEED == DEVICE_LAUNCHES
__global__ void child(unsigned* out) { atomicAdd(out + threadIdx.x, 1u); }
__global__ void seed(unsigned* out) {
  if (threadIdx.x < 2) child<<<1, 32>>>(out + 32 * threadIdx.x);
}
#elif SEED == ATOMICS || SEED == REGISTERED
__global__ void seed(unsigned* out) {
  __shared__ unsigned shared[4];
  if (threadIdx.x < 4) shared[threadIdx.x] = 0;
  __syncthreads();
  atomicMax(&shared[threadIdx.x % 4], threadIdx.x);
  const unsigned old = atomicAdd(&out[threadIdx.x % 3], 2u);
  atomicCAS(&out[8 + threadIdx.x % 2], old, threadIdx.x);
  atomicAdd(reinterpret_cast<float*>(out + 16), 0.5f);
  atomicAdd(reinterpret_cast<double*>(out + 18), 0.25);
  atomicExch(reinterpret_cast<unsigned long long*>(out + 20), 7ull + threadIdx.x);
  __syncthreads();
  out[32 + threadIdx.x % 32] = shared[threadIdx.x % 4] + atomicInc(&out[24], 5u);
}
#elif SEED == DEVICE_HEAP
__global__ void seed(unsigned* out) {
  auto* mine = static_cast<unsigned*>(malloc(16 + threadIdx.x));
  if (mine == nullptr) return;
  mine[1] = threadIdx.x;
  out[threadIdx.x] = mine[1];
  free(mine);
}
#elif SEED == CALLS
__device__ __noinline__ unsigned twice(unsigned x) { return 2 * x; }
__device__ __noinline__ unsigned sum_to(unsigned x) { return x == 0 ? 0 : x + sum_to(x - 1); }
__device__ unsigned (*const functions[])(unsigned) = {twice, sum_to};
__global__ void seed(unsigned* out) {
  unsigned local[16];
  for (unsigned i = 0; i < 16; ++i) local[i] = out[i] + threadIdx.x;
  local[threadIdx.x % 16] = functions[threadIdx.x % 2](threadIdx.x % 5);
  switch (out[threadIdx.x] % 6) {
    case 0: local[1] += 3; break;
    case 1: local[2] *= 5; break;
    case 2: local[3] ^= 9; break;
    case 3: local[4] -= 2; break;
    case 4: local[5] = 1; break;
    default: break;
  }
  out[threadIdx.x] = local[(threadIdx.x * 7) % 16];
}
#elif SEED == TENSORS
__global__ void seed(unsigned* out) {
  using namespace nvcuda::wmma;
  __shared__ __half a[256], b[256];
  __shared__ float c[256];
  for (int i = threadIdx.x; i < 256; i += 64) a[i] = b[i] = __int2half_rn(i % 3);
  __syncthreads();
  fragment<matrix_a, 16, 16, 16, __half, row_major> left;
  fragment<matrix_b, 16, 16, 16, __half, col_major> right;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0.0f);
  load_matrix_sync(left, a, 16);
  load_matrix_sync(right, b, 16);
  mma_sync(sum, left, right, sum);
  if (threadIdx.x < 32) store_matrix_sync(c, sum, 16, mem_row_major);
  __syncthreads();
  out[threadIdx.x] = static_cast<unsigned>(c[threadIdx.x]);
}
#elif SEED == WARP_FUNCTIONS
__global__ void seed(unsigned* out) {
  const unsigned lane = threadIdx.x % 32;
  unsigned value = out[threadIdx.x];
  value += __shfl_xor_sync(~0u, value, 3) + __shfl_down_sync(~0u, value, 1, 8);
  value ^= __ballot_sync(~0u, value % 2) + __reduce_add_sync(~0u, lane);
  value += __match_any_sync(~0u, lane % 5) + __popc(__activemask());
  if (lane < 7) {
    value += __shfl_sync(0x7f, value, lane ^ 1);
    __syncwarp(0x7f);
  }
  out[threadIdx.x] = value + __any_sync(~0u, lane == 3);
}
#elif SEED == BARRIERS
__global__ void seed(unsigned* out) {
  __shared__ unsigned shared[kWords];
  shared[threadIdx.x] = threadIdx.x;
  for (int i = 0; i < 3; ++i) {
    if (__syncthreads_or(shared[threadIdx.x ^ 33] > 40)) shared[threadIdx.x] += 1;
    asm volatile("bar.sync 2, 64;" ::: "memory");
    if (threadIdx.x < 32)
      asm volatile("bar.arrive 3, 64;" ::: "memory");
    else
      asm volatile("bar.sync 3, 64;" ::: "memory");
  }
  __nanosleep(20);
  __threadfence();
  out[threadIdx.x] = shared[63 - threadIdx.x] + __syncthreads_count(threadIdx.x % 2);
}
#elif SEED == FLOATS
__global__ void seed(unsigned* out) {
  const float x = threadIdx.x * 0.37f - 5;
  const double d = x;
  const __half2 h = __floats2half2_rn(x, x * x);
  float sum = sinf(x) + __expf(x) + sqrtf(fabsf(x)) + x / 3 + float(d * d / (d + 0.1));
  sum += __half2float(__low2half(__hfma2(h, h, h))) + float(__float2int_rz(x)) + rsqrtf(x * x + 1);
  out[threadIdx.x] = __float_as_uint(sum) + static_cast<unsigned>(__dp4a(int(threadIdx.x), 3, 7));
}
#endif

int main() {
  unsigned* out = nullptr;
  check(cudaMalloc(&out, kWords * sizeof *out));
  check(cudaMemset(out, 3, kWords * sizeof *out));
#if SEED == TEXTURES || SEED == SURFACES
  uchar4 texels[8][8];
  for (int i = 0; i < 64; ++i) texels[i / 8][i % 8] = make_uchar4(i, 2 * i, 3 * i, 255 - i);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
  cudaArray_t array;
  check(cudaMallocArray(&array, &format, 8, 8, cudaArraySurfaceLoadStore | cudaArrayTextureGather));
  check(cudaMemcpy2DToArray(array, 0, 0, texels, 32, 32, 8, cudaMemcpyHostToDevice));
  cudaResourceDesc plane = {};
  plane.resType = cudaResourceTypeArray;
  plane.res.array.array = array;
#endif
#if SEED == TEXTURES
  cudaTextureDesc filtered = {};
  filtered.filterMode = cudaFilterModeLinear;
  filtered.readMode = cudaReadModeNormalizedFloat;
  filtered.normalizedCoords = 1;
  cudaTextureObject_t first, second;
  check(cudaCreateTextureObject(&first, &plane, &filtered, nullptr));
  cudaResourceDesc line = {};
  line.resType = cudaResourceTypeLinear;
  line.res.linear = {out, cudaCreateChannelDesc<unsigned>(), kWords * sizeof *out};
  cudaTextureDesc plain = {};
  check(cudaCreateTextureObject(&second, &line, &plain, nullptr));
  seed<<<1, kWords>>>(out, first, second);
#elif SEED == SURFACES
  cudaSurfaceObject_t surface;
  check(cudaCreateSurfaceObject(&surface, &plane));
  seed<<<1, kWords>>>(out, surface);
#elif SEED == REGISTERED
  alignas(16) static unsigned char host[16 + kWords * sizeof *out];
  check(cudaHostRegister(host + 11, sizeof host - 11, cudaHostRegisterMapped));
  seed<<<1, kWords>>>(reinterpret_cast<unsigned*>(host + 16));
#elif SEED == CLUSTERS
  seed<<<2, kWords>>>(out);
#else
  seed<<<1, kWords>>>(out);
#endif
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
}
