// Host memory that cannot be registered, or only in some way.
#include <sys/mman.h>

#include <cstdint>

#include "answers.hpp"

static char* pages(std::size_t count, int protection = PROT_READ | PROT_WRITE) {
  void* made = mmap(nullptr, count * 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return static_cast<char*>(made);
}

// Registers, says what is then told of the memory, and takes it back.
static void registering(const char* what, void* address, std::size_t bytes, unsigned flags) {
  const cudaError_t error = cudaHostRegister(address, bytes, flags);
  const cudaError_t last = cudaGetLastError();
  unsigned told = 77;
  const cudaError_t asked = cudaHostGetFlags(&told, address);
  void* device = nullptr;
  const cudaError_t reached = cudaHostGetDevicePointer(&device, address, 0);
  std::printf("%s, flags %u: %s, last %s; flags: %s %u; pointer: %s, the same: %d", what, flags,
              cudaGetErrorName(error), cudaGetErrorName(last), cudaGetErrorName(asked), told,
              cudaGetErrorName(reached), device == address);
  std::printf("; back: %s\n", cudaGetErrorName(cudaHostUnregister(address)));
  cudaGetLastError();
}
static void all_flags(const char* what, void* address, std::size_t bytes) {
  for (unsigned flags : {0u, 2u, 8u}) registering(what, address, bytes, flags);
}
static void* at(std::uint64_t address) { return reinterpret_cast<void*>(address); }

__global__ void read(int* out, const int* in) { *out = *in; }
__global__ void write(int* out) { *out = 5; }

SECTION(support) {
  for (auto attribute :
       {cudaDevAttrHostRegisterSupported, cudaDevAttrHostRegisterReadOnlySupported,
        cudaDevAttrCanUseHostPointerForRegisteredMem, cudaDevAttrPageableMemoryAccess}) {
    int value = 77;
    cudaDeviceGetAttribute(&value, attribute, 0);
    std::printf("attribute %d = %d\n", attribute, value);
  }
}

SECTION(not_mapped) {
  cudaFree(nullptr);
  char* const hole = pages(4);
  munmap(hole, 4 * 4096);
  all_flags("a hole", hole, 4096);
  all_flags("a hole, one byte", hole + 100, 1);
  char* const first = pages(4);
  munmap(first + 4096, 4096);
  all_flags("mapped, then not", first, 2 * 4096);
  all_flags("not, then mapped", first + 4096, 2 * 4096);
  all_flags("mapped around a hole", first, 4 * 4096);
  all_flags("a few bytes into a hole", first + 4000, 200);
  all_flags("page 0", at(16), 64);
  all_flags("low", at(0x10000), 4096);
  all_flags("the kernel's", at(0xffff800000001000), 4096);
  all_flags("no address", at(0x0001000000000000), 4096);
  all_flags("the last page", at(~std::uint64_t{4095}), 4096);
  all_flags("the last page, one byte less", at(~std::uint64_t{4095}), 4095);
  all_flags("null", nullptr, 4096);
}

SECTION(sizes) {
  char* const memory = pages(16);
  for (std::size_t bytes :
       {std::size_t{0}, std::size_t{1}, std::size_t{4095}, std::size_t{4097},
        std::size_t{16 * 4096}, std::size_t{1} << 40, std::size_t{1} << 46, std::size_t{1} << 47,
        std::size_t{1} << 48, std::size_t{1} << 60, ~std::size_t{0}, ~std::size_t{0} - 4096}) {
    std::printf("%zu bytes: ", bytes);
    registering("", memory, bytes, 0);
  }
  registering("odd", memory + 3, 5, 0);
  for (std::size_t bytes : {std::size_t{0}, std::size_t{1} << 60, ~std::size_t{0}}) {
    void* made = at(0x77);
    std::printf("%zu bytes\n", bytes);
    CALL(cudaMallocHost(&made, bytes));
    CALL(cudaHostAlloc(&made, bytes, 0));
    CALL(cudaMallocManaged(&made, bytes));
    CALL(cudaMalloc(&made, bytes));
    last_error();
  }
}

SECTION(protections) {
  char* const memory = pages(4);
  std::memset(memory, 1, 4 * 4096);
  mprotect(memory, 4096, PROT_READ);
  all_flags("read alone", memory, 4096);
  all_flags("read alone, then more", memory, 2 * 4096);
  mprotect(memory, 4096, PROT_NONE);
  all_flags("no access", memory, 4096);
  mprotect(memory, 4096, PROT_READ | PROT_EXEC);
  all_flags("read and executed", memory, 4096);
  all_flags("never touched", pages(2), 2 * 4096);
  all_flags("never touched, read alone", pages(2, PROT_READ), 2 * 4096);
  static const char text[] = "a constant";
  all_flags("a constant", const_cast<char*>(text), sizeof text);
  static int variable;
  all_flags("a variable", &variable, sizeof variable);
  int local;
  all_flags("a local variable", &local, sizeof local);
  all_flags("code", reinterpret_cast<void*>(&std::printf), 16);
  std::FILE* const file = std::tmpfile();
  std::vector<char> zeros(8192);
  std::fwrite(zeros.data(), 1, zeros.size(), file);
  std::fflush(file);
  for (int sharing : {MAP_PRIVATE, MAP_SHARED})
    for (int protection : {PROT_READ, PROT_READ | PROT_WRITE}) {
      void* const mapped = mmap(nullptr, 8192, protection, sharing, fileno(file), 0);
      std::printf("sharing %d, protection %d: ", sharing, protection);
      all_flags("a file", mapped, 8192);
    }
  void* const beyond = mmap(nullptr, 4 * 4096, PROT_READ, MAP_SHARED, fileno(file), 0);
  all_flags("behind a file's end", beyond, 4 * 4096);
}

SECTION(used) {
  char* const memory = pages(2);
  int* const host = reinterpret_cast<int*>(memory);
  *host = 7;
  int *out = nullptr, back = 0;
  cudaMalloc(&out, 4);
  mprotect(memory, 4096, PROT_READ);
  CALL(cudaHostRegister(memory, 4096, cudaHostRegisterReadOnly));
  read<<<1, 1>>>(out, host);
  CALL(cudaMemcpy(&back, out, 4, cudaMemcpyDefault));
  VALUE(back);
  CALL(cudaMemcpy(out, host, 4, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy(host, out, 4, cudaMemcpyDeviceToHost));
  last_error();
  cudaPointerAttributes about{};
  CALL(cudaPointerGetAttributes(&about, host));
  VALUE(about.type);
  write<<<1, 1>>>(host);
  CALL(cudaDeviceSynchronize());
}

SECTION(written_where_writing_is_allowed) {
  int* const host = reinterpret_cast<int*>(pages(2));
  CALL(cudaHostRegister(host, 4096, cudaHostRegisterReadOnly));
  write<<<1, 1>>>(host);
  CALL(cudaDeviceSynchronize());
}

SECTION(overlaps) {
  char* const memory = pages(16);
  CALL(cudaHostRegister(memory + 4096, 8192, 0));
  CALL(cudaHostRegister(memory + 4096, 4096, 0));
  CALL(cudaHostRegister(memory, 8192, 0));
  CALL(cudaHostRegister(memory, 16 * 4096, 0));
  CALL(cudaHostRegister(memory + 8192, 8192, 0));
  CALL(cudaHostRegister(memory + 5000, 10, 0));
  CALL(cudaHostRegister(memory, 4096, 0));
  CALL(cudaHostRegister(memory + 3 * 4096, 4096, 0));
  last_error();
  CALL(cudaHostUnregister(memory + 5000));
  CALL(cudaHostUnregister(memory + 4096));
  CALL(cudaHostUnregister(memory));
  CALL(cudaHostUnregister(memory + 3 * 4096));
  CALL(cudaHostRegister(memory + 100, 1000, 0));
  CALL(cudaHostRegister(memory + 2000, 1000, 0));
  CALL(cudaHostRegister(memory + 3000, 4096, 0));
  CALL(cudaHostUnregister(memory + 2000));
  CALL(cudaHostUnregister(memory + 100));
  CALL(cudaHostUnregister(memory + 3000));
  last_error();
  CALL(cudaHostRegister(memory, 8192, 0));
  munmap(memory, 8192);
  mmap(memory, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  CALL(cudaHostRegister(memory, 8192, 0));
  CALL(cudaHostUnregister(memory));
  CALL(cudaHostUnregister(memory));
}

SECTION(other_memory) {
  void *device = nullptr, *pinned = nullptr, *managed = nullptr, *pooled = nullptr;
  cudaMalloc(&device, 8192);
  cudaMallocHost(&pinned, 8192);
  cudaMallocManaged(&managed, 8192);
  cudaMallocAsync(&pooled, 8192, nullptr);
  all_flags("device memory", device, 8192);
  all_flags("pinned memory", pinned, 8192);
  all_flags("in the midst of pinned memory", static_cast<char*>(pinned) + 4096, 100);
  all_flags("managed memory", managed, 8192);
  all_flags("a pool's memory", pooled, 8192);
  CALL(cudaFreeHost(pinned));
  CALL(cudaFree(managed));
  CALL(cudaFree(device));
}

SECTION(by_the_driver) {
  CALL(cuInit(0));
  CUcontext context = nullptr;
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
  char* const memory = pages(8);
  munmap(memory + 4096, 4096);
  mprotect(memory + 2 * 4096, 4096, PROT_READ);
  CALL(cuMemHostRegister(memory, 8192, 0));
  CALL(cuMemHostRegister(memory + 4096, 4096, 0));
  CALL(cuMemHostRegister(memory + 2 * 4096, 4096, 0));
  CALL(cuMemHostRegister(memory + 2 * 4096, 4096, CU_MEMHOSTREGISTER_READ_ONLY));
  CALL(cuMemHostRegister(memory + 3 * 4096, 4096, CU_MEMHOSTREGISTER_IOMEMORY));
  CALL(cuMemHostRegister(memory + 3 * 4096, 4096, 16));
  CALL(cuMemHostRegister(memory + 3 * 4096, 0, 0));
  CALL(cuMemHostRegister(memory + 3 * 4096, std::size_t{1} << 60, 0));
  CALL(cuMemHostRegister(memory + 3 * 4096, 4096, 0));
  CALL(cuMemHostRegister(memory + 3 * 4096, 4096, 0));
  CALL(cuMemHostUnregister(memory + 3 * 4096 + 100));
  CALL(cuMemHostUnregister(memory + 3 * 4096));
  CALL(cuMemHostUnregister(memory + 3 * 4096));
  CALL(cuMemHostUnregister(nullptr));
}
