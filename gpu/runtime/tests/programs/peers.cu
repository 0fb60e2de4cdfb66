// Two GPUs or more: separate memory, peer access, copies between them, what names the device.
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"

constexpr int kCount = 256;

__device__ int of_each;
__managed__ int of_all = 1;

__global__ void add_to(int* values, int more) { values[threadIdx.x] += more; }
__global__ void add_other(int* to, const int* from) { to[threadIdx.x] += from[threadIdx.x]; }
__global__ void set_variables(int value) {
  of_each = value;
  of_all += value;
}
__global__ void wait_for(volatile int* flag) {
  while (*flag == 0) {
  }
}

static int* allocate_on(int device, int value) {
  int* values;
  OK(cudaSetDevice(device));
  OK(cudaMalloc(&values, kCount * sizeof(int)));
  const std::vector<int> all(kCount, value);
  OK(cudaMemcpy(values, all.data(), kCount * sizeof(int), cudaMemcpyHostToDevice));
  return values;
}

static void expect_all(const int* values, int wanted) {
  std::vector<int> all(kCount);
  OK(cudaMemcpy(all.data(), values, kCount * sizeof(int), cudaMemcpyDefault));
  for (const int value : all) EXPECT(value == wanted);
}

static void devices_differ() {
  int count = 0, device = -1;
  OK(cudaGetDeviceCount(&count));
  EXPECT(count == 2);
  std::set<std::string> uuids, places;
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties;
    char place[32];
    OK(cudaGetDeviceProperties(&properties, i));
    OK(cudaDeviceGetPCIBusId(place, sizeof place, i));
    OK(cudaDeviceGetByPCIBusId(&device, place));
    EXPECT(device == i);
    uuids.insert(std::string(properties.uuid.bytes, 16));
    places.insert(place);
    int bus = 0;
    OK(cudaDeviceGetAttribute(&bus, cudaDevAttrPciBusId, i));
    EXPECT(bus == properties.pciBusID);
  }
  EXPECT(uuids.size() == 2 && places.size() == 2);
  EXPECT_CALL(cudaErrorInvalidDevice, cudaSetDevice(2));
  EXPECT_CALL(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&device, cudaDevAttrPciBusId, 2));
  cudaGetLastError();
}

static void each_thread_has_its_device() {
  OK(cudaSetDevice(1));
  std::thread([] {
    int device = -1;
    OK(cudaGetDevice(&device));
    EXPECT(device == 0);
  }).join();
  int device = -1;
  OK(cudaGetDevice(&device));
  EXPECT(device == 1);
}

static void memory_names_its_device() {
  int* const on_1 = allocate_on(1, 3);
  OK(cudaSetDevice(0));
  cudaPointerAttributes attributes;
  OK(cudaPointerGetAttributes(&attributes, on_1));
  EXPECT(attributes.device == 1 && attributes.type == cudaMemoryTypeDevice);
  std::size_t free_0, free_1, total;
  OK(cudaMemGetInfo(&free_0, &total));
  OK(cudaSetDevice(1));
  OK(cudaMemGetInfo(&free_1, &total));
  EXPECT(free_1 < free_0);
  OK(cudaSetDevice(0));
  expect_all(on_1, 3);
  OK(cudaFree(on_1));  // of another device than the current one
}

static void copies_need_no_peer_access() {
  int *const on_0 = allocate_on(0, 5), *const on_1 = allocate_on(1, 0);
  OK(cudaMemcpyPeer(on_1, 1, on_0, 0, kCount * sizeof(int)));
  expect_all(on_1, 5);
  add_to<<<1, kCount>>>(on_1, 1);
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpyPeerAsync(on_0, 0, on_1, 1, kCount * sizeof(int), stream));
  OK(cudaStreamSynchronize(stream));
  expect_all(on_0, 6);
  OK(cudaMemset(on_1, 0, kCount * sizeof(int)));
  OK(cudaMemcpy(on_1, on_0, kCount * sizeof(int), cudaMemcpyDefault));
  expect_all(on_1, 6);
  EXPECT_CALL(cudaErrorInvalidDevice, cudaMemcpyPeer(on_1, 2, on_0, 0, 4));
  cudaMemcpy3DPeerParms box = {};
  box.srcPtr = make_cudaPitchedPtr(on_0, 64, 64, 16);
  box.dstPtr = make_cudaPitchedPtr(on_1, 64, 64, 16);
  box.dstDevice = 1;
  box.extent = make_cudaExtent(64, 16, 1);
  OK(cudaMemset(on_1, 0, kCount * sizeof(int)));
  OK(cudaMemcpy3DPeer(&box));
  expect_all(on_1, 6);
  cudaGetLastError();
  OK(cudaStreamDestroy(stream));
  OK(cudaFree(on_0));
  OK(cudaFree(on_1));
}

