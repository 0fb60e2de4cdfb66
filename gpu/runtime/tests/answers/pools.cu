// Memory pools, and what is told of them as memory is taken and given back.
#include "answers.hpp"

__global__ void spin(int* flag) {
  while (*reinterpret_cast<volatile int*>(flag) == 0) {
  }
}

static void counts(cudaMemPool_t pool) {
  std::uint64_t told[4] = {};
  for (int i = 0; i < 4; ++i)
    cudaMemPoolGetAttribute(pool, static_cast<cudaMemPoolAttr>(5 + i), &told[i]);
  std::printf("  reserved %llu, most %llu, used %llu, most %llu\n",
              static_cast<unsigned long long>(told[0]), static_cast<unsigned long long>(told[1]),
              static_cast<unsigned long long>(told[2]), static_cast<unsigned long long>(told[3]));
}

SECTION(counting) {
  cudaMemPool_t pool;
  CALL(cudaDeviceGetDefaultMemPool(&pool, 0));
  counts(pool);
  void *a, *b, *c;
  CALL(cudaMallocAsync(&a, 100, 0));
  counts(pool);
  CALL(cudaMallocAsync(&b, 1000, 0));
  counts(pool);
  CALL(cudaMallocAsync(&c, 40 << 20, 0));
  counts(pool);
  CALL(cudaFreeAsync(b, 0));
  counts(pool);
  CALL(cudaStreamSynchronize(0));
  counts(pool);
  CALL(cudaFree(a));
  counts(pool);
  CALL(cudaDeviceSynchronize());
  counts(pool);
  CALL(cudaFreeAsync(c, 0));
  CALL(cudaStreamSynchronize(0));
  counts(pool);
  std::uint64_t zero = 0;
  CALL(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
  CALL(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemHigh, &zero));
  counts(pool);
  std::uint64_t one = 1;
  CALL(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &one));
  CALL(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &zero));
  std::uint64_t keep = ~0ull;
  CALL(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
  CALL(cudaMallocAsync(&c, 40 << 20, 0));
  CALL(cudaFreeAsync(c, 0));
  CALL(cudaStreamSynchronize(0));
  counts(pool);
  void* again = nullptr;
  CALL(cudaMallocAsync(&again, 40 << 20, 0));
  VALUE(again == c);
  CALL(cudaFreeAsync(again, 0));
  CALL(cudaStreamSynchronize(0));
  CALL(cudaMemPoolTrimTo(pool, 1 << 20));
  counts(pool);
  CALL(cudaMemPoolTrimTo(pool, 0));
  counts(pool);
}

SECTION(attributes) {
  cudaMemPool_t pool;
  cudaDeviceGetDefaultMemPool(&pool, 0);
  for (int i = 0; i <= 10; ++i) {
    std::uint64_t told = 0;
    const cudaError_t error = cudaMemPoolGetAttribute(pool, static_cast<cudaMemPoolAttr>(i), &told);
    std::printf("attribute %d: %s %llu\n", i, cudaGetErrorName(error),
                static_cast<unsigned long long>(told));
  }
  int off = 0;
  for (int i = 1; i <= 3; ++i) {
    CALL(cudaMemPoolSetAttribute(pool, static_cast<cudaMemPoolAttr>(i), &off));
    int told = 77;
    CALL(cudaMemPoolGetAttribute(pool, static_cast<cudaMemPoolAttr>(i), &told));
    VALUE(told);
  }
  cudaMemAccessFlags flags;
  cudaMemLocation here{cudaMemLocationTypeDevice, 0}, nowhere{cudaMemLocationTypeDevice, 9},
      host{cudaMemLocationTypeHost, 0};
  CALL(cudaMemPoolGetAccess(&flags, pool, &here));
  VALUE(flags);
  CALL(cudaMemPoolGetAccess(&flags, pool, &nowhere));
  CALL(cudaMemPoolGetAccess(&flags, pool, &host));
  cudaMemAccessDesc access{here, cudaMemAccessFlagsProtReadWrite};
  CALL(cudaMemPoolSetAccess(pool, &access, 1));
  access.flags = cudaMemAccessFlagsProtNone;
  CALL(cudaMemPoolSetAccess(pool, &access, 1));
  access.flags = cudaMemAccessFlagsProtRead;
  CALL(cudaMemPoolSetAccess(pool, &access, 1));
  access = {nowhere, cudaMemAccessFlagsProtReadWrite};
  CALL(cudaMemPoolSetAccess(pool, &access, 1));
  CALL(cudaMemPoolSetAccess(pool, &access, 0));
  CALL(cudaMemPoolDestroy(pool));
  CALL(cudaDeviceGetDefaultMemPool(&pool, 9));
  CALL(cudaDeviceGetMemPool(&pool, 0));
  CALL(cudaDeviceSetMemPool(0, pool));
  CALL(cudaDeviceSetMemPool(0, nullptr));
}

