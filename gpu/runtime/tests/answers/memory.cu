// Memory: allocating, asking about addresses, copying, filling, advice.
#include "answers.hpp"

__device__ int variable[8];
__constant__ int constant[8];
__managed__ int managed_variable[8];
__global__ void nothing() {}

static const char* place(const void* pointer, const void* base) {
  return pointer == nullptr ? "null" : pointer == base ? "same" : "another";
}
static void about(const char* what, const void* pointer) {
  cudaPointerAttributes a;
  std::memset(&a, 0x55, sizeof a);
  const cudaError_t error = cudaPointerGetAttributes(&a, pointer);
  std::printf("%s: %s, type %d, device %d, on the device %s, on the host %s\n", what,
              cudaGetErrorName(error), a.type, a.device, place(a.devicePointer, pointer),
              place(a.hostPointer, pointer));
}

SECTION(addresses) {
  char on_stack;
  about("null", nullptr);
  about("stack", &on_stack);
  about("static", &constant);
  char* memory = nullptr;
  CALL(cudaMalloc(&memory, 1000));
  about("device", memory);
  about("inside", memory + 999);
  about("behind", memory + 1000);
  CALL(cudaFree(memory));
  about("freed", memory);
  char* host = nullptr;
  CALL(cudaMallocHost(&host, 1000));
  about("pinned", host);
  about("inside", host + 999);
  CALL(cudaFreeHost(host));
  for (unsigned flags : {0u, 1u, 2u, 4u, 7u, 8u, 16u}) {
    host = nullptr;
    const cudaError_t error = cudaHostAlloc(reinterpret_cast<void**>(&host), 1000, flags);
    std::printf("cudaHostAlloc with %u: %s\n", flags, cudaGetErrorName(error));
    if (error != cudaSuccess) continue;
    about("host", host);
    unsigned told = 77;
    CALL(cudaHostGetFlags(&told, host));
    VALUE(told);
    void* on_device = nullptr;
    CALL(cudaHostGetDevicePointer(&on_device, host, 0));
    VALUE(on_device == host);
    CALL(cudaHostGetDevicePointer(&on_device, host + 8, 0));
    VALUE(on_device == host + 8);
    CALL(cudaFreeHost(host));
  }
  char* managed = nullptr;
  CALL(cudaMallocManaged(&managed, 1000));
  about("managed", managed);
  about("managed, inside", managed + 10);
  CALL(cudaFree(managed));
  CALL(cudaMallocManaged(&managed, 1000, cudaMemAttachHost));
  about("managed, for the host", managed);
  CALL(cudaMallocManaged(&managed, 1000, 3));
  CALL(cudaMallocManaged(&managed, 0));
  about("managed variable", &managed_variable);
  void* symbol = nullptr;
  CALL(cudaGetSymbolAddress(&symbol, variable));
  about("variable", symbol);
  CALL(cudaGetSymbolAddress(&symbol, constant));
  about("constant", symbol);
  CALL(cudaGetSymbolAddress(&symbol, &on_stack));
  std::size_t bytes = 0;
  CALL(cudaGetSymbolSize(&bytes, variable));
  VALUE(bytes);
  CALL(cudaGetSymbolSize(&bytes, &on_stack));
  char* asynchronous = nullptr;
  CALL(cudaMallocAsync(&asynchronous, 1000, 0));
  about("stream-ordered", asynchronous);
}

