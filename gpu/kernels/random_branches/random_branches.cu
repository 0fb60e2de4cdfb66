// What gpu/kernels/generated/generate.py 2 14 makes as number 3: control flow drawn at random.
#include "../common/device_array.h"

__host__ __device__ __noinline__ unsigned kernel_0_function1(unsigned a, unsigned b, unsigned t, unsigned n,
    const unsigned* data, unsigned* out, unsigned depth) {
  unsigned c = a ^ b, d = 7;
#pragma unroll 1
    for (unsigned i1 = 0, e = 6u; i1 < e; ++i1) {
      a += i1 * 96u;
      b = ((11 + 34) ^ (n * t));
      c += 15;
      b = ((c | n) + (n & b));
    }
    if ((b % 8u < 6u)) {
      b = ((data[b & 255u] + data[c & 255u]) % 14u);
    }
  if (depth % 8u != 0) c += kernel_0_function1(a + c, b, t, n, data, out, depth % 8u - 1);
  return a + b + c + d;
}
__host__ __device__ void kernel_0_of(unsigned t, unsigned n, const unsigned* data, unsigned* out) {
  unsigned a = data[t & 255u], b = t * 7u, c = a >> 5, d = n;
  switch (((d % 3u < 6u) ? 20 : 19) % 8u) {
    case 0: {
      a += kernel_0_function1((d - n), ((t % 4u == 3u) ? b : a), t, n, data, out, data[a & 255u]);
    }
    case 1: {
      a += data[d & 255u];
    } break;
    case 2: {
      c ^= ((data[a & 255u] - n) << 2);
    }
    case 3: {
      d += a;
    } break;
    case 4: {
      switch ((a >> 6) % 8u) {
        case 0: {
#pragma unroll 2
          for (unsigned i2 = 0, e = (16 - a) % 2u; i2 < e; ++i2) {
            a += i2 * 68u;
            b ^= c;
            d = (c ^ (n & 16));
          }
        } break;
        case 1: {
          if (((t & 31u) < 3u && c % 3u != 1u)) {
            d += ((t << 6) & (d % 13u));
            b += t;
          } else {
            d ^= ((b * 37) * (n ^ data[d & 255u]));
            a += ((data[a & 255u] + 3) % 3u);
          }
        } break;
        case 2: {
          c ^= t;
        } break;
        case 3: {
          c = ((t / 15u) * ((a % 5u < 5u) ? data[c & 255u] : d));
        } break;
        case 4: {
          d ^= unsigned(int((a ^ n)) >> 7);
        } break;
        case 5: {
          d += (d + (b % 10u));
        } break;
        case 6: {
          d += ((a % 7u == 4u) ? n : (a << 9));
        }
        case 7: {
          b += (((t & 3u) < 1u) ? (t - n) : unsigned(int(data[d & 255u]) >> 8));
        }
        default: d += 9u;
      }
    }
    case 5: {
      b = (b * (c + b));
    } break;
    default: b += 6u;
  }
  b = ((data[d & 255u] & n) - 24);
  b = 31;
  a = ((data[c & 255u] * a) / 10u);
  c ^= (15 - (d ^ a));
  c += t;
  a += ((data[d & 255u] - c) >> 4);
  out[t] = a ^ (b << 1) ^ (c << 2) ^ (d << 3);
}
__global__ void kernel_0(unsigned n, const unsigned* data, unsigned* out, unsigned* sums) {
  kernel_0_of(blockIdx.x * blockDim.x + threadIdx.x, n, data, out);
}

__global__ void kernel_1(unsigned n, const unsigned* data, unsigned* out, unsigned* sums) {
  __shared__ unsigned tile[256], shared_sums[32];
  if (threadIdx.x < 32) shared_sums[threadIdx.x] = 0;
  __syncthreads();
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a = data[t & 255u], b = t * 7u, c = a >> 5, d = n;
  float x = float(t) * 0.37f;
  double y = double(a & 255u);
  {
    a += (data[b & 255u] + data[c & 255u]);
    if ((t % 6u == 1u && d % 5u != 1u)) {
      if (x > 870.0f) x /= 3.0f;
      if ((c % 7u > 0u)) goto finish;
      c = (unsigned(int(d) >> 1) * (c >> 3));
    } else {
#pragma unroll 1
      for (unsigned i1 = 0, e = ((t % 4u == 1u) ? a : a) % 8u; i1 < e; ++i1) {
        a += i1 * 67u;
        atomicAdd(&sums[(0 + a) & 15u], (29 + t));
        if ((c % 8u == 4u)) { out[t] = (b ^ t); return; }
      }
      x = sqrtf(fabsf(x)) + 0.5f;
    }
    atomicXor(&shared_sums[10 & 31u], n);
    if (((t & 31u) == 1u)) {
      if ((b % 9u == 1u)) { out[t] = (d * b); return; }
      if (((n + 6u) % 2u == 0u)) goto finish;
    }
    if ((a % 3u == 6u)) {
      c = unsigned(int((n - a)) >> 2);
    } else {
      a = ((t % 6u) - (n ^ a));
      b ^= ((a % 5u < 0u) ? (t + t) : (15 - t));
      c += ((((n + 0u) % 3u == 1u) ? data[b & 255u] : a) - (data[d & 255u] & data[b & 255u]));
    }
    d = unsigned(int(unsigned(int(8) >> 2)) >> 7);
  }
finish:
  d += unsigned(int(x)) + unsigned(int(y));
  out[t] = a ^ (b << 1) ^ (c << 2) ^ (d << 3);
}

