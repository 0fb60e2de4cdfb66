// Every way to allocate, copy, fill and ask about memory.
#include <cstdint>
#include <cstring>
#include <vector>

#include "check.hpp"

__device__ int numbers[4] = {1, 2, 3, 4};
__constant__ float factor = 2.0f;
__managed__ int counter = 40;

__global__ void add_one(int* data, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] += 1;
}

__global__ void use_symbols(float* out) {
  out[threadIdx.x] = factor * numbers[threadIdx.x];
  if (threadIdx.x == 0) counter += 2;
}

static void linear() {
  int host[100], back[100], *device, *other;
  for (int i = 0; i < 100; ++i) host[i] = i;
  OK(cudaMalloc(&device, sizeof host));
  OK(cudaMalloc(&other, sizeof host));
  OK(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
  add_one<<<2, 64>>>(device, 100);
  OK(cudaGetLastError());
  OK(cudaMemcpy(other, device, sizeof host, cudaMemcpyDeviceToDevice));
  OK(cudaMemcpy(back, other, sizeof host, cudaMemcpyDefault));
  for (int i = 0; i < 100; ++i) EXPECT(back[i] == i + 1);
  OK(cudaMemset(device, 0xff, 200));
  OK(cudaMemcpy(back, device, sizeof host, cudaMemcpyDeviceToHost));
  EXPECT(back[49] == -1 && back[50] == 51);
  OK(cudaFree(device));
  OK(cudaFree(other));
  OK(cudaFree(nullptr));
  int* nothing = device;
  OK(cudaMalloc(&nothing, 0));
  EXPECT(nothing == nullptr);
}

static void pitched() {
  char *device, rows[3][10], back[3][10];
  std::size_t pitch;
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 10; ++x) rows[y][x] = static_cast<char>(10 * y + x);
  OK(cudaMallocPitch(&device, &pitch, 10, 3));
  EXPECT(pitch == 512);
  OK(cudaMemcpy2D(device, pitch, rows, 10, 10, 3, cudaMemcpyHostToDevice));
  OK(cudaMemset2D(device + 2, pitch, 7, 3, 2));
  OK(cudaMemcpy2D(back, 10, device, pitch, 10, 3, cudaMemcpyDeviceToHost));
  EXPECT(back[0][1] == 1 && back[0][2] == 7 && back[1][4] == 7 && back[1][5] == 15);
  EXPECT(back[2][2] == 22);
  EXPECT_CALL(cudaErrorInvalidPitchValue,
              cudaMemcpy2D(device, 5, rows, 10, 10, 3, cudaMemcpyHostToDevice));
  EXPECT_CALL(cudaErrorInvalidValue,
              cudaMemcpy2D(device + 3 * pitch, pitch, rows, 10, 10, 1, cudaMemcpyHostToDevice));
  OK(cudaFree(device));
}

static void three_dimensional() {
  cudaPitchedPtr device;
  const cudaExtent extent = make_cudaExtent(8, 4, 2);
  OK(cudaMalloc3D(&device, extent));
  EXPECT(device.pitch == 512 && device.xsize == 8 && device.ysize == 4);
  OK(cudaMemset3D(device, 5, extent));
  unsigned char box[2][4][8] = {}, back[2][4][8] = {};
  for (int i = 0; i < 64; ++i) (&box[0][0][0])[i] = static_cast<unsigned char>(i);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(box, 8, 8, 4);
  copy.dstPtr = device;
  copy.dstPos = make_cudaPos(2, 1, 1);
  copy.extent = make_cudaExtent(3, 2, 1);
  copy.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&copy));
  copy = {};
  copy.srcPtr = device;
  copy.dstPtr = make_cudaPitchedPtr(back, 8, 8, 4);
  copy.extent = extent;
  copy.kind = cudaMemcpyDeviceToHost;
  OK(cudaMemcpy3D(&copy));
  EXPECT(back[0][0][0] == 5 && back[1][1][1] == 5 && back[1][1][2] == 0 && back[1][2][4] == 10);
  OK(cudaFree(device.ptr));
}