SECTION(registered) {
  char* host = static_cast<char*>(aligned_alloc(4096, 16384));
  CALL(cudaHostRegister(host, 8192, 0));
  about("registered", host);
  about("behind", host + 8192);
  unsigned told = 77;
  CALL(cudaHostGetFlags(&told, host));
  VALUE(told);
  CALL(cudaHostRegister(host, 8192, 0));
  last_error();
  CALL(cudaHostRegister(host + 4096, 8192, 0));
  CALL(cudaHostUnregister(host + 4096));
  CALL(cudaHostUnregister(host));
  CALL(cudaHostUnregister(host));
  last_error();
  about("unregistered", host);
  CALL(cudaHostRegister(host + 100, 1000, 0));
  about("registered odd", host + 100);
  about("before it", host);
  CALL(cudaHostUnregister(host));
  CALL(cudaHostUnregister(host + 100));
  for (unsigned flags : {1u, 2u, 3u, 4u, 8u, 16u}) {
    std::printf("cudaHostRegister with %u: %s\n", flags,
                cudaGetErrorName(cudaHostRegister(host, 8192, flags)));
    if (cudaHostGetFlags(&told, host) == cudaSuccess) VALUE(told);
    cudaHostUnregister(host);
    cudaGetLastError();
  }
  CALL(cudaHostRegister(nullptr, 8192, 0));
  CALL(cudaHostRegister(host, 0, 0));
  CALL(cudaHostUnregister(nullptr));
  void* on_device = nullptr;
  CALL(cudaHostGetDevicePointer(&on_device, host, 0));
  CALL(cudaHostGetDevicePointer(&on_device, nullptr, 0));
  CALL(cudaHostGetFlags(&told, host));
}

SECTION(freeing) {
  char* memory = nullptr;
  char* host = nullptr;
  char on_stack;
  cudaMalloc(&memory, 1000);
  cudaMallocHost(&host, 1000);
  CALL(cudaFree(nullptr));
  CALL(cudaFreeHost(nullptr));
  CALL(cudaFree(memory + 8));
  last_error();
  CALL(cudaFree(host));
  CALL(cudaFreeHost(memory));
  CALL(cudaFree(&on_stack));
  CALL(cudaFreeHost(&on_stack));
  CALL(cudaFree(memory));
  CALL(cudaFree(memory));
  last_error();
  CALL(cudaFreeHost(host));
  CALL(cudaFreeHost(host));
  CALL(cudaFreeArray(nullptr));
  CALL(cudaFreeMipmappedArray(nullptr));
  CALL(cudaMalloc(&memory, 0));
  VALUE(memory == nullptr);
  CALL(cudaMallocHost(&host, 0));
  VALUE(host == nullptr);
  CALL(cudaMalloc(static_cast<void**>(nullptr), 10));
  CALL(cudaMallocHost(static_cast<void**>(nullptr), 10));
  CALL(cudaMalloc(&memory, std::size_t{1} << 45));
  CALL(cudaMalloc(&memory, ~std::size_t{0}));
  std::size_t pitch = 0;
  for (std::size_t width : {1, 100, 512, 513, 5000}) {
    CALL(cudaMallocPitch(reinterpret_cast<void**>(&memory), &pitch, width, 3));
    VALUE(pitch);
  }
  CALL(cudaMallocPitch(reinterpret_cast<void**>(&memory), &pitch, 0, 3));
  VALUE(pitch), VALUE(memory == nullptr);
  CALL(cudaMallocPitch(reinterpret_cast<void**>(&memory), &pitch, 10, 0));
  VALUE(pitch), VALUE(memory == nullptr);
  cudaPitchedPtr pitched{};
  CALL(cudaMalloc3D(&pitched, make_cudaExtent(100, 3, 4)));
  VALUE(pitched.pitch), VALUE(pitched.xsize), VALUE(pitched.ysize);
  CALL(cudaMalloc3D(&pitched, make_cudaExtent(100, 0, 4)));
  CALL(cudaMalloc3D(&pitched, make_cudaExtent(0, 0, 0)));
}

SECTION(alignment) {
  char* last = nullptr;
  for (std::size_t bytes : {1, 1, 256, 512, 513, 1000, 4096, 100000, 1 << 20, 2 << 20, 3 << 20}) {
    char* memory = nullptr;
    cudaMalloc(&memory, bytes);
    std::printf("%zu bytes: %llu of 512, %lld behind\n", bytes,
                reinterpret_cast<unsigned long long>(memory) % 512,
                last == nullptr ? 0LL : static_cast<long long>(memory - last));
    last = memory;
  }
}