static void peer_access_reaches_memory() {
  int *const on_0 = allocate_on(0, 1), *const on_1 = allocate_on(1, 20);
  int can = -1, value = -1;
  OK(cudaDeviceCanAccessPeer(&can, 0, 1));
  EXPECT(can == 1);
  OK(cudaDeviceCanAccessPeer(&can, 1, 1));
  EXPECT(can == 0);
  OK(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 1));
  EXPECT(value == 1);
  OK(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrPerformanceRank, 1, 0));
  EXPECT(value == 0);
  EXPECT_CALL(cudaErrorInvalidDevice,
              cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0));
  OK(cudaSetDevice(0));
  EXPECT_CALL(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(1));
  EXPECT_CALL(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(2, 0));
  EXPECT_CALL(cudaErrorInvalidValue, cudaDeviceEnablePeerAccess(1, 1));
  OK(cudaDeviceEnablePeerAccess(1, 0));
  EXPECT_CALL(cudaErrorPeerAccessAlreadyEnabled, cudaDeviceEnablePeerAccess(1, 0));
  cudaGetLastError();
  add_other<<<1, kCount>>>(on_0, on_1);
  OK(cudaDeviceSynchronize());
  expect_all(on_0, 21);
  int* const later = allocate_on(1, 100);  // what is allocated afterwards too
  OK(cudaSetDevice(0));
  add_to<<<1, kCount>>>(later, 1);
  OK(cudaDeviceSynchronize());
  expect_all(later, 101);
  OK(cudaDeviceDisablePeerAccess(1));
  OK(cudaFree(on_0));
  OK(cudaFree(on_1));
  OK(cudaFree(later));
}

static void host_memory_is_for_all() {
  int *pinned, *managed;
  OK(cudaSetDevice(0));
  OK(cudaMallocHost(&pinned, kCount * sizeof(int)));
  OK(cudaMallocManaged(&managed, kCount * sizeof(int)));
  for (int i = 0; i < kCount; ++i) pinned[i] = managed[i] = 0;
  for (int device = 0; device < 2; ++device) {
    OK(cudaSetDevice(device));
    add_to<<<1, kCount>>>(pinned, 1 + device);
    add_to<<<1, kCount>>>(managed, 10);
    OK(cudaDeviceSynchronize());
  }
  for (int i = 0; i < kCount; ++i) EXPECT(pinned[i] == 3 && managed[i] == 20);
  OK(cudaFreeHost(pinned));
  OK(cudaFree(managed));
}

static void variables_are_of_each_device() {
  for (int device = 0; device < 2; ++device) {
    OK(cudaSetDevice(device));
    set_variables<<<1, 1>>>(10 + device);
    OK(cudaDeviceSynchronize());
  }
  EXPECT(of_all == 1 + 10 + 11);
  for (int device = 0; device < 2; ++device) {
    int value = 0;
    OK(cudaSetDevice(device));
    OK(cudaMemcpyFromSymbol(&value, of_each, sizeof value));
    EXPECT(value == 10 + device);
  }
}

