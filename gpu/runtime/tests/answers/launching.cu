// Kernels: what is told of them and set on them, occupancy, launches that are refused.
#include <cooperative_groups.h>

#include "answers.hpp"

__global__ void plain(int* out) { out[threadIdx.x] = threadIdx.x; }
__global__ void __launch_bounds__(256, 2) bounded(float* out) { out[threadIdx.x] *= 2; }
__global__ void static_shared(int* out) {
  __shared__ int cells[1024];
  cells[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = cells[1023 - threadIdx.x];
}
extern __shared__ int dynamic_cells[];
__global__ void dynamic_shared(int* out) {
  dynamic_cells[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = dynamic_cells[blockDim.x - 1 - threadIdx.x];
}
__global__ void local_array(int* out, int n) {
  int cells[100];
  for (int i = 0; i < 100; ++i) cells[i] = out[i] + n;
  out[threadIdx.x] = cells[n];
}
__global__ void __cluster_dims__(2, 1, 1) clustered(int* out) {
  auto cluster = cooperative_groups::this_cluster();
  cluster.sync();
  out[blockIdx.x] = cluster.block_rank();
}
__global__ void any_cluster(int* out) {
  auto cluster = cooperative_groups::this_cluster();
  cluster.sync();
  out[blockIdx.x] = cluster.num_blocks();
}
__global__ void whole_grid(int* out) {
  cooperative_groups::this_grid().sync();
  if (threadIdx.x == 0) out[blockIdx.x] = 1;
}
__constant__ int constants[100];
__global__ void with_constants(int* out) { out[threadIdx.x] = constants[threadIdx.x]; }
void not_a_kernel() {}

#define KERNELS(X)                                                                         \
  X(plain)                                                                                 \
  X(bounded) X(static_shared) X(dynamic_shared) X(local_array) X(clustered) X(any_cluster) \
      X(whole_grid) X(with_constants)

template <typename Kernel>
void show(const char* name, Kernel kernel) {
  cudaFuncAttributes a{};
  std::printf("%s: %s\n", name, cudaGetErrorName(cudaFuncGetAttributes(&a, kernel)));
  VALUE(a.sharedSizeBytes), VALUE(a.constSizeBytes), VALUE(a.localSizeBytes),
      VALUE(a.maxThreadsPerBlock);
  VALUE(a.numRegs), VALUE(a.ptxVersion), VALUE(a.binaryVersion), VALUE(a.cacheModeCA);
  VALUE(a.maxDynamicSharedSizeBytes), VALUE(a.preferredShmemCarveout), VALUE(a.clusterDimMustBeSet);
  VALUE(a.requiredClusterWidth), VALUE(a.requiredClusterHeight), VALUE(a.requiredClusterDepth);
  VALUE(a.clusterSchedulingPolicyPreference), VALUE(a.nonPortableClusterSizeAllowed);
}

SECTION(attributes) {
#define X(kernel) show(#kernel, kernel);
  KERNELS(X)
#undef X
  cudaFuncAttributes a;
  CALL(cudaFuncGetAttributes(&a, not_a_kernel));
  last_error();
  CALL(cudaFuncGetAttributes(&a, static_cast<const void*>(nullptr)));
  CALL(cudaFuncGetAttributes(nullptr, plain));
}

static void set(int attribute, int value) {
  cudaFuncAttributes a{};
  std::printf("set %d to %d: %s", attribute, value,
              cudaGetErrorName(cudaFuncSetAttribute(
                  dynamic_shared, static_cast<cudaFuncAttribute>(attribute), value)));
  cudaFuncGetAttributes(&a, dynamic_shared);
  std::printf("; %d %d %d %d %d %d %d %d\n", a.maxDynamicSharedSizeBytes, a.preferredShmemCarveout,
              a.clusterDimMustBeSet, a.requiredClusterWidth, a.requiredClusterHeight,
              a.requiredClusterDepth, a.clusterSchedulingPolicyPreference,
              a.nonPortableClusterSizeAllowed);
  cudaGetLastError();
}
SECTION(set_attributes) {
  for (int v : {0, 1000, 49152, 100000, 232448, 232449, 300000, -1, -2}) set(8, v);
  for (int v : {0, 1, 50, 100, 101, -1, -2}) set(9, v);
  for (int v : {0, 1, 2}) set(10, v);
  for (int v : {1, 2, 0}) set(11, v);
  for (int v : {1, 2, 0}) set(12, v);
  for (int v : {1, 2, 0}) set(13, v);
  for (int v : {1, 2, 0}) set(14, v);
  for (int v : {1, 2, 3, 0}) set(15, v);
  for (int v : {1, 0}) set(16, v);
  for (int i : {0, 1, 4, 7}) set(i, 1);
  CALL(cudaFuncSetAttribute(static_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
  CALL(cudaFuncSetAttribute(static_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
                            232448 - 4096));
  CALL(cudaFuncSetAttribute(not_a_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1));
  last_error();
  for (int v : {0, 1, 2, 3, 4})
    std::printf("cache %d: %s\n", v,
                cudaGetErrorName(cudaFuncSetCacheConfig(plain, static_cast<cudaFuncCache>(v))));
  CALL(cudaFuncSetSharedMemConfig(plain, cudaSharedMemBankSizeEightByte));
  const char* name = nullptr;
  CALL(cudaFuncGetName(&name, reinterpret_cast<const void*>(plain)));
  VALUE(name);
  std::size_t offset = 77, bytes = 77;
  CALL(cudaFuncGetParamInfo(reinterpret_cast<const void*>(local_array), 1, &offset, &bytes));
  VALUE(offset), VALUE(bytes);
  CALL(cudaFuncGetParamInfo(reinterpret_cast<const void*>(local_array), 2, &offset, &bytes));
}

template <typename Kernel>
void fits(const char* name, Kernel kernel) {
  std::printf("occupancy of %s\n", name);
  for (int threads : {1, 32, 33, 128, 256, 257, 512, 1000, 1024, 1025, 0, -1})
    for (std::size_t bytes : {0, 1000, 40000, 49152, 60000}) {
      int blocks = -77;
      const cudaError_t error =
          cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, bytes);
      std::printf("%d threads, %zu bytes: %s %d\n", threads, bytes, cudaGetErrorName(error),
                  blocks);
    }
  cudaGetLastError();
  int grid = 0, block = 0;
  CALL(cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel, 0, 0));
  VALUE(grid), VALUE(block);
  CALL(cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel, 20000, 0));
  VALUE(grid), VALUE(block);
  CALL(cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel, 0, 100));
  VALUE(grid), VALUE(block);
  for (int blocks : {0, 1, 2, 4, 8, 16, 32, 33})
    for (int threads : {32, 128, 256, 1024, 2048}) {
      std::size_t bytes = 77;
      const cudaError_t error =
          cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, kernel, blocks, threads);
      std::printf("%d blocks of %d: %s %zu\n", blocks, threads, cudaGetErrorName(error), bytes);
    }
  cudaGetLastError();
}
SECTION(occupancy) {
  fits("plain", plain);
  fits("bounded", bounded);
  fits("static_shared", static_shared);
  cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000);
  fits("dynamic_shared", dynamic_shared);
  int blocks = 0;
  CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, plain, 128, 0,
                                                              cudaOccupancyDisableCachingOverride));
  CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, plain, 128, 0, 2));
  CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, not_a_kernel, 128, 0));
  CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(static_cast<int*>(nullptr), plain, 128, 0));
}
SECTION(occupancy_of_carveouts) {
  for (int carveout : {-1, 0, 10, 25, 50, 100}) {
    cudaFuncSetAttribute(static_shared, cudaFuncAttributePreferredSharedMemoryCarveout, carveout);
    int blocks = 0;
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, static_shared, 256, 0));
    VALUE(blocks);
  }
}

