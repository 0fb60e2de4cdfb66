// What becomes of a pool of memory that is imported: by the process that made it, and by another.
#include <sys/socket.h>

#include "answers.hpp"

constexpr auto kFile = cudaMemHandleTypePosixFileDescriptor;

static cudaMemPool_t made() {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.handleTypes = kFile;
  cudaMemPool_t pool = nullptr;
  CALL(cudaMemPoolCreate(&pool, &properties));
  return pool;
}
static int exported(cudaMemPool_t pool) {
  int descriptor = -1;
  CALL(cudaMemPoolExportToShareableHandle(&descriptor, pool, kFile, 0));
  return descriptor;
}
static cudaMemPool_t imported(int descriptor) {
  cudaMemPool_t pool = nullptr;
  void* const handle = reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor));
  CALL(cudaMemPoolImportFromShareableHandle(&pool, handle, kFile, 0));
  return pool;
}
static cudaMemPoolPtrExportData allocated(cudaMemPool_t pool) {
  void* memory = nullptr;
  cudaMemPoolPtrExportData data{};
  CALL(cudaMallocFromPoolAsync(&memory, 4096, pool, nullptr));
  CALL(cudaMemPoolExportPointer(&data, memory));
  CALL(cudaStreamSynchronize(nullptr));
  return data;
}
static void* opened(cudaMemPool_t pool, cudaMemPoolPtrExportData& data) {
  void* memory = nullptr;
  CALL(cudaMemPoolImportPointer(&memory, pool, &data));
  return memory;
}

SECTION(alone) {
  const cudaMemPool_t own = made(), other = imported(exported(own));
  VALUE(own == other);
  CALL(cudaMemPoolDestroy(other));
  CALL(cudaMemPoolDestroy(other));
  CALL(cudaMemPoolDestroy(own));
  last_error();
}

SECTION(twice) {
  const cudaMemPool_t own = made();
  const int descriptor = exported(own);
  const cudaMemPool_t one = imported(descriptor), two = imported(descriptor);
  VALUE(one == two);
  CALL(cudaMemPoolDestroy(one));
  CALL(cudaMemPoolDestroy(two));
  CALL(cudaMemPoolDestroy(own));
  last_error();
}

SECTION(behind_its_own) {
  const cudaMemPool_t own = made(), other = imported(exported(own));
  CALL(cudaMemPoolDestroy(own));
  CALL(cudaMemPoolDestroy(other));
  last_error();
}

SECTION(with_memory) {
  const cudaMemPool_t own = made(), other = imported(exported(own));
  cudaMemPoolPtrExportData data = allocated(own);
  void* const memory = opened(other, data);
  CALL(cudaMemPoolDestroy(other));
  CALL(cudaMemset(memory, 1, 4096));
  CALL(cudaFreeAsync(memory, nullptr));
  CALL(cudaMemPoolDestroy(other));
  CALL(cudaMemPoolDestroy(own));
  last_error();
}

SECTION(with_memory_freed) {
  const cudaMemPool_t own = made(), other = imported(exported(own));
  cudaMemPoolPtrExportData data = allocated(own);
  void* const memory = opened(other, data);
  CALL(cudaFreeAsync(memory, nullptr));
  CALL(cudaStreamSynchronize(nullptr));
  CALL(cudaMemPoolDestroy(other));
  last_error();
}

static void import_elsewhere(int socket) {
  char room[CMSG_SPACE(sizeof(int))];
  cudaMemPoolPtrExportData data{};
  iovec part{&data, sizeof data};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = sizeof room;
  if (recvmsg(socket, &message, 0) != sizeof data) return;
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof descriptor);
  const cudaMemPool_t plain = imported(descriptor);
  CALL(cudaMemPoolDestroy(plain));
  CALL(cudaMemPoolDestroy(plain));
  const cudaMemPool_t pool = imported(descriptor);
  void* const memory = opened(pool, data);
  CALL(cudaMemPoolDestroy(pool));
  CALL(cudaMemset(memory, 1, 4096));
  CALL(cudaFreeAsync(memory, nullptr));
  CALL(cudaStreamSynchronize(nullptr));
  last_error();
}

SECTION(in_another_process) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets) != 0) return;
  const pid_t child = fork();
  if (child == 0) {
    import_elsewhere(sockets[1]);
    std::fflush(stdout);
    _exit(0);
  }
  const cudaMemPool_t own = made();
  const int descriptor = exported(own);
  cudaMemPoolPtrExportData data = allocated(own);
  char room[CMSG_SPACE(sizeof descriptor)] = {};
  iovec part{&data, sizeof data};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = sizeof room;
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof descriptor);
  std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  std::fflush(stdout);
  if (sendmsg(sockets[0], &message, 0) < 0) return;
  int status = 0;
  waitpid(child, &status, 0);
  CALL(cudaMemPoolDestroy(own));
  last_error();
}