// Of two pages; advice holds for whole ones.
static void advice() {
  constexpr std::size_t kPage = 4096, kBoth = 2 * kPage;
  char* managed;
  OK(cudaMallocManaged(&managed, kBoth));
  int told = -9, both[2];
  const cudaMemLocation gpu{cudaMemLocationTypeDevice, 0}, cpu{cudaMemLocationTypeHost, 0};
  OK(cudaMemRangeGetAttribute(&told, 4, cudaMemRangeAttributePreferredLocation, managed, kBoth));
  EXPECT(told == cudaInvalidDeviceId);
  OK(cudaMemAdvise(managed, kBoth, cudaMemAdviseSetReadMostly, gpu));
  OK(cudaMemAdvise(managed, 200, cudaMemAdviseSetPreferredLocation, gpu));
  OK(cudaMemAdvise(managed, kBoth, cudaMemAdviseSetAccessedBy, cpu));
  OK(cudaMemRangeGetAttribute(&told, 4, cudaMemRangeAttributeReadMostly, managed, kBoth));
  EXPECT(told == 1);
  OK(cudaMemRangeGetAttribute(&told, 4, cudaMemRangeAttributePreferredLocation, managed, kPage));
  EXPECT(told == 0);
  OK(cudaMemRangeGetAttribute(&told, 4, cudaMemRangeAttributePreferredLocation, managed, kBoth));
  EXPECT(told == cudaInvalidDeviceId);
  OK(cudaMemRangeGetAttribute(both, 8, cudaMemRangeAttributeAccessedBy, managed, kBoth));
  EXPECT(both[0] == cudaCpuDeviceId && both[1] == cudaInvalidDeviceId);
  OK(cudaMemAdvise(managed, kPage, cudaMemAdviseUnsetReadMostly, gpu));
  OK(cudaMemRangeGetAttribute(&told, 4, cudaMemRangeAttributeReadMostly, managed, kBoth));
  EXPECT(told == 0);
  EXPECT_CALL(cudaErrorInvalidValue,
              cudaMemRangeGetAttribute(&told, 3, cudaMemRangeAttributeReadMostly, managed, kBoth));
  OK(cudaFree(managed));
}

static void host_memory() {
  int *pinned, *on_device, *managed;
  OK(cudaMallocHost(&pinned, 400));
  for (int i = 0; i < 100; ++i) pinned[i] = i;
  add_one<<<1, 128>>>(pinned, 100);
  OK(cudaDeviceSynchronize());
  EXPECT(pinned[0] == 1 && pinned[99] == 100);
  OK(cudaHostGetDevicePointer(&on_device, pinned, 0));
  EXPECT(on_device == pinned);
  OK(cudaFreeHost(pinned));

  OK(cudaMallocManaged(&managed, 400));
  for (int i = 0; i < 100; ++i) managed[i] = 0;
  OK(cudaMemset(managed, 0, 400));
  add_one<<<1, 128>>>(managed, 100);
  OK(cudaDeviceSynchronize());
  EXPECT(managed[0] == 1 && managed[99] == 1);
  OK(cudaFree(managed));
  advice();

  std::vector<int> own(100, 3);
  OK(cudaHostRegister(own.data(), 400, cudaHostRegisterDefault));
  EXPECT_CALL(cudaErrorHostMemoryAlreadyRegistered,
              cudaHostRegister(own.data() + 10, 8, cudaHostRegisterDefault));
  add_one<<<1, 128>>>(own.data(), 100);
  OK(cudaDeviceSynchronize());
  EXPECT(own[0] == 4 && own[99] == 4);
  OK(cudaHostUnregister(own.data()));
  EXPECT_CALL(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(own.data()));
}