static void clusters(const void* kernel, unsigned width, unsigned threads, std::size_t bytes,
                     unsigned grid) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {width, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = threads;
  config.dynamicSmemBytes = bytes;
  config.attrs = &attribute;
  config.numAttrs = width == 0 ? 0 : 1;
  int most = -77, size = -77;
  const cudaError_t first = cudaOccupancyMaxActiveClusters(&most, kernel, &config);
  const cudaError_t second = cudaOccupancyMaxPotentialClusterSize(&size, kernel, &config);
  std::printf("width %u, %u threads, %zu bytes, grid %u: %s %d, %s %d\n", width, threads, bytes,
              grid, cudaGetErrorName(first), most, cudaGetErrorName(second), size);
  cudaGetLastError();
}
SECTION(clusters) {
  const auto* any = reinterpret_cast<const void*>(any_cluster);
  for (unsigned width : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 17, 32})
    clusters(any, width, 128, 0, width == 0 ? 64 : width * 8);
  for (unsigned threads : {32, 256, 512, 1024, 1025}) clusters(any, 4, threads, 0, 64);
  for (std::size_t bytes : {1000, 40000, 60000, 100000, 200000}) clusters(any, 4, 128, bytes, 64);
  CALL(cudaFuncSetAttribute(any, cudaFuncAttributeMaxDynamicSharedMemorySize, 220000));
  for (std::size_t bytes : {1000, 40000, 60000, 100000, 200000}) clusters(any, 4, 128, bytes, 64);
  for (unsigned width : {1, 2, 4, 8, 16}) clusters(any, width, 1024, 200000, 64);
  CALL(cudaFuncSetAttribute(any, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  for (unsigned width : {1, 2, 4, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17})
    clusters(any, width, 128, 0, width * 8);
  for (unsigned width : {8, 16}) clusters(any, width, 1024, 200000, 64);
  clusters(any, 4, 128, 0, 63);
  clusters(any, 4, 128, 0, 0);
  const auto* fixed = reinterpret_cast<const void*>(clustered);
  for (unsigned width : {0, 1, 2, 4}) clusters(fixed, width, 128, 0, 64);
}

static int* out;
#define LAUNCH(...)                                \
  (__VA_ARGS__, std::printf("%s: ", #__VA_ARGS__), \
   std::printf("%s\n", cudaGetErrorName(cudaGetLastError())))
SECTION(refused) {
  cudaMalloc(&out, 1 << 20);
  LAUNCH(plain<<<0, 32>>>(out));
  LAUNCH(plain<<<1, 0>>>(out));
  LAUNCH(plain<<<1, 1025>>>(out));
  LAUNCH(plain<<<dim3(1, 65536), 32>>>(out));
  LAUNCH(plain<<<dim3(1, 1, 65536), 32>>>(out));
  LAUNCH(plain<<<dim3(0x80000000u), 32>>>(out));
  LAUNCH(plain<<<1, dim3(1, 1, 65)>>>(out));
  LAUNCH(plain<<<1, dim3(32, 33)>>>(out));
  LAUNCH(plain<<<1, dim3(1, 2048)>>>(out));
  LAUNCH(plain<<<1, 32, 49152>>>(out));
  LAUNCH(plain<<<1, 32, 49153>>>(out));
  LAUNCH(plain<<<1, 32, 300000>>>(out));
  LAUNCH(bounded<<<1, 257>>>(reinterpret_cast<float*>(out)));
  LAUNCH(static_shared<<<1, 1024, 45056>>>(out));
  LAUNCH(static_shared<<<1, 1024, 45057>>>(out));
  cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000);
  LAUNCH(dynamic_shared<<<1, 1024, 100000>>>(out));
  LAUNCH(dynamic_shared<<<1, 1024, 100001>>>(out));
  LAUNCH(clustered<<<3, 32>>>(out));
  LAUNCH(clustered<<<4, 32>>>(out));
  LAUNCH(any_cluster<<<3, 32>>>(out));
  CALL(cudaDeviceSynchronize());
  void* arguments[] = {&out};
  CALL(cudaLaunchKernel(reinterpret_cast<const void*>(not_a_kernel), 1, 1, arguments, 0, nullptr));
  last_error();
  CALL(cudaLaunchKernel(static_cast<const void*>(nullptr), 1, 1, arguments, 0, nullptr));
  CALL(cudaDeviceSynchronize());
}

static void cooperative(unsigned grid, unsigned threads, std::size_t bytes) {
  void* arguments[] = {&out};
  const cudaError_t error = cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(whole_grid),
                                                        grid, threads, arguments, bytes, nullptr);
  std::printf("cooperative %u by %u, %zu bytes: %s, %s\n", grid, threads, bytes,
              cudaGetErrorName(error), cudaGetErrorName(cudaDeviceSynchronize()));
  last_error();
}
SECTION(cooperative) {
  cudaMalloc(&out, 1 << 20);
  int blocks = 0;
  CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, whole_grid, 256, 0));
  VALUE(blocks);
  cooperative(132 * blocks, 256, 0);
  cooperative(132 * blocks + 1, 256, 0);
  cooperative(132 * 2, 1024, 0);
  cooperative(132 * 2 + 1, 1024, 0);
  cooperative(132 * 4, 32, 49152);
  cooperative(132 * 5, 32, 49152);
  cooperative(1, 1025, 0);
  cooperative(0, 32, 0);
  cooperative(1, 32, 60000);
}

