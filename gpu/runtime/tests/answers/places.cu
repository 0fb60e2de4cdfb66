// Where memory lies: addresses modulo 2 MiB, and which of them share a piece of 2 MiB (pieces are
// numbered as they are first seen), by the sequence of calls.
#include <map>

#include "answers.hpp"

__device__ int small_variable[8];
__device__ char large_variable[3 << 20];
__device__ char odd_variable[1000];
__constant__ int constant[8];
__managed__ int managed_variable[8];
__global__ void nothing() {}
__global__ void uses(int* out) {
  out[threadIdx.x] = small_variable[threadIdx.x % 8] + large_variable[threadIdx.x] +
                     odd_variable[threadIdx.x] + constant[threadIdx.x % 8] + managed_variable[0];
}

static void lies(const char* what, const void* pointer) {
  constexpr unsigned long long kPiece = 2 << 20;
  static std::map<unsigned long long, int> pieces;
  const auto address = reinterpret_cast<unsigned long long>(pointer);
  const int next = static_cast<int>(pieces.size());
  const int piece = pieces.try_emplace(address / kPiece, next).first->second;
  std::printf("%s: piece %d, 0x%llx\n", what, piece, address % kPiece);
}

static char* allocate(std::size_t bytes) {
  char* memory = nullptr;
  const cudaError_t error = cudaMalloc(&memory, bytes);
  if (error != cudaSuccess) return std::printf("%s\n", cudaGetErrorName(error)), nullptr;
  lies(("cudaMalloc of " + std::to_string(bytes)).c_str(), memory);
  return memory;
}
static void give_back(const char* what, void* memory) {
  std::printf("cudaFree of %s: %s\n", what, cudaGetErrorName(cudaFree(memory)));
}

SECTION(gaps) {
  char* all[12];
  for (char*& each : all) each = allocate(400000);
  give_back("the second", all[1]);
  give_back("the third", all[2]);
  allocate(500000);
  allocate(200000);
  allocate(900000);
  allocate(100000);
  give_back("the sixth", all[5]);
  allocate(400000);
  allocate(1000);
}

SECTION(empty_pieces) {
  char* first = allocate(1500000);
  char* second = allocate(1500000);
  char* third = allocate(1500000);
  give_back("the second", second);
  allocate(1000);
  allocate(1500000);
  give_back("the first", first);
  allocate(1000);
  allocate(1500000);
  give_back("the third", third);
  allocate(2000000);
}

SECTION(large) {
  char* first = allocate(5 << 20);
  char* second = allocate(3 << 20);
  allocate(1000);
  give_back("the first", first);
  allocate(3 << 20);
  allocate(2 << 20);
  give_back("the second", second);
  allocate(3 << 20);
  allocate((2 << 20) + 1);
  allocate(1 << 20);
  allocate(1 << 20);
  allocate((1 << 20) + 512);
  allocate(1 << 20);
  allocate((2 << 20) - 512);
  allocate(512);
  allocate(1);
}

SECTION(other_calls) {
  allocate(1000);
  void* pitched = nullptr;
  std::size_t pitch = 0;
  for (const std::size_t width : {100, 513, 1000, 4096}) {
    CALL(cudaMallocPitch(&pitched, &pitch, width, 10));
    VALUE(pitch);
    lies("pitched", pitched);
  }
  cudaPitchedPtr volume;
  CALL(cudaMalloc3D(&volume, make_cudaExtent(100, 10, 10)));
  VALUE(volume.pitch);
  lies("volume", volume.ptr);
  allocate(1000);
  void* managed = nullptr;
  CALL(cudaMallocManaged(&managed, 1000));
  lies("managed", managed);
  CALL(cudaMallocManaged(&managed, 1000));
  lies("managed", managed);
  CALL(cudaMallocManaged(&managed, 3 << 20));
  lies("managed", managed);
  CALL(cudaMallocManaged(&managed, 1000));
  lies("managed", managed);
  allocate(1000);
  void* host = nullptr;
  CALL(cudaMallocHost(&host, 1000));
  lies("pinned", host);
  CALL(cudaMallocHost(&host, 1000));
  lies("pinned", host);
  allocate(1000);
  void* ordered = nullptr;
  for (const std::size_t bytes : {1000, 1000, 100000, 5 << 20, 1000}) {
    CALL(cudaMallocAsync(&ordered, bytes, nullptr));
    lies("stream-ordered", ordered);
  }
  CALL(cudaFreeAsync(ordered, nullptr));
  CALL(cudaMallocAsync(&ordered, 1000, nullptr));
  lies("stream-ordered", ordered);
  allocate(1000);
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  CALL(cudaMallocArray(&array, &format, 64, 64));
  allocate(1000);
}

SECTION(variables) {
  allocate(1000);
  void* symbol = nullptr;
  CALL(cudaGetSymbolAddress(&symbol, small_variable));
  lies("small variable", symbol);
  CALL(cudaGetSymbolAddress(&symbol, odd_variable));
  lies("odd variable", symbol);
  CALL(cudaGetSymbolAddress(&symbol, large_variable));
  lies("large variable", symbol);
  CALL(cudaGetSymbolAddress(&symbol, constant));
  lies("constant", symbol);
  CALL(cudaGetSymbolAddress(&symbol, managed_variable));
  lies("managed variable", symbol);
  allocate(1000);
}

SECTION(variables_first) {
  int* out = nullptr;
  nothing<<<1, 1>>>();
  CALL(cudaDeviceSynchronize());
  out = reinterpret_cast<int*>(allocate(1000));
  uses<<<1, 32>>>(out);
  CALL(cudaDeviceSynchronize());
  allocate(1000);
  void* symbol = nullptr;
  CALL(cudaGetSymbolAddress(&symbol, small_variable));
  lies("small variable", symbol);
  CALL(cudaGetSymbolAddress(&symbol, odd_variable));
  lies("odd variable", symbol);
  CALL(cudaGetSymbolAddress(&symbol, large_variable));
  lies("large variable", symbol);
  allocate(1000);
}

SECTION(order_of_pieces) {
  // Whether pieces lie one behind the other.
  char* all[6];
  for (char*& each : all) each = allocate(2000000);
  for (int i = 1; i < 6; ++i) VALUE((all[i] - all[i - 1]) / (2 << 20));
  char* large[4];
  for (char*& each : large) each = allocate(9 << 20);
  for (int i = 1; i < 4; ++i) VALUE((large[i] - large[i - 1]) / (2 << 20));
}