static void streams_belong_to_a_device() {
  cudaStream_t on_0, on_1;
  cudaEvent_t event_0;
  int device = -1;
  OK(cudaSetDevice(0));
  OK(cudaStreamCreate(&on_0));
  OK(cudaEventCreate(&event_0));
  OK(cudaSetDevice(1));
  OK(cudaStreamCreate(&on_1));
  OK(cudaStreamGetDevice(on_0, &device));
  EXPECT(device == 0);
  int* values = allocate_on(1, 0);
  add_to<<<1, kCount, 0, on_0>>>(values, 1);  // of another device than the current one
  EXPECT_CALL(cudaErrorInvalidResourceHandle, cudaGetLastError());
  EXPECT_CALL(cudaErrorInvalidResourceHandle, cudaEventRecord(event_0, on_1));
  cudaGetLastError();
  // Work of one device behind that of the other.
  int* const flag = [] {
    int* made;
    OK(cudaHostAlloc(&made, sizeof(int), cudaHostAllocPortable));
    *made = 0;
    return made;
  }();
  OK(cudaSetDevice(0));
  wait_for<<<1, 1, 0, on_0>>>(flag);
  OK(cudaEventRecord(event_0, on_0));
  OK(cudaSetDevice(1));
  OK(cudaStreamWaitEvent(on_1, event_0, 0));
  add_to<<<1, kCount, 0, on_1>>>(values, 5);
  EXPECT_CALL(cudaErrorNotReady, cudaStreamQuery(on_1));
  EXPECT_CALL(cudaErrorNotReady, cudaEventQuery(event_0));
  *static_cast<volatile int*>(flag) = 1;
  OK(cudaStreamSynchronize(on_1));
  OK(cudaEventSynchronize(event_0));
  expect_all(values, 5);
  OK(cudaStreamDestroy(on_0));
  OK(cudaStreamDestroy(on_1));
  OK(cudaEventDestroy(event_0));
  OK(cudaFree(values));
  OK(cudaFreeHost(flag));
}

static void pools_say_who_reaches_them() {
  cudaMemPool_t pool;
  int *values, *mine = allocate_on(0, 1);
  OK(cudaDeviceGetDefaultMemPool(&pool, 1));
  OK(cudaSetDevice(1));
  OK(cudaMallocAsync(&values, kCount * sizeof(int), nullptr));
  OK(cudaMemsetAsync(values, 0, kCount * sizeof(int), nullptr));
  OK(cudaStreamSynchronize(nullptr));
  cudaMemLocation location = {};
  location.type = cudaMemLocationTypeDevice;
  location.id = 0;
  cudaMemAccessFlags access;
  OK(cudaMemPoolGetAccess(&access, pool, &location));
  EXPECT(access == cudaMemAccessFlagsProtNone);
  cudaMemAccessDesc wanted = {location, cudaMemAccessFlagsProtReadWrite};
  OK(cudaMemPoolSetAccess(pool, &wanted, 1));
  OK(cudaMemPoolGetAccess(&access, pool, &location));
  EXPECT(access == cudaMemAccessFlagsProtReadWrite);
  OK(cudaSetDevice(0));
  add_other<<<1, kCount>>>(mine, values);
  OK(cudaDeviceSynchronize());
  expect_all(mine, 1);
  OK(cudaFree(mine));
  OK(cudaFree(values));
}

static void reset_is_of_one_device() {
  int* const on_0 = allocate_on(0, 8);
  allocate_on(1, 9);
  OK(cudaDeviceReset());
  expect_all(on_0, 8);
  OK(cudaSetDevice(0));
  OK(cudaFree(on_0));
}

static void fault_without_access(bool pooled) {
  int* values = allocate_on(1, 0);
  if (pooled) OK(cudaMallocAsync(&values, kCount * sizeof(int), nullptr));
  OK(cudaDeviceSynchronize());
  OK(cudaSetDevice(0));
  if (pooled) OK(cudaDeviceEnablePeerAccess(1, 0));  // which is not enough for pools
  add_to<<<1, kCount>>>(values, 1);
  EXPECT_CALL(cudaErrorIllegalAddress, cudaDeviceSynchronize());
  OK(cudaSetDevice(1));  // the other one goes on
  add_to<<<1, kCount>>>(values, 1);
  OK(cudaDeviceSynchronize());
}

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "";
  if (what == "fault" || what == "fault-pool") {
    fault_without_access(what == "fault-pool");
  } else {
    devices_differ();
    each_thread_has_its_device();
    memory_names_its_device();
    copies_need_no_peer_access();
    peer_access_reaches_memory();
    host_memory_is_for_all();
    variables_are_of_each_device();
    streams_belong_to_a_device();
    pools_say_who_reaches_them();
    reset_is_of_one_device();
  }
  std::puts("ok");
  return 0;
}
