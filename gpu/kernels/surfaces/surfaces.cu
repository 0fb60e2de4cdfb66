// Surfaces of every shape and element size: written, read back, added to, and read outside of their
// edges.
#include "../common/device_array.h"

constexpr int kWide = 32, kHigh = 8, kDeep = 4, kThreads = 256;

struct Place {
  int x, y, z;
};
// Threads of a warp scatter over rows; no two of the first 256 have one place.
__host__ __device__ Place place(int thread) {
  const int at = thread * 37 % kThreads;
  return {at % kWide, at / kWide, thread % kDeep};
}

__device__ int thread_of_grid() { return int(blockIdx.x * blockDim.x + threadIdx.x); }

template <typename T>
__device__ T element(unsigned number);
template <>
__device__ unsigned char element(unsigned number) {
  return (unsigned char)number;
}
template <>
__device__ unsigned short element(unsigned number) {
  return (unsigned short)number;
}
template <>
__device__ unsigned element(unsigned number) {
  return number;
}
template <>
__device__ uint2 element(unsigned number) {
  return make_uint2(number, number + 1);
}
template <>
__device__ uint4 element(unsigned number) {
  return make_uint4(number, number + 1, number + 2, number + 3);
}

__device__ unsigned number_of(unsigned char e) { return e; }
__device__ unsigned number_of(unsigned short e) { return e; }
__device__ unsigned number_of(unsigned e) { return e; }
__device__ unsigned number_of(uint2 e) { return e.x + e.y * 3; }
__device__ unsigned number_of(uint4 e) { return e.x + e.y * 3 + e.z * 5 + e.w * 7; }

template <typename T>
__global__ void write_plane(cudaSurfaceObject_t surface) {
  const int t = thread_of_grid();
  const Place at = place(t);
  surf2Dwrite(element<T>(scramble(t)), surface, at.x * int(sizeof(T)), at.y);
}

// Beside each thread's own place, one that may lie outside: 0 there, or the nearest inside.
template <typename T>
__global__ void read_plane(cudaSurfaceObject_t surface, uint3* out) {
  const int t = thread_of_grid();
  const Place at = place(t);
  uint3 result;
  result.x = number_of(surf2Dread<T>(surface, at.x * int(sizeof(T)), at.y));
  const int x = (at.x + 9) * int(sizeof(T)), y = at.y - 3;
  result.y = number_of(surf2Dread<T>(surface, x, y, cudaBoundaryModeZero));
  result.z = number_of(surf2Dread<T>(surface, x, y, cudaBoundaryModeClamp));
  out[t] = result;
}

__global__ void lines(cudaSurfaceObject_t line, cudaSurfaceObject_t layered, uint2* out) {
  const int t = thread_of_grid(), x = t % kWide * 4, layer = t / kWide % kDeep;
  if (t < kWide) surf1Dwrite(scramble(t), line, x);
  if (t < kWide * kDeep) surf1DLayeredwrite(scramble(t + 77), layered, x, layer);
  __syncthreads();
  out[t] =
      make_uint2(surf1Dread<unsigned>(line, x), surf1DLayeredread<unsigned>(layered, x, layer));
}

__global__ void boxes(cudaSurfaceObject_t box, cudaSurfaceObject_t layered, uint2* out) {
  const int t = thread_of_grid();
  const Place at = place(t);
  surf3Dwrite(scramble(t), box, at.x * 4, at.y, at.z);
  surf2DLayeredwrite(scramble(t + 99), layered, at.x * 4, at.y, kDeep - 1 - at.z);
  out[t] = make_uint2(surf3Dread<unsigned>(box, at.x * 4, at.y, at.z),
                      surf2DLayeredread<unsigned>(layered, at.x * 4, at.y, kDeep - 1 - at.z));
}

// Every thread adds to one of 32 elements, and takes the largest in one of another row.
__global__ void reductions(cudaSurfaceObject_t plane) {
  const int t = thread_of_grid(), x = t % kWide * 4, y = 0, above = 1;
  asm volatile("sured.b.add.2d.u32.trap [%0, {%1, %2}], %3;" ::"l"(plane), "r"(x), "r"(y), "r"(t));
  if (t % 7 != 0)
    asm volatile("sured.b.max.2d.u32.trap [%0, {%1, %2}], %3;" ::"l"(plane), "r"(x), "r"(above),
                 "r"(t));
}