static void symbols() {
  float* out;
  float results[4];
  int host[4];
  OK(cudaMalloc(&out, sizeof results));
  use_symbols<<<1, 4>>>(out);
  OK(cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 4; ++i) EXPECT(results[i] == 2.0f * (i + 1));
  EXPECT(counter == 42);

  const int changed[2] = {30, 40};
  const float half = 0.5f;
  OK(cudaMemcpyToSymbol(numbers, changed, sizeof changed, 2 * sizeof(int)));
  OK(cudaMemcpyToSymbol(factor, &half, sizeof half));
  use_symbols<<<1, 4>>>(out);
  OK(cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost));
  EXPECT(results[1] == 1.0f && results[2] == 15.0f && results[3] == 20.0f);
  OK(cudaMemcpyFromSymbol(host, numbers, sizeof host));
  EXPECT(host[0] == 1 && host[3] == 40);
  EXPECT_CALL(cudaErrorInvalidValue, cudaMemcpyToSymbol(numbers, host, sizeof host, 4));
  EXPECT_CALL(cudaErrorInvalidSymbol, cudaMemcpyToSymbol(host, host, 4));

  void* address;
  std::size_t size;
  OK(cudaGetSymbolAddress(&address, numbers));
  OK(cudaGetSymbolSize(&size, numbers));
  EXPECT(size == sizeof host);
  OK(cudaMemset(address, 0, size));
  OK(cudaMemcpyFromSymbol(host, numbers, sizeof host));
  EXPECT(host[0] == 0 && host[3] == 0);
  OK(cudaFree(out));
}

static void stream_ordered() {
  cudaStream_t stream;
  int *device, back[8];
  OK(cudaStreamCreate(&stream));
  OK(cudaMallocAsync(&device, 32, stream));
  OK(cudaMemsetAsync(device, 0, 32, stream));
  add_one<<<1, 8, 0, stream>>>(device, 8);
  OK(cudaMemcpyAsync(back, device, 32, cudaMemcpyDeviceToHost, stream));
  OK(cudaFreeAsync(device, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT(back[0] == 1 && back[7] == 1);
  EXPECT_CALL(cudaErrorInvalidValue, cudaFree(device));
  OK(cudaStreamDestroy(stream));
}

static void questions() {
  int* device;
  int local;
  OK(cudaMalloc(&device, 1 << 20));
  cudaPointerAttributes attributes;
  OK(cudaPointerGetAttributes(&attributes, device + 5));
  EXPECT(attributes.type == cudaMemoryTypeDevice && attributes.device == 0);
  EXPECT(attributes.devicePointer == device + 5 && attributes.hostPointer == nullptr);
  OK(cudaPointerGetAttributes(&attributes, &local));
  EXPECT(attributes.type == cudaMemoryTypeUnregistered);
  std::size_t free_before, free_after, total;
  OK(cudaMemGetInfo(&free_before, &total));
  OK(cudaFree(device));
  OK(cudaMemGetInfo(&free_after, &total));
  EXPECT(free_after >= free_before && free_after <= total);
}

static void refusals() {
  int *device, local[4];
  EXPECT_CALL(cudaErrorMemoryAllocation, cudaMalloc(&device, std::size_t{1} << 50));
  EXPECT_CALL(cudaErrorMemoryAllocation, cudaGetLastError());
  OK(cudaGetLastError());
  OK(cudaMalloc(&device, 16));
  EXPECT_CALL(cudaErrorInvalidValue, cudaMemcpy(device, local, 32, cudaMemcpyHostToDevice));
  EXPECT_CALL(cudaErrorInvalidValue, cudaMemcpy(local, local, 16, cudaMemcpyHostToDevice));
  EXPECT_CALL(cudaErrorInvalidValue, cudaMemcpy(local, device + 4, 4, cudaMemcpyDeviceToHost));
  EXPECT_CALL(cudaErrorInvalidMemcpyDirection,
              cudaMemcpy(local, device, 4, static_cast<cudaMemcpyKind>(9)));
  EXPECT_CALL(cudaErrorInvalidValue, cudaMemset(local, 0, 4));
  EXPECT_CALL(cudaErrorInvalidValue, cudaFree(device + 1));
  EXPECT_CALL(cudaErrorInvalidValue, cudaFreeHost(device));
  OK(cudaFree(device));
  EXPECT_CALL(cudaErrorInvalidValue, cudaFree(device));
}

int main() {
  linear();
  pitched();
  three_dimensional();
  host_memory();
  symbols();
  stream_ordered();
  questions();
  refusals();
  std::puts("memory: ok");
}