SECTION(copies) {
  char* memory = nullptr;
  char* other = nullptr;
  static char host[4096];
  cudaMalloc(&memory, 4096);
  cudaMalloc(&other, 4096);
  CALL(cudaMemcpy(memory, host, 4096, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy(host, memory, 4096, cudaMemcpyDeviceToHost));
  CALL(cudaMemcpy(memory, other, 4096, cudaMemcpyDeviceToDevice));
  CALL(cudaMemcpy(memory, host, 4096, cudaMemcpyDefault));
  CALL(cudaMemcpy(memory, host, 4096, cudaMemcpyDeviceToHost));
  last_error();
  CALL(cudaMemcpy(host, memory, 4096, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy(memory, host, 4096, cudaMemcpyDeviceToDevice));
  CALL(cudaMemcpy(memory, host, 4096, cudaMemcpyHostToHost));
  CALL(cudaMemcpy(memory, host, 16, static_cast<cudaMemcpyKind>(5)));
  last_error();
  CALL(cudaMemcpy(memory, host, 16, static_cast<cudaMemcpyKind>(-1)));
  CALL(cudaMemcpy(memory, nullptr, 16, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy(nullptr, host, 16, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy(nullptr, nullptr, 16, cudaMemcpyDeviceToDevice));
  CALL(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDeviceToDevice));
  CALL(cudaMemcpy(memory, host, 0, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy(memory, host, 4 << 20, cudaMemcpyDeviceToDevice));
  CALL(cudaMemcpyAsync(memory, host, 16, cudaMemcpyDeviceToHost));
  CALL(cudaMemcpy2D(memory, 64, host, 64, 65, 4, cudaMemcpyHostToDevice));
  last_error();
  CALL(cudaMemcpy2D(memory, 64, host, 32, 33, 4, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy2D(memory, 64, host, 32, 32, 4, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy2D(memory, 64, host, 32, 0, 4, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy2D(memory, 64, host, 32, 33, 1, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy2D(memory, 0, host, 32, 10, 1, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy2D(memory, std::size_t{1} << 40, host, 32, 10, 1, cudaMemcpyHostToDevice));
  CALL(cudaMemset(memory, 1, 4096));
  CALL(cudaMemset(nullptr, 1, 4096));
  CALL(cudaMemset(nullptr, 1, 0));
  CALL(cudaMemset(host, 1, 16));
  CALL(cudaMemset2D(memory, 64, 1, 64, 4));
  CALL(cudaMemset2D(memory, 64, 1, 65, 4));
  CALL(cudaMemset2D(memory, 64, 1, 65, 1));
  cudaPitchedPtr pitched = make_cudaPitchedPtr(memory, 64, 64, 4);
  CALL(cudaMemset3D(pitched, 1, make_cudaExtent(64, 4, 4)));
  CALL(cudaMemset3D(pitched, 1, make_cudaExtent(65, 4, 4)));
  cudaMemcpy3DParms box{};
  CALL(cudaMemcpy3D(&box));
  CALL(cudaMemcpy3D(nullptr));
  box.srcPtr = make_cudaPitchedPtr(host, 64, 64, 4);
  box.dstPtr = pitched;
  box.extent = make_cudaExtent(64, 4, 4);
  box.kind = cudaMemcpyHostToDevice;
  CALL(cudaMemcpy3D(&box));
  box.extent = make_cudaExtent(65, 4, 4);
  CALL(cudaMemcpy3D(&box));
  box.extent = make_cudaExtent(64, 5, 4);
  CALL(cudaMemcpy3D(&box));
  box.extent = make_cudaExtent(0, 0, 0);
  CALL(cudaMemcpy3D(&box));
  CALL(cudaDeviceSynchronize());
}

SECTION(symbols) {
  int values[16] = {};
  CALL(cudaMemcpyToSymbol(variable, values, 32));
  CALL(cudaMemcpyToSymbol(variable, values, 33));
  CALL(cudaMemcpyToSymbol(variable, values, 16, 20));
  CALL(cudaMemcpyToSymbol(variable, values, 32, 0, cudaMemcpyDeviceToHost));
  CALL(cudaMemcpyToSymbol(variable, values, 32, 0, cudaMemcpyDeviceToDevice));
  CALL(cudaMemcpyToSymbol(variable, values, 32, 0, cudaMemcpyDefault));
  CALL(cudaMemcpyToSymbol(variable, values, 0));
  CALL(cudaMemcpyToSymbol(variable, nullptr, 8));
  CALL(cudaMemcpyToSymbol(values, values, 8));
  last_error();
  CALL(cudaMemcpyFromSymbol(values, constant, 32));
  CALL(cudaMemcpyFromSymbol(values, constant, 33));
  CALL(cudaMemcpyFromSymbol(values, constant, 8, 0, cudaMemcpyHostToDevice));
  CALL(cudaMemcpyFromSymbol(values, values, 8));
}

template <typename... Pointers>
static void range(const void* pointer, std::size_t bytes) {
  for (int attribute = 0; attribute <= 9; ++attribute) {
    int told[4] = {77, 77, 77, 77};
    const std::size_t size = attribute == 3 ? sizeof told : sizeof(int);
    const cudaError_t error = cudaMemRangeGetAttribute(
        told, size, static_cast<cudaMemRangeAttribute>(attribute), pointer, bytes);
    std::printf("  attribute %d: %s %d %d %d %d\n", attribute, cudaGetErrorName(error), told[0],
                told[1], told[2], told[3]);
  }
  cudaGetLastError();
}
SECTION(advice) {
  char* memory = nullptr;
  char* device = nullptr;
  cudaMallocManaged(&memory, 1 << 20);
  cudaMalloc(&device, 4096);
  const cudaMemLocation here{cudaMemLocationTypeDevice, 0}, host{cudaMemLocationTypeHost, 0};
  const cudaMemLocation nowhere{cudaMemLocationTypeDevice, 9},
      invalid{cudaMemLocationTypeInvalid, 0};
  range(memory, 1 << 20);
  for (int advice = 0; advice <= 7; ++advice) {
    std::printf("advice %d: %s\n", advice,
                cudaGetErrorName(
                    cudaMemAdvise(memory, 1 << 20, static_cast<cudaMemoryAdvise>(advice), here)));
    range(memory, 1 << 20);
  }
  CALL(cudaMemAdvise(memory, 1 << 20, cudaMemAdviseSetAccessedBy, host));
  CALL(cudaMemAdvise(memory, 1 << 20, cudaMemAdviseSetPreferredLocation, host));
  CALL(cudaMemAdvise(memory + 4096, 4096, cudaMemAdviseSetReadMostly, invalid));
  range(memory, 1 << 20);
  range(memory + 4096, 4096);
  CALL(cudaMemAdvise(memory, 1 << 20, cudaMemAdviseSetPreferredLocation, nowhere));
  CALL(cudaMemAdvise(memory, 1 << 20, cudaMemAdviseSetPreferredLocation, invalid));
  CALL(cudaMemAdvise(memory, 2 << 20, cudaMemAdviseSetReadMostly, here));
  CALL(cudaMemAdvise(memory, 0, cudaMemAdviseSetReadMostly, here));
  CALL(cudaMemAdvise(device, 4096, cudaMemAdviseSetReadMostly, here));
  CALL(cudaMemAdvise(nullptr, 4096, cudaMemAdviseSetReadMostly, here));
  CALL(cudaMemPrefetchAsync(memory, 1 << 20, here, 0));
  CALL(cudaDeviceSynchronize());
  range(memory, 1 << 20);
  CALL(cudaMemPrefetchAsync(memory, 1 << 20, host, 0));
  CALL(cudaDeviceSynchronize());
  range(memory, 1 << 20);
  CALL(cudaMemPrefetchAsync(memory, 1 << 20, nowhere, 0));
  CALL(cudaMemPrefetchAsync(memory, 1 << 20, invalid, 0));
  CALL(cudaMemPrefetchAsync(memory, 2 << 20, here, 0));
  CALL(cudaMemPrefetchAsync(memory, 1 << 20, here, 1));
  CALL(cudaMemPrefetchAsync(device, 4096, here, 0));
  CALL(cudaMemPrefetchAsync(memory, 0, here, 0));
  CALL(cudaStreamAttachMemAsync(nullptr, memory, 0, cudaMemAttachGlobal));
  CALL(cudaStreamAttachMemAsync(nullptr, device, 0, cudaMemAttachGlobal));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  CALL(cudaStreamAttachMemAsync(stream, memory, 0, cudaMemAttachSingle));
  CALL(cudaStreamAttachMemAsync(stream, memory, 0, cudaMemAttachHost));
  CALL(cudaStreamAttachMemAsync(stream, memory, 4096, cudaMemAttachGlobal));
  void* places[] = {memory};
  std::size_t sizes[] = {1 << 20};
  cudaMemLocation locations[] = {here};
  std::size_t firsts[] = {0};
  CALL(cudaMemPrefetchBatchAsync(places, sizes, 1, locations, firsts, 1, 0, stream));
  CALL(cudaMemDiscardBatchAsync(places, sizes, 1, 0, stream));
  CALL(cudaMemDiscardAndPrefetchBatchAsync(places, sizes, 1, locations, firsts, 1, 0, stream));
  CALL(cudaStreamSynchronize(stream));
}

SECTION(batches) {
  char* memory = nullptr;
  static char host[64] = "0123456789abcdefghijklmnopqrstuvwxyz";
  static char back[64];
  cudaMalloc(&memory, 4096);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  void* to[] = {memory, memory + 100};
  const void* from[] = {host, host + 10};
  std::size_t bytes[] = {10, 10};
  cudaMemcpyAttributes attributes{};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  std::size_t firsts[] = {0};
  CALL(cudaMemcpyBatchAsync(to, from, bytes, 2, &attributes, firsts, 1, stream));
  CALL(cudaMemcpyBatchAsync(to, from, bytes, 2, &attributes, firsts, 1, nullptr));
  CALL(cudaMemcpyBatchAsync(to, from, bytes, 0, &attributes, firsts, 1, stream));
  CALL(cudaStreamSynchronize(stream));
  CALL(cudaMemcpy(back, memory + 100, 10, cudaMemcpyDeviceToHost));
  VALUE(back);
  cudaMemcpy3DBatchOp operation{};
  operation.src.type = cudaMemcpyOperandTypePointer;
  operation.src.op.ptr.ptr = host;
  operation.src.op.ptr.rowLength = 8;
  operation.src.op.ptr.layerHeight = 2;
  operation.src.op.ptr.locHint = {cudaMemLocationTypeHost, 0};
  operation.dst.type = cudaMemcpyOperandTypePointer;
  operation.dst.op.ptr.ptr = memory;
  operation.dst.op.ptr.rowLength = 16;
  operation.dst.op.ptr.layerHeight = 2;
  operation.dst.op.ptr.locHint = {cudaMemLocationTypeDevice, 0};
  operation.extent = make_cudaExtent(4, 2, 2);
  operation.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  CALL(cudaMemcpy3DBatchAsync(1, &operation, 0, stream));
  CALL(cudaStreamSynchronize(stream));
  CALL(cudaMemcpy(back, memory + 16, 4, cudaMemcpyDeviceToHost));
  back[4] = 0;
  VALUE(back);
}

SECTION(sharing) {
  void* memory = nullptr;
  void* host = nullptr;
  cudaMalloc(&memory, 4096);
  cudaMallocHost(&host, 4096);
  cudaIpcMemHandle_t handle;
  CALL(cudaIpcGetMemHandle(&handle, memory));
  CALL(cudaIpcGetMemHandle(&handle, host));
  void* opened = nullptr;
  CALL(cudaIpcGetMemHandle(&handle, memory));
  CALL(cudaIpcOpenMemHandle(&opened, handle, cudaIpcMemLazyEnablePeerAccess));
  CALL(cudaIpcOpenMemHandle(&opened, handle, 0));
  CALL(cudaIpcCloseMemHandle(memory));
  cudaEvent_t event, plain;
  CALL(cudaEventCreateWithFlags(&event, cudaEventInterprocess));
  CALL(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
  cudaEventCreate(&plain);
  cudaIpcEventHandle_t of_event;
  CALL(cudaIpcGetEventHandle(&of_event, event));
  CALL(cudaIpcGetEventHandle(&of_event, plain));
  CALL(cudaIpcGetEventHandle(&of_event, event));
  cudaEvent_t again;
  CALL(cudaIpcOpenEventHandle(&again, of_event));
}