class Surface {
 public:
  Surface(cudaChannelFormatDesc format, int width, int height, int depth, unsigned flags = 0) {
    CHECK(cudaMalloc3DArray(&array_, &format, make_cudaExtent(width, height, depth),
                            flags | cudaArraySurfaceLoadStore));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array_;
    CHECK(cudaCreateSurfaceObject(&object_, &resource));
    bytes_ = size_t(format.x + format.y + format.z + format.w) / 8;
    width_ = size_t(width);
    height_ = size_t(height ? height : 1);
  }
  Surface(const Surface&) = delete;
  Surface& operator=(const Surface&) = delete;
  ~Surface() {
    cudaDestroySurfaceObject(object_);
    cudaFreeArray(array_);
  }
  cudaSurfaceObject_t object() const { return object_; }
  void clear() {
    const std::vector<char> zeros(width_ * bytes_ * height_);
    CHECK(cudaMemcpy2DToArray(array_, 0, 0, zeros.data(), width_ * bytes_, width_ * bytes_, height_,
                              cudaMemcpyHostToDevice));
  }
  std::vector<unsigned> host() const {
    std::vector<unsigned> texels(width_ * bytes_ * height_ / sizeof(unsigned));
    CHECK(cudaMemcpy2DFromArray(texels.data(), width_ * bytes_, array_, 0, 0, width_ * bytes_,
                                height_, cudaMemcpyDeviceToHost));
    return texels;
  }

 private:
  cudaArray_t array_ = nullptr;
  cudaSurfaceObject_t object_ = 0;
  size_t bytes_ = 0, width_ = 0, height_ = 0;
};

static int owner(int x, int y) {
  for (int t = 0; t < kThreads; ++t)
    if (place(t).x == x && place(t).y == y) return t;
  return -1;
}

// What number_of gives of an element of `bytes` that was made of a thread's number.
static unsigned expected(size_t bytes, int thread) {
  const unsigned n = scramble(unsigned(thread));
  return bytes == 1   ? n & 255
         : bytes == 2 ? n & 65535
         : bytes == 4 ? n
         : bytes == 8 ? n + (n + 1) * 3
                      : n + (n + 1) * 3 + (n + 2) * 5 + (n + 3) * 7;
}

template <typename T>
static void check_plane(Verdict& verdict, const char* what) {
  const Surface plane(cudaCreateChannelDesc<T>(), kWide, kHigh, 0);
  DeviceArray<uint3> out(kThreads);
  write_plane<T><<<2, kThreads / 2>>>(plane.object());
  read_plane<T><<<2, kThreads / 2>>>(plane.object(), out.data());
  const auto values = out.host();
  bool equal = true;
  for (int t = 0; t < kThreads; ++t) {
    const int x = place(t).x + 9, y = place(t).y - 3;
    const bool inside = x < kWide && y >= 0;
    const unsigned near = expected(sizeof(T), owner(x < kWide ? x : kWide - 1, y < 0 ? 0 : y));
    equal = equal && values[t].x == expected(sizeof(T), t) && values[t].y == (inside ? near : 0) &&
            values[t].z == near;
  }
  verdict.expect(equal, what);
}

static void check_shapes(Verdict& verdict) {
  const auto format = cudaCreateChannelDesc<unsigned>();
  const Surface line(format, kWide, 0, 0), rows(format, kWide, 0, kDeep, cudaArrayLayered);
  const Surface box(format, kWide, kHigh, kDeep),
      sheets(format, kWide, kHigh, kDeep, cudaArrayLayered);
  DeviceArray<uint2> out(kThreads);
  lines<<<1, kThreads>>>(line.object(), rows.object(), out.data());
  auto values = out.host();
  bool equal = true;
  for (int t = 0; t < kThreads; ++t)
    equal = equal && values[t].x == scramble(t % kWide) &&
            values[t].y == scramble(t % (kWide * kDeep) + 77);
  verdict.expect(equal, "lines");
  boxes<<<2, kThreads / 2>>>(box.object(), sheets.object(), out.data());
  values = out.host();
  equal = true;
  for (int t = 0; t < kThreads; ++t)
    equal = equal && values[t].x == scramble(t) && values[t].y == scramble(t + 99);
  verdict.expect(equal, "boxes");
}

static void check_reductions(Verdict& verdict) {
  Surface plane(cudaCreateChannelDesc<unsigned>(), kWide, 2, 0);
  plane.clear();
  reductions<<<2, kThreads / 2>>>(plane.object());
  CHECK(cudaGetLastError());
  const auto values = plane.host();
  bool equal = true;
  for (int x = 0; x < kWide; ++x) {
    unsigned sum = 0, most = 0;
    for (int t = x; t < kThreads; t += kWide) {
      sum += unsigned(t);
      if (t % 7 != 0) most = unsigned(t);
    }
    equal = equal && values[x] == sum && values[kWide + x] == most;
  }
  verdict.expect(equal, "reductions");
}

int main() {
  Verdict verdict;
  check_plane<unsigned char>(verdict, "bytes");
  check_plane<unsigned short>(verdict, "halves");
  check_plane<unsigned>(verdict, "words");
  check_plane<uint2>(verdict, "pairs");
  check_plane<uint4>(verdict, "quads");
  check_shapes(verdict);
  check_reductions(verdict);
  return verdict.finish();
}