__global__ void kernel_2(unsigned n, const unsigned* data, unsigned* out, unsigned* sums) {
  __shared__ unsigned tile[256], shared_sums[32];
  if (threadIdx.x < 32) shared_sums[threadIdx.x] = 0;
  __syncthreads();
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a = data[t & 255u], b = t * 7u, c = a >> 5, d = n;
  float x = float(t) * 0.37f;
  double y = double(a & 255u);
  d += ((12 ^ d) & (t - b));
  unsigned fuel1 = 2;
  while (((t & 3u) == 9u) && fuel1-- != 0) {
    unsigned local2[8];
    for (unsigned k = 0; k < 8; ++k) local2[k] = a * k + c;
    local2[b & 7u] += d;
    d ^= local2[n & 7u];
    b ^= ((t | c) - (n * b));
  }
  d += __reduce_add_sync(0xffffffffu, n);
  d += unsigned(int(x)) + unsigned(int(y));
  out[t] = a ^ (b << 1) ^ (c << 2) ^ (d << 3);
}

__host__ __device__ void kernel_3_of(unsigned t, unsigned n, const unsigned* data, unsigned* out) {
  unsigned a = data[t & 255u], b = t * 7u, c = a >> 5, d = n;
  {
    if ((b % 9u > 4u)) {
      a = ((data[b & 255u] >> 2) - (10 - t));
    } else {
      if ((t % 6u == 2u)) {
        b = ((b | 22) - (0 + 21));
        if ((c % 5u < 0u)) {
          if ((a % 8u < 6u)) {
            a += ((n * n) % 2u);
            c ^= (a & n);
            if ((c % 5u == 4u)) goto finish;
          }
        }
        if ((c % 8u == 3u)) {
          for (unsigned i1 = 0, e = (data[a & 255u] + t) % 2u; i1 < e; ++i1) {
            a += i1 * 56u;
            if ((c % 5u < 1u && b % 3u != 1u)) {
              d = (((d % 10u > 2u) ? t : data[c & 255u]) | (20 * t));
            } else {
              b += ((n + d) - data[b & 255u]);
              d += ((t * t) / 15u);
            }
          }
          d = ((c >> 5) | b);
        }
      } else {
        for (unsigned i2 = 0, e = b % 3u; i2 < e; ++i2) {
          c += i2 * 8u;
          unsigned fuel3 = 5;
          while ((c % 6u < 5u) && fuel3-- != 0) {
            a += ((n + t) & unsigned(int(21) >> 9));
          }
          b += ((d ^ 27) - (n % 2u));
        }
        if ((a % 11u < 3u)) {
          if ((d % 2u > 6u)) {
            d ^= d;
          } else {
            a += n;
            d = ((d - 11) - (n | t));
          }
          c = t;
        } else {
          c += ((t - d) | (data[b & 255u] >> 6));
          b = ((c * t) * (t & c));
        }
        d += n;
      }
      c = (data[b & 255u] & (data[a & 255u] / 17u));
    }
    a ^= n;
    b ^= b;
    a ^= ((data[a & 255u] - n) / 10u);
    c ^= ((5 + b) ^ b);
    d = ((n + n) % 19u);
    a ^= ((d | data[b & 255u]) + unsigned(int(data[d & 255u]) >> 1));
  }
finish:
  out[t] = a ^ (b << 1) ^ (c << 2) ^ (d << 3);
}
__global__ void kernel_3(unsigned n, const unsigned* data, unsigned* out, unsigned* sums) {
  kernel_3_of(blockIdx.x * blockDim.x + threadIdx.x, n, data, out);
}