static void make(const char* what, cudaMemPoolProps properties) {
  cudaMemPool_t pool = nullptr;
  const cudaError_t error = cudaMemPoolCreate(&pool, &properties);
  std::printf("%s: %s\n", what, cudaGetErrorName(error));
  if (error != cudaSuccess) return;
  void* memory = nullptr;
  CALL(cudaMallocFromPoolAsync(&memory, 1000, pool, 0));
  counts(pool);
  cudaPointerAttributes a{};
  CALL(cudaPointerGetAttributes(&a, memory));
  VALUE(a.type), VALUE(a.device);
  if (properties.handleTypes != cudaMemHandleTypeNone) {
    int handle = -1;
    CALL(
        cudaMemPoolExportToShareableHandle(&handle, pool, cudaMemHandleTypePosixFileDescriptor, 0));
    VALUE(handle >= 0);
    cudaMemPoolPtrExportData data;
    CALL(cudaMemPoolExportPointer(&data, memory));
  } else {
    int handle = -1;
    CALL(
        cudaMemPoolExportToShareableHandle(&handle, pool, cudaMemHandleTypePosixFileDescriptor, 0));
    cudaMemPoolPtrExportData data;
    CALL(cudaMemPoolExportPointer(&data, memory));
  }
  CALL(cudaFreeAsync(memory, 0));
  CALL(cudaStreamSynchronize(0));
  counts(pool);
  CALL(cudaMemPoolDestroy(pool));
}
SECTION(making) {
  cudaMemPoolProps usual{};
  usual.allocType = cudaMemAllocationTypePinned;
  usual.location = {cudaMemLocationTypeDevice, 0};
  make("usual", usual);
  cudaMemPoolProps limited = usual;
  limited.maxSize = 64 << 20;
  make("limited", limited);
  cudaMemPoolProps shared = usual;
  shared.handleTypes = cudaMemHandleTypePosixFileDescriptor;
  make("shared", shared);
  cudaMemPoolProps on_host = usual;
  on_host.location = {cudaMemLocationTypeHost, 0};
  make("host", on_host);
  on_host.location = {cudaMemLocationTypeHostNuma, 0};
  make("NUMA node", on_host);
  cudaMemPoolProps elsewhere = usual;
  elsewhere.location.id = 9;
  make("another device", elsewhere);
  cudaMemPoolProps managed = usual;
  managed.allocType = cudaMemAllocationTypeManaged;
  make("managed", managed);
  cudaMemPoolProps wrong = usual;
  wrong.allocType = cudaMemAllocationTypeInvalid;
  make("of no type", wrong);
}

SECTION(limited) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  properties.maxSize = 64 << 20;
  cudaMemPool_t pool;
  CALL(cudaMemPoolCreate(&pool, &properties));
  void *a = nullptr, *b = nullptr;
  CALL(cudaMallocFromPoolAsync(&a, 40 << 20, pool, 0));
  CALL(cudaMallocFromPoolAsync(&b, 40 << 20, pool, 0));
  last_error();
  CALL(cudaMallocFromPoolAsync(&b, 100 << 20, pool, 0));
  CALL(cudaFreeAsync(a, 0));
  CALL(cudaMallocFromPoolAsync(&b, 40 << 20, pool, 0));
  CALL(cudaDeviceSetMemPool(0, pool));
  CALL(cudaMallocAsync(&a, 1000, 0));
  counts(pool);
  CALL(cudaMemPoolDestroy(pool));
  cudaMemPool_t current, usual;
  CALL(cudaDeviceGetMemPool(&current, 0));
  CALL(cudaDeviceGetDefaultMemPool(&usual, 0));
  VALUE(current == usual);
}

