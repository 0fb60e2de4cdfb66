// Memory and events that processes share: by handles, by pools, by pieces of virtual memory. With
// two GPUs the pools are of the first, and the child's kernels run on the second.
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>

#include "driver_check.hpp"

constexpr int kCount = 3000;

__global__ void add(int* cells, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) cells[i] += value;
}
static void add_to(int* cells, int value) { add<<<(kCount + 127) / 128, 128>>>(cells, value); }

struct Shared {
  cudaIpcMemHandle_t memory;
  cudaIpcEventHandle_t event;
  cudaMemPoolPtrExportData pooled, of_other_pool, again;
  std::atomic<int> step;
};
static Shared* shared;
static int sockets[2];

static void reach(int step) { shared->step = step; }
static void wait_for(int step) {
  while (shared->step < step) usleep(500);
}

static void send(int descriptor) {
  char byte = 0, room[CMSG_SPACE(sizeof descriptor)] = {};
  iovec data{&byte, 1};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = sizeof room;
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof descriptor);
  *reinterpret_cast<int*>(CMSG_DATA(header)) = descriptor;
  EXPECT(sendmsg(sockets[0], &message, 0) == 1);
}
static int receive() {
  char byte, room[CMSG_SPACE(sizeof(int))];
  iovec data{&byte, 1};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = sizeof room;
  EXPECT(recvmsg(sockets[1], &message, 0) == 1);
  return *reinterpret_cast<int*>(CMSG_DATA(CMSG_FIRSTHDR(&message)));
}

static void expect(const int* cells, int value) {
  static int host[kCount];
  OK(cudaMemcpy(host, cells, sizeof host, cudaMemcpyDeviceToHost));
  for (int each : host) EXPECT(each == value);
}

static CUdeviceptr mapped(CUmemGenericAllocationHandle handle, size_t bytes) {
  CUdeviceptr address;
  CUmemAccessDesc access{};
  access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  DRIVER(cuMemAddressReserve(&address, bytes, 0, 0, 0));
  DRIVER(cuMemMap(address, bytes, 0, handle, 0));
  DRIVER(cuMemSetAccess(address, bytes, &access, 1));
  return address;
}

static cudaMemPool_t imported_pool() {
  cudaMemPool_t pool;
  int device;
  OK(cudaMemPoolImportFromShareableHandle(&pool, reinterpret_cast<void*>(intptr_t(receive())),
                                          cudaMemHandleTypePosixFileDescriptor, 0));
  OK(cudaGetDevice(&device));
  cudaMemLocation here{};
  here.type = cudaMemLocationTypeDevice;
  here.id = device;
  cudaMemAccessFlags access;
  OK(cudaMemPoolGetAccess(&access, pool, &here));
  EXPECT((access == cudaMemAccessFlagsProtReadWrite) == (device == 0));
  const cudaMemAccessDesc wanted{here, cudaMemAccessFlagsProtReadWrite};
  OK(cudaMemPoolSetAccess(pool, &wanted, 1));
  return pool;
}

static cudaError_t import(int** memory, cudaMemPool_t pool, cudaMemPoolPtrExportData& data) {
  return cudaMemPoolImportPointer(reinterpret_cast<void**>(memory), pool, &data);
}

static void use_pools() {
  int devices, *pooled, *of_other_pool;
  OK(cudaGetDeviceCount(&devices));
  OK(cudaSetDevice(devices - 1));
  const cudaMemPool_t pool = imported_pool(), other = imported_pool();
  wait_for(4);
  EXPECT_CALL(cudaErrorInvalidValue, import(&pooled, other, shared->pooled));
  EXPECT_CALL(cudaErrorInvalidValue, import(&pooled, pool, shared->of_other_pool));
  EXPECT_CALL(cudaErrorInvalidValue, cudaMallocFromPoolAsync(&pooled, 4, pool, nullptr));
  cudaGetLastError();
  OK(import(&pooled, pool, shared->pooled));
  OK(import(&of_other_pool, other, shared->of_other_pool));
  expect(pooled, 3);
  expect(of_other_pool, 30);
  add_to(pooled, 4);
  OK(cudaFreeAsync(pooled, nullptr));
  OK(cudaStreamSynchronize(nullptr));
  reach(5);
  wait_for(6);
  OK(import(&pooled, pool, shared->again));
  expect(pooled, 12);
  OK(cudaSetDevice(0));
}