static void with_cluster(const char* name, const void* kernel, unsigned grid, dim3 cluster,
                         unsigned threads = 32) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {cluster.x, cluster.y, cluster.z};
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = threads;
  config.attrs = &attribute;
  config.numAttrs = 1;
  void* arguments[] = {&out};
  const cudaError_t error = cudaLaunchKernelExC(&config, kernel, arguments);
  std::printf("%s, grid %u, cluster %u %u %u: %s, %s\n", name, grid, cluster.x, cluster.y,
              cluster.z, cudaGetErrorName(error), cudaGetErrorName(cudaDeviceSynchronize()));
  cudaGetLastError();
}
SECTION(cluster_launches) {
  cudaMalloc(&out, 1 << 20);
  const auto* any = reinterpret_cast<const void*>(any_cluster);
  const auto* fixed = reinterpret_cast<const void*>(clustered);
  with_cluster("any", any, 16, 8);
  with_cluster("any", any, 15, 8);
  with_cluster("any", any, 9, 9);
  with_cluster("any", any, 16, 16);
  with_cluster("any", any, 16, dim3(4, 2, 1));
  with_cluster("any", any, 16, dim3(0, 1, 1));
  with_cluster("any", any, 16, dim3(4, 1, 1), 1025);
  with_cluster("fixed", fixed, 16, 2);
  with_cluster("fixed", fixed, 16, 4);
  with_cluster("plain", reinterpret_cast<const void*>(plain), 16, 4);
  cudaFuncSetAttribute(any, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  with_cluster("any", any, 16, 16);
  with_cluster("any", any, 9, 9);
  with_cluster("any", any, 17, 17);
}

static void with_attribute(int id, const cudaLaunchAttributeValue& value) {
  cudaLaunchAttribute attribute{};
  attribute.id = static_cast<cudaLaunchAttributeID>(id);
  attribute.val = value;
  cudaLaunchConfig_t config{};
  config.gridDim = 4;
  config.blockDim = 32;
  config.attrs = &attribute;
  config.numAttrs = 1;
  void* arguments[] = {&out};
  const cudaError_t error =
      cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(plain), arguments);
  std::printf("attribute %d: %s, %s\n", id, cudaGetErrorName(error),
              cudaGetErrorName(cudaDeviceSynchronize()));
  cudaGetLastError();
}
SECTION(launch_attributes) {
  cudaMalloc(&out, 1 << 20);
  cudaLaunchAttributeValue none{};
  for (int id = 0; id < 19; ++id)
    if (id != 7 && id != 12 && id != 13) with_attribute(id, none);
  cudaLaunchAttributeValue one{};
  one.cooperative = 1;
  for (int id : {2, 3, 5, 6, 8, 10, 14, 16, 17, 99}) with_attribute(id, one);
  cudaEvent_t event;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  cudaLaunchAttributeValue programmatic{};
  programmatic.programmaticEvent.event = event;
  with_attribute(7, programmatic);
  cudaLaunchAttributeValue completion{};
  completion.launchCompletionEvent.event = event;
  with_attribute(12, completion);
  CALL(cudaEventSynchronize(event));
  cudaLaunchAttributeValue node{};
  node.deviceUpdatableKernelNode.deviceUpdatable = 1;
  with_attribute(13, node);
}