SECTION(wrong_calls) {
  void* memory = nullptr;
  CALL(cudaMallocAsync(&memory, 0, 0));
  VALUE(memory == nullptr);
  CALL(cudaMallocAsync(static_cast<void**>(nullptr), 10, 0));
  CALL(cudaMallocAsync(&memory, std::size_t{1} << 45, 0));
  last_error();
  CALL(cudaFreeAsync(nullptr, 0));
  CALL(cudaMalloc(&memory, 1000));
  CALL(cudaFreeAsync(memory, 0));
  CALL(cudaStreamSynchronize(0));
  CALL(cudaMallocAsync(&memory, 1000, 0));
  CALL(cudaFreeAsync(memory, 0));
  CALL(cudaFreeAsync(memory, 0));
  CALL(cudaStreamSynchronize(0));
  last_error();
  int on_stack;
  CALL(cudaFreeAsync(&on_stack, 0));
  void* managed;
  CALL(cudaMallocManaged(&managed, 100));
  CALL(cudaFreeAsync(managed, 0));
}

SECTION(same_address) {
  cudaStream_t one, two;
  cudaStreamCreate(&one);
  cudaStreamCreate(&two);
  void *a, *b, *c;
  CALL(cudaMallocAsync(&a, 1 << 20, one));
  CALL(cudaFreeAsync(a, one));
  CALL(cudaMallocAsync(&b, 1 << 20, one));
  VALUE(a == b);
  CALL(cudaFreeAsync(b, one));
  CALL(cudaMallocAsync(&c, 1 << 20, two));
  CALL(cudaDeviceSynchronize());
  char* last = nullptr;
  for (std::size_t bytes : {1, 100, 512, 513, 4096, 1 << 20}) {
    char* memory = nullptr;
    cudaMallocAsync(&memory, bytes, one);
    std::printf("%zu bytes: %llu of 512, %lld behind\n", bytes,
                reinterpret_cast<unsigned long long>(memory) % 512,
                last == nullptr ? 0LL : static_cast<long long>(memory - last));
    last = memory;
  }
}

SECTION(graph_memory) {
  std::uint64_t told = 77;
  for (int i = 0; i < 5; ++i) {
    told = 77;
    const cudaError_t error =
        cudaDeviceGetGraphMemAttribute(0, static_cast<cudaGraphMemAttributeType>(i), &told);
    std::printf("graph memory %d: %s %llu\n", i, cudaGetErrorName(error),
                static_cast<unsigned long long>(told));
  }
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  void* memory = nullptr;
  CALL(cudaMallocAsync(&memory, 1 << 20, stream));
  CALL(cudaMemsetAsync(memory, 1, 1 << 20, stream));
  CALL(cudaFreeAsync(memory, stream));
  cudaGraph_t graph;
  CALL(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t executable;
  CALL(cudaGraphInstantiate(&executable, graph, 0));
  CALL(cudaGraphLaunch(executable, stream));
  CALL(cudaGraphLaunch(executable, stream));
  CALL(cudaStreamSynchronize(stream));
  for (int i = 0; i < 4; ++i) {
    told = 77;
    const cudaError_t error =
        cudaDeviceGetGraphMemAttribute(0, static_cast<cudaGraphMemAttributeType>(i), &told);
    std::printf("graph memory %d: %s %llu\n", i, cudaGetErrorName(error),
                static_cast<unsigned long long>(told));
  }
  told = 0;
  CALL(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &told));
  CALL(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &told));
  CALL(cudaDeviceGraphMemTrim(0));
  CALL(cudaDeviceGraphMemTrim(9));
}