__global__ void kernel_4(unsigned n, const unsigned* data, unsigned* out, unsigned* sums) {
  __shared__ unsigned tile[256], shared_sums[32];
  if (threadIdx.x < 32) shared_sums[threadIdx.x] = 0;
  __syncthreads();
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a = data[t & 255u], b = t * 7u, c = a >> 5, d = n;
  float x = float(t) * 0.37f;
  double y = double(a & 255u);
  if (__all_sync(0xffffffffu, (t % 9u == 2u || b % 2u != 1u))) c += 5u;
  a = ((b | 28) | (21 ^ a));
  d ^= ((a ^ d) + unsigned(int(data[a & 255u]) >> 2));
  { unsigned long long w = (unsigned long long)((t * t)) * (n >> 2) + b;
    b = unsigned(w >> 4) + unsigned(w % 736u); }
  { unsigned long long w = (unsigned long long)(data[a & 255u]) * (data[d & 255u] * a) + b;
    d = unsigned(w >> 21) + unsigned(w % 861u); }
  if ((c % 7u < 6u)) {
    a ^= ((n - d) % 16u);
  }
  if ((a % 11u > 1u)) {
    if (((t & 16u) == 3u)) {
      if ((d % 7u < 0u)) {
        if ((a % 8u < 2u && b % 3u != 1u)) {
          a += n;
          c ^= (d << 9);
          if ((t % 4u == 0u)) {
            b ^= (data[d & 255u] | (n / 5u));
            b ^= (t * (n << 2));
          } else {
            d += ((data[d & 255u] - t) * a);
            d ^= ((d | 12) % 9u);
          }
        }
        d += d;
      }
      b += ((a & b) + a);
    }
    a = ((n << 1) + ((b % 11u == 3u) ? t : data[a & 255u]));
  }
  d += unsigned(int(x)) + unsigned(int(y));
  out[t] = a ^ (b << 1) ^ (c << 2) ^ (d << 3);
}

__host__ __device__ void kernel_5_of(unsigned t, unsigned n, const unsigned* data, unsigned* out) {
  unsigned a = data[t & 255u], b = t * 7u, c = a >> 5, d = n;
  {
    switch ((t ^ data[c & 255u]) % 5u) {
      case 0: {
        d += n;
      } break;
      case 1: {
        a = data[c & 255u];
      } break;
      case 2: {
        a = ((n >> 1) / 13u);
      }
      case 3: {
        switch (c % 11u) {
          case 0: {
            if ((t % 2u == 1u)) goto finish;
          } break;
          case 1: {
            if ((a % 4u < 5u)) goto finish;
          } break;
          case 2: {
            b ^= (data[d & 255u] / 9u);
          } break;
          case 3: {
            if ((t % 9u == 1u || c % 4u != 1u)) {
              d = d;
              a ^= ((a + n) >> 5);
              c = (d << 1);
            } else {
              a ^= ((t + d) & (((n + 5u) % 3u == 2u) ? n : c));
              b ^= c;
            }
          } break;
          case 4: {
            a ^= ((0 << 9) & 17);
          } break;
          case 5: {
            d = ((a + b) - (t ^ data[b & 255u]));
          } break;
          case 6: {
            a = ((t % 6u == 2u) ? n : (b & c));
          } break;
          case 7: {
            d += c;
          } break;
          case 8: {
            c ^= 24;
          } break;
          default: c += 3u;
        }
      } break;
      case 4: {
        c += n;
      } break;
      default: c += 1u;
    }
    b += ((t & t) - (n * a));
    b = unsigned(int((n << 3)) >> 6);
    a += ((20 | a) << 3);
  }
finish:
  out[t] = a ^ (b << 1) ^ (c << 2) ^ (d << 3);
}
__global__ void kernel_5(unsigned n, const unsigned* data, unsigned* out, unsigned* sums) {
  kernel_5_of(blockIdx.x * blockDim.x + threadIdx.x, n, data, out);
}

int main() {
  Verdict verdict;
  std::vector<unsigned> input(256);
  for (unsigned i = 0; i < 256; ++i) input[i] = scramble(i + 2003u);
  DeviceArray<unsigned> data(input), sums(32);
  {
    DeviceArray<unsigned> out(400);
    kernel_0<<<2, 200>>>(80u, data.data(), out.data(), sums.data());
    const auto got = out.host();
    std::vector<unsigned> want(400);
    for (unsigned t = 0; t < 400; ++t) kernel_0_of(t, 80u, input.data(), want.data());
    verdict.expect(got == want, "kernel_0");
  }
  {
    DeviceArray<unsigned> out(64);
    kernel_1<<<2, 32>>>(7u, data.data(), out.data(), sums.data());
    const auto got = out.host();
  }
  {
    DeviceArray<unsigned> out(256);
    kernel_2<<<2, 128>>>(68u, data.data(), out.data(), sums.data());
    const auto got = out.host();
  }
  {
    DeviceArray<unsigned> out(1000);
    kernel_3<<<5, 200>>>(63u, data.data(), out.data(), sums.data());
    const auto got = out.host();
    std::vector<unsigned> want(1000);
    for (unsigned t = 0; t < 1000; ++t) kernel_3_of(t, 63u, input.data(), want.data());
    verdict.expect(got == want, "kernel_3");
  }
  {
    DeviceArray<unsigned> out(384);
    kernel_4<<<3, 128>>>(60u, data.data(), out.data(), sums.data());
    const auto got = out.host();
  }
  {
    DeviceArray<unsigned> out(200);
    kernel_5<<<1, 200>>>(4u, data.data(), out.data(), sums.data());
    const auto got = out.host();
    std::vector<unsigned> want(200);
    for (unsigned t = 0; t < 200; ++t) kernel_5_of(t, 4u, input.data(), want.data());
    verdict.expect(got == want, "kernel_5");
  }
  return verdict.finish();
}
