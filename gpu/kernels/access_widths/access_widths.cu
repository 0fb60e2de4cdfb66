// Loads and stores of 1, 2, 4, 8 and 16 bytes, at strides that are odd, even and zero, in global
// and shared memory.
#include <cstring>

#include "../common/device_array.h"

constexpr unsigned kThreads = 64, kStrides = 4;
__host__ __device__ constexpr unsigned stride_of(unsigned i) {
  return i == 0 ? 0 : i == 1 ? 1 : i == 2 ? 3 : 17;
}

template <typename T>
__global__ void copy_strided(const T* in, T* out, unsigned stride) {
  out[threadIdx.x * 3] = in[threadIdx.x * stride + 1];
}

template <typename T>
__global__ void copy_through_shared(const T* in, T* out, unsigned stride) {
  __shared__ T shared[kThreads * 5];
  shared[threadIdx.x * 5] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = shared[(threadIdx.x * stride) % kThreads * 5];
}

struct Bytes3 {
  signed char a, b, c;
};
__global__ void sign_extend(const Bytes3* in, int* out) {
  const Bytes3 value = in[threadIdx.x];
  out[threadIdx.x] = value.a + value.b * 256 + value.c * 65536;
}

template <typename T>
static bool check() {
  const unsigned count = kThreads * 17 + 1;
  std::vector<T> in(count);
  unsigned char* bytes = reinterpret_cast<unsigned char*>(in.data());
  for (unsigned i = 0; i < count * sizeof(T); ++i) bytes[i] = (unsigned char)(scramble(i));
  DeviceArray<T> d_in(in);
  bool ok = true;
  for (unsigned i = 0; i < kStrides; ++i) {
    DeviceArray<T> out(kThreads * 3), shared(kThreads);
    copy_strided<<<1, kThreads>>>(d_in.data(), out.data(), stride_of(i));
    copy_through_shared<<<1, kThreads>>>(d_in.data(), shared.data(), stride_of(i));
    const auto a = out.host(), b = shared.host();
    for (unsigned t = 0; t < kThreads; ++t)
      ok = ok && !memcmp(&a[t * 3], &in[t * stride_of(i) + 1], sizeof(T)) &&
           !memcmp(&b[t], &in[t * stride_of(i) % kThreads], sizeof(T));
  }
  return ok;
}

int main() {
  Verdict verdict;
  verdict.expect(check<unsigned char>(), "1 byte");
  verdict.expect(check<unsigned short>(), "2 bytes");
  verdict.expect(check<unsigned>(), "4 bytes");
  verdict.expect(check<uint2>(), "8 bytes");
  verdict.expect(check<uint4>(), "16 bytes");
  std::vector<Bytes3> in(kThreads);
  for (unsigned i = 0; i < kThreads; ++i) {
    const unsigned bits = scramble(i);
    in[i] = {(signed char)(bits), (signed char)(bits >> 8), (signed char)(bits >> 16)};
  }
  DeviceArray<Bytes3> d_in(in);
  DeviceArray<int> out(kThreads);
  sign_extend<<<1, kThreads>>>(d_in.data(), out.data());
  const auto values = out.host();
  for (unsigned i = 0; i < kThreads; ++i)
    verdict.expect(values[i] == in[i].a + in[i].b * 256 + in[i].c * 65536, "sign_extend");
  return verdict.finish();
}
