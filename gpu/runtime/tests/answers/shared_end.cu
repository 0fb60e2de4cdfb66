// How far past what a block declares and asks for its accesses to shared memory go. One process for
// each question, since a fault ends its context.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

__device__ unsigned sink;

enum Kind { store, load, generic, atomic, byte };
constexpr const char* kKinds[] = {"store", "load", "generic store", "atomic", "byte"};

__device__ void access(const char* first, int offset, Kind kind) {
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(first)) + offset;
  unsigned value = 0;
  switch (kind) {
    case store:
      asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(7u) : "memory");
      break;
    case load:
      asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(at) : "memory");
      break;
    case generic:
      asm volatile("st.u32 [%0], %1;" ::"l"(__cvta_shared_to_generic(at)), "r"(7u) : "memory");
      break;
    case atomic:
      asm volatile("atom.shared.add.u32 %0, [%1], 1;" : "=r"(value) : "r"(at) : "memory");
      break;
    case byte:
      asm volatile("st.shared.u8 [%0], %1;" ::"r"(at), "r"(7u) : "memory");
      break;
  }
  sink = value;
}

template <int kBytes>
__global__ void declared(int offset, Kind kind) {
  __shared__ char bytes[kBytes];
  access(bytes, offset, kind);
}
extern __shared__ char dynamic[];
__global__ void asked(int offset, Kind kind) { access(dynamic, offset, kind); }
// Offsets count from the declared bytes; the others begin at the next multiple of 16.
__global__ void both(int offset, Kind kind) {
  __shared__ char bytes[100];
  if (offset < 0) sink = dynamic[threadIdx.x];
  access(bytes, offset, kind);
}

template <typename Kernel>
void question(const char* what, int bytes, Kernel kernel, int dynamic_bytes, int offset,
              Kind kind) {
  std::fflush(stdout);
  if (fork() == 0) {
    if (dynamic_bytes > 48 << 10)
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, dynamic_bytes);
    kernel<<<1, 1, dynamic_bytes>>>(offset, kind);
    std::printf("%s %d, %s at %d: %s\n", what, bytes, kKinds[kind], offset,
                cudaGetErrorName(cudaDeviceSynchronize()));
    std::fflush(stdout);
    _exit(0);
  }
  wait(nullptr);
}

template <int kBytes>
void ask_declared(Kind kind = store) {
  const int end = (kBytes + 127) / 128 * 128;
  for (const int offset : {kBytes / 4 * 4, end - 4, end, end + 124})
    question("declared", kBytes, declared<kBytes>, 0, offset, kind);
}
void ask_dynamic(int bytes, Kind kind = store) {
  const int end = (bytes + 127) / 128 * 128;
  for (const int offset : {bytes / 4 * 4, end - 4, end, end + 124})
    question("asked for", bytes, asked, bytes, offset, kind);
}

int main(int count, char** arguments) {
  const auto is = [&](const char* section) {
    const bool wanted = count < 2 || std::strcmp(arguments[1], section) == 0;
    if (wanted) std::printf("== %s\n", section);
    return wanted;
  };
  if (is("declared")) {
    ask_declared<4>();
    ask_declared<72>();
    ask_declared<128>();
    ask_declared<1000>();
    ask_declared<1028>();
    ask_declared<5000>();
  }
  if (is("asked_for"))
    for (const int bytes : {4, 72, 1000, 1028, 5000, 60000}) ask_dynamic(bytes);
  if (is("nothing_asked_for"))
    for (const int offset : {-4, 0, 124}) question("asked for", 0, asked, 0, offset, store);
  if (is("both"))
    for (const int bytes : {1, 28, 156})
      for (const int offset : {124, 128, 252, 256, 380, 384})
        question("100 and", bytes, both, bytes, offset, store);
  if (is("kinds"))
    for (const Kind kind : {load, generic, atomic, byte})
      for (const int offset : {72, 124, 128})
        if (kind != byte || offset != 124) question("asked for", 72, asked, 72, offset, kind);
}