static void child() {
  wait_for(1);
  int *cells, *same;
  cudaEvent_t event;
  OK(cudaIpcOpenMemHandle(reinterpret_cast<void**>(&cells), shared->memory,
                          cudaIpcMemLazyEnablePeerAccess));
  OK(cudaIpcOpenMemHandle(reinterpret_cast<void**>(&same), shared->memory,
                          cudaIpcMemLazyEnablePeerAccess));
  EXPECT(cells == same);
  OK(cudaIpcCloseMemHandle(same));
  OK(cudaIpcOpenEventHandle(&event, shared->event));
  OK(cudaStreamWaitEvent(nullptr, event, 0));
  add_to(cells, 5);
  OK(cudaEventRecord(event));
  OK(cudaGetLastError());
  reach(2);
  OK(cudaDeviceSynchronize());
  wait_for(3);
  expect(cells, 6 + 10);
  OK(cudaIpcCloseMemHandle(cells));
  EXPECT_CALL(cudaErrorInvalidValue, cudaIpcCloseMemHandle(cells));
  cudaGetLastError();
  OK(cudaEventDestroy(event));

  use_pools();

  CUmemGenericAllocationHandle handle;
  DRIVER(cuMemImportFromShareableHandle(&handle, reinterpret_cast<void*>(intptr_t(receive())),
                                        CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  auto* const pages = reinterpret_cast<int*>(mapped(handle, 2 << 20));
  expect(pages, 8);
  add_to(pages, 1);
  OK(cudaDeviceSynchronize());
  reach(7);
}

static cudaMemPool_t shareable_pool() {
  cudaMemPool_t pool;
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.handleTypes = cudaMemHandleTypePosixFileDescriptor;
  properties.location.type = cudaMemLocationTypeDevice;
  OK(cudaMemPoolCreate(&pool, &properties));
  return pool;
}

static int* filled(cudaMemPool_t pool, int value) {
  int* memory;
  OK(cudaMallocFromPoolAsync(&memory, kCount * sizeof(int), pool, nullptr));
  OK(cudaMemsetAsync(memory, 0, kCount * sizeof(int), nullptr));
  add_to(memory, value);
  OK(cudaStreamSynchronize(nullptr));
  return memory;
}

static void send_pool(cudaMemPool_t pool) {
  int descriptor = -1;
  OK(cudaMemPoolExportToShareableHandle(&descriptor, pool, cudaMemHandleTypePosixFileDescriptor,
                                        0));
  send(descriptor);
}

// What lies at an address that was freed is shared anew.
static int* share_pools() {
  const cudaMemPool_t pool = shareable_pool(), other = shareable_pool();
  int* const first = filled(pool, 3);
  EXPECT_CALL(cudaErrorInvalidValue, cudaMemPoolExportPointer(&shared->pooled, first));
  cudaGetLastError();
  send_pool(pool);
  send_pool(other);
  OK(cudaMemPoolExportPointer(&shared->of_other_pool, filled(other, 30)));
  OK(cudaMemPoolExportPointer(&shared->pooled, first));
  reach(4);
  wait_for(5);
  expect(first, 7);
  OK(cudaFreeAsync(first, nullptr));
  OK(cudaStreamSynchronize(nullptr));
  int* const last = filled(pool, 12);
  OK(cudaMemPoolExportPointer(&shared->again, last));
  reach(6);
  return last;
}

static void parent() {
  int* cells;
  cudaEvent_t event, plain;
  OK(cudaMalloc(&cells, kCount * sizeof(int)));
  OK(cudaMemset(cells, 0, kCount * sizeof(int)));
  OK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess));
  OK(cudaEventCreate(&plain));
  add_to(cells, 1);
  OK(cudaIpcGetMemHandle(&shared->memory, cells));
  OK(cudaIpcGetEventHandle(&shared->event, event));
  cudaIpcEventHandle_t none;
  EXPECT_CALL(cudaErrorInvalidResourceHandle, cudaIpcGetEventHandle(&none, plain));
  void* again;
  EXPECT_CALL(cudaErrorDeviceUninitialized,
              cudaIpcOpenMemHandle(&again, shared->memory, cudaIpcMemLazyEnablePeerAccess));
  cudaGetLastError();
  OK(cudaEventRecord(event));
  reach(1);
  wait_for(2);
  OK(cudaEventSynchronize(event));
  expect(cells, 6);
  add_to(cells, 10);
  OK(cudaDeviceSynchronize());
  reach(3);

  int* const last = share_pools();

  CUmemAllocationProp kind{};
  kind.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  kind.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  kind.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUmemGenericAllocationHandle handle;
  DRIVER(cuMemCreate(&handle, 2 << 20, &kind, 0));
  auto* const pages = reinterpret_cast<int*>(mapped(handle, 2 << 20));
  auto* const twice = reinterpret_cast<int*>(mapped(handle, 2 << 20));
  OK(cudaMemset(pages, 0, 2 << 20));
  add_to(twice, 8);
  expect(pages, 8);
  int descriptor = -1;
  DRIVER(cuMemExportToShareableHandle(&descriptor, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                      0));
  send(descriptor);
  wait_for(7);
  expect(last, 12);
  expect(twice, 9);
}

int main() {
  alarm(60);  // should the other process end
  shared = static_cast<Shared*>(
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
  const pid_t other = fork();  // before anything of CUDA
  if (other == 0) {
    child();
    return 0;
  }
  parent();
  int status = 0;
  waitpid(other, &status, 0);
  EXPECT(status == 0);
  std::puts("sharing: ok");
}
