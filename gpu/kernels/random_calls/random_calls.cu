// What gpu/kernels/generated/generate.py 2 14 makes as number 6: control flow drawn at random.
#include "../common/device_array.h"

__host__ __device__ __noinline__ unsigned kernel_0_function2_function2(unsigned a, unsigned b, unsigned t, unsigned n,
    const unsigned* data, unsigned* out, unsigned depth) {
  unsigned c = a ^ b, d = 7;
    b += ((b + n) * (22 << 9));
  return a + b + c + d;
}
__host__ __device__ __noinline__ unsigned kernel_0_function2(unsigned a, unsigned b, unsigned t, unsigned n,
    const unsigned* data, unsigned* out, unsigned depth) {
  unsigned c = a ^ b, d = 7;
    for (unsigned i1 = 0, e = c % 8u; i1 < e; ++i1) {
      b += i1 * 39u;
      b += kernel_0_function2_function2(a, (data[b & 255u] | c), t, n, data, out, a);
    }
#pragma unroll 1
    for (unsigned i3 = 0, e = (27 * 14) % 3u; i3 < e; ++i3) {
      d += i3 * 13u;
      a = (((t % 7u == 0u) ? 7 : t) / 17u);
      if ((t % 8u == 0u)) continue;
    }
  return a + b + c + d;
}
__global__ void kernel_0(unsigned n, const unsigned* data, unsigned* out, unsigned* sums) {
  __shared__ unsigned tile[256], shared_sums[32];
  if (threadIdx.x < 32) shared_sums[threadIdx.x] = 0;
  __syncthreads();
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a = data[t & 255u], b = t * 7u, c = a >> 5, d = n;
  float x = float(t) * 0.37f;
  double y = double(a & 255u);
  switch ((a & n) % 11u) {
    case 0: {
      atomicXor(&shared_sums[n & 31u], data[c & 255u]);
    } break;
    case 1: {
      unsigned fuel1 = 7;
      while ((b % 5u == 6u) && fuel1-- != 0) {
        d += kernel_0_function2(data[a & 255u], data[d & 255u], t, n, data, out, n);
      }
    }
    case 2: {
      if ((d % 4u < 0u)) {
        unsigned fuel3 = 2;
        do {
          if ((c % 4u == 1u)) {
            a += ((n & a) & data[b & 255u]);
            b ^= ((n - n) ^ (14 * d));
          } else {
            b ^= d;
          }
        } while ((b % 7u > 0u) && --fuel3 != 0);
        if ((a % 10u > 4u)) {
          atomicMax(&sums[16 + (t & 3u)], n);
          for (unsigned i4 = 0, e = (data[d & 255u] & t) % 3u; i4 < e; ++i4) {
            c += i4 * 75u;
            a ^= data[b & 255u];
            c += n;
            b ^= ((b % 2u > 6u) ? (data[d & 255u] | t) : (c - b));
          }
        } else {
#pragma unroll 1
          for (unsigned i5 = 0, e = (t * n) % 3u; i5 < e; ++i5) {
            b += i5 * 8u;
            b += (data[d & 255u] & (10 & n));
          }
          d = unsigned(int(d) >> 4);
        }
        d ^= (data[c & 255u] / 16u);
      }
    } break;
    case 3: {
      if ((d % 7u > 1u)) {
        if ((a % 2u < 2u)) {
          switch (a % 4u) {
            case 0: {
              c = (data[c & 255u] ^ n);
            } break;
            case 1: {
              c = ((d % 4u == 6u) ? (a + d) : (t | t));
            }
            case 2: {
              a = ((t & c) * (c | 18));
            } break;
            default: b += 6u;
          }
        }
      } else {
        b = d;
        a = (d + (11 + c));
      }
    }
    case 4: {
      b ^= c;
    } break;
    case 5: {
      d ^= n;
    } break;
    case 6: {
      a = ((a >> 1) & t);
    } break;
    case 7: {
      a = a;
    } break;
    case 8: {
      c += ((n % 19u) * (a * c));
    }
    default: b += 1u;
  }
  b = ((data[d & 255u] | c) ^ (n | b));
  d += data[b & 255u];
  b ^= unsigned(int((t << 9)) >> 6);
  a = ((t << 4) * (40 ^ a));
  d += (n | ((b % 7u == 5u) ? c : 12));
  d += unsigned(int(x)) + unsigned(int(y));
  out[t] = a ^ (b << 1) ^ (c << 2) ^ (d << 3);
}

__host__ __device__ __noinline__ unsigned kernel_1_function2_function1(unsigned a, unsigned b, unsigned t, unsigned n,
    const unsigned* data, unsigned* out, unsigned depth) {
  unsigned c = a ^ b, d = 7;
    d += (n + (c * c));
    a ^= ((t ^ t) % 15u);
    b ^= ((data[b & 255u] * t) + (b - 25));
  if (depth % 8u != 0) c += kernel_1_function2_function1(a + c, b, t, n, data, out, depth % 8u - 1);
  return a + b + c + d;
}
__host__ __device__ __noinline__ unsigned kernel_1_function2(unsigned a, unsigned b, unsigned t, unsigned n,
    const unsigned* data, unsigned* out, unsigned depth) {
  unsigned c = a ^ b, d = 7;
    if ((b % 9u > 2u)) {
      a += ((t & t) ^ (t + data[c & 255u]));
      a += kernel_1_function2_function1((2 ^ 26), (a * n), t, n, data, out, b);
    } else {
      unsigned fuel2 = 11;
      while (((t & 16u) != 3u) && fuel2-- != 0) {
        a ^= ((d + n) & (data[c & 255u] << 9));
      }
    }
  return a + b + c + d;
}
__host__ __device__ __noinline__ unsigned kernel_1_function3(unsigned a, unsigned b, unsigned t, unsigned n,
    const unsigned* data, unsigned* out, unsigned depth) {
  unsigned c = a ^ b, d = 7;
    d += ((data[c & 255u] | 27) >> 6);
#pragma unroll 2
    for (unsigned i1 = 0, e = (c << 6) % 6u; i1 < e; ++i1) {
      b += i1 * 43u;
      a ^= ((data[c & 255u] + c) + (a * b));
    }
  return a + b + c + d;
}
__host__ __device__ void kernel_1_of(unsigned t, unsigned n, const unsigned* data, unsigned* out) {
  unsigned a = data[t & 255u], b = t * 7u, c = a >> 5, d = n;
  {
    if ((a % 6u > 3u && b % 4u != 1u)) {
      if ((c % 5u == 1u || a % 3u != 1u)) {
        c ^= (c - (a + 40));
        a ^= a;
      } else {
        if ((a % 4u == 6u)) {
          if ((b % 2u > 1u)) { out[t] = (data[d & 255u] / 14u); return; }
        }
      }
    }
    if ((a % 10u < 4u)) {
      for (unsigned i1 = 0, e = 4u; i1 < e; ++i1) {
        c += i1 * 8u;
        if ((a % 4u == 0u)) continue;
        if ((a % 11u < 2u || c % 5u != 1u)) {
          b ^= data[a & 255u];
          c += kernel_1_function2((n & t), 32, t, n, data, out, b);
        }
      }
      d += kernel_1_function3((b << 7), t, t, n, data, out, 31);
      b += (t * (data[b & 255u] - t));
    } else {
      if ((t % 7u == 2u)) {
        b ^= unsigned(int(t) >> 2);
      } else {
        c ^= ((t - n) + (a % 17u));
        for (unsigned i4 = 0, e = (t ^ t) % 6u; i4 < e; ++i4) {
          c += i4 * 55u;
          if (((n + 7u) % 2u == 1u)) {
            c += ((t * b) * (t + data[d & 255u]));
          } else {
            b ^= (a | b);
            if ((b % 5u < 0u || d % 2u != 1u)) {
              d = (b / 12u);
              c ^= 23;
            } else {
              d = (d / 6u);
            }
          }
          if (((n + 2u) % 2u == 1u)) {
            if (((t & 3u) == 0u)) goto finish;
            a += (((t % 2u == 0u) ? data[a & 255u] : 6) / 19u);
          } else {
            a = (n * (t - t));
            a = (((c % 7u > 6u) ? n : c) >> 3);
          }
        }
      }
      b ^= ((29 % 12u) ^ data[c & 255u]);
    }
    b ^= ((33 * d) - n);
    b ^= (1 - (d % 11u));
    a += t;
    d += ((b & b) / 16u);
  }
finish:
  out[t] = a ^ (b << 1) ^ (c << 2) ^ (d << 3);
}
__global__ void kernel_1(unsigned n, const unsigned* data, unsigned* out, unsigned* sums) {
  kernel_1_of(blockIdx.x * blockDim.x + threadIdx.x, n, data, out);
}

__host__ __device__ void kernel_2_of(unsigned t, unsigned n, const unsigned* data, unsigned* out) {
  unsigned a = data[t & 255u], b = t * 7u, c = a >> 5, d = n;
  switch (a % 3u) {
    case 0: {
      b += (((t % 6u == 3u) ? n : 3) + (data[c & 255u] & a));
    } break;
    case 1: {
      unsigned fuel1 = 11;
      while ((t % 2u == 2u) && fuel1-- != 0) {
        if (((n + 1u) % 2u == 2u)) {
          if (((n + 4u) % 3u == 2u || c % 3u != 1u)) {
            d ^= ((t | t) ^ (c | n));
            a = ((d % 5u == 4u && c % 3u != 1u) ? (d * data[b & 255u]) : (n >> 1));
          } else {
            c += b;
          }
          for (unsigned i2 = 0, e = (t >> 5) % 2u; i2 < e; ++i2) {
            b += i2 * 50u;
            b ^= unsigned(int((24 << 4)) >> 6);
          }
          unsigned fuel3 = 2;
          do {
            d ^= (d << 8);
            b ^= ((d ^ n) / 19u);
          } while ((t % 8u == 2u) && --fuel3 != 0);
        } else {
          c = ((data[b & 255u] / 13u) & (n % 8u));
          c += ((data[a & 255u] % 3u) & (24 | d));
          a = t;
        }
        c = data[a & 255u];
        b = data[c & 255u];
      }
    } break;
    case 2: {
      c = ((19 * data[a & 255u]) << 3);
    } break;
    default: a += 5u;
  }
  b ^= ((data[a & 255u] - 39) & (b / 12u));
  d ^= ((t % 15u) / 14u);
  b ^= ((data[a & 255u] ^ data[c & 255u]) & (t ^ t));
  c = a;
  b = ((t + 25) + (((t & 31u) == 6u) ? t : 11));
  out[t] = a ^ (b << 1) ^ (c << 2) ^ (d << 3);
}
__global__ void kernel_2(unsigned n, const unsigned* data, unsigned* out, unsigned* sums) {
  kernel_2_of(blockIdx.x * blockDim.x + threadIdx.x, n, data, out);
}

__host__ __device__ void kernel_3_of(unsigned t, unsigned n, const unsigned* data, unsigned* out) {
  unsigned a = data[t & 255u], b = t * 7u, c = a >> 5, d = n;
  d = ((t + n) * t);
  switch (c % 7u) {
    case 0: {
      for (unsigned i1 = 0, e = (t % 2u) % 5u; i1 < e; ++i1) {
        a += i1 * 93u;
        if ((b % 6u > 1u)) continue;
        for (unsigned i2 = 0, e = a % 3u; i2 < e; ++i2) {
          b += i2 * 98u;
          d = ((21 - t) + (d | c));
        }
      }
    }
    case 1: {
      if (((t & 1u) == 5u || d % 5u != 1u)) {
        b = t;
#pragma unroll 1
        for (unsigned i3 = 0, e = (d - 1) % 5u; i3 < e; ++i3) {
          b += i3 * 59u;
          c ^= (unsigned(int(n) >> 8) >> 6);
        }
        c = a;
      }
    } break;
    case 2: {
      if ((d % 6u > 3u && c % 5u != 1u)) {
        if (((t & 16u) != 7u)) {
          a += (n | (b - d));
          if ((b % 2u == 4u)) {
            a ^= ((d | data[b & 255u]) * (t << 9));
          }
          b += (data[c & 255u] % 11u);
        } else {
          d ^= d;
          if ((t % 7u == 2u)) {
            a += (unsigned(int(a) >> 1) ^ (data[b & 255u] + t));
            d ^= ((data[c & 255u] & data[c & 255u]) / 12u);
          }
        }
        if ((d % 10u < 2u)) {
          if ((t % 6u == 1u)) {
            b ^= ((a >> 1) | (2 + 35));
          }
          b = ((data[c & 255u] + n) ^ (t & t));
          c ^= ((b % 8u > 0u) ? (c - data[a & 255u]) : unsigned(int(b) >> 6));
        }
      }
    } break;
    case 3: {
      b = ((c & t) & (t - d));
    } break;
    case 4: {
      c = b;
    }
    default: d += 6u;
  }
  a = (t & (t - n));
  out[t] = a ^ (b << 1) ^ (c << 2) ^ (d << 3);
}
__global__ void kernel_3(unsigned n, const unsigned* data, unsigned* out, unsigned* sums) {
  kernel_3_of(blockIdx.x * blockDim.x + threadIdx.x, n, data, out);
}

__host__ __device__ __noinline__ unsigned kernel_4_function2(unsigned a, unsigned b, unsigned t, unsigned n,
    const unsigned* data, unsigned* out, unsigned depth) {
  unsigned c = a ^ b, d = 7;
    for (unsigned i1 = 0, e = 6u; i1 < e; ++i1) {
      c += i1 * 42u;
      if ((d % 10u < 3u)) continue;
      if ((d % 11u < 5u)) {
        unsigned fuel2 = 3;
        do {
          d ^= n;
          d += ((d ^ c) - data[c & 255u]);
          c ^= unsigned(int((t & data[b & 255u])) >> 9);
        } while (((t & 1u) == 4u) && --fuel2 != 0);
        a += ((c >> 3) | (t >> 5));
      } else {
        b ^= t;
        c = ((5 & d) * (b + n));
        b += ((b % 10u == 1u) ? (data[b & 255u] / 9u) : (16 / 10u));
      }
    }
    if ((a % 4u > 3u)) {
      d += ((t ^ data[a & 255u]) / 7u);
      b = (((t & 1u) != 7u || b % 2u != 1u) ? (d | n) : data[a & 255u]);
      c = ((b / 18u) * (a * a));
    }
  return a + b + c + d;
}
__global__ void kernel_4(unsigned n, const unsigned* data, unsigned* out, unsigned* sums) {
  __shared__ unsigned tile[256], shared_sums[32];
  if (threadIdx.x < 32) shared_sums[threadIdx.x] = 0;
  __syncthreads();
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a = data[t & 255u], b = t * 7u, c = a >> 5, d = n;
  float x = float(t) * 0.37f;
  double y = double(a & 255u);
  unsigned local1[8];
  for (unsigned k = 0; k < 8; ++k) local1[k] = a * k + c;
  local1[b & 7u] += d;
  c ^= local1[(n ^ t) & 7u];
  c ^= ((t << 4) | (t ^ data[a & 255u]));
  a += __reduce_add_sync(0xffffffffu, b);
  switch (t % 5u) {
    case 0: {
      a += kernel_4_function2(data[a & 255u], d, t, n, data, out, data[a & 255u]);
    }
    case 1: {
      d += (unsigned(int(t) >> 8) & c);
    } break;
    case 2: {
      if ((b % 11u > 6u)) {
        if ((d % 6u == 3u || b % 3u != 1u)) {
          if (((n + 4u) % 5u == 1u)) {
            b += (n & ((b % 11u > 1u) ? t : a));
            a = unsigned(int(b) >> 2);
            c ^= ((data[b & 255u] | 30) & (b % 6u));
          }
          if (x > 517.0f) x /= 3.0f;
        } else {
          unsigned fuel3 = 7;
          while (((n + 0u) % 2u == 0u) && fuel3-- != 0) {
            b = ((c % 9u == 0u) ? (a & t) : t);
            b ^= ((data[d & 255u] << 7) - (c & b));
          }
          a ^= unsigned(int((n * 5)) >> 1);
          if ((c % 8u < 5u)) {
            c += ((c << 3) - (data[b & 255u] | 10));
            b = (t ^ (t >> 6));
            d += c;
          } else {
            b = ((data[b & 255u] | a) & (n | 29));
            b = ((data[c & 255u] / 19u) * c);
            d ^= ((a % 7u > 1u) ? (t | b) : (t | 24));
          }
        }
        unsigned fuel4 = 2;
        while (((t & 1u) != 0u || d % 4u != 1u) && fuel4-- != 0) {
          b ^= (((n + 7u) % 2u == 2u && c % 5u != 1u) ? (21 + data[b & 255u]) : (d | 27));
        }
        { unsigned long long w = (unsigned long long)(19) * (data[c & 255u] ^ n) + b;
          b = unsigned(w >> 6) + unsigned(w % 619u); }
      } else {
        unsigned fuel5 = 9;
        while ((b % 4u > 0u && d % 5u != 1u) && fuel5-- != 0) {
          c += b;
          b ^= ((data[c & 255u] % 17u) << 6);
          d ^= ((a ^ 11) + 4);
        }
      }
    }
    case 3: {
      c ^= ((31 ^ a) & (d * data[d & 255u]));
    }
    case 4: {
      c += (((t % 2u == 3u) ? t : d) * (d / 11u));
    } break;
    default: b += 9u;
  }
  d += unsigned(int(x)) + unsigned(int(y));
  out[t] = a ^ (b << 1) ^ (c << 2) ^ (d << 3);
}

__global__ void kernel_5(unsigned n, const unsigned* data, unsigned* out, unsigned* sums) {
  __shared__ unsigned tile[256], shared_sums[32];
  if (threadIdx.x < 32) shared_sums[threadIdx.x] = 0;
  __syncthreads();
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a = data[t & 255u], b = t * 7u, c = a >> 5, d = n;
  float x = float(t) * 0.37f;
  double y = double(a & 255u);
  a += ((data[c & 255u] & t) | d);
  a = ((d / 7u) | (c - d));
  d += __shfl_sync(0xffffffffu, 39, a & 31u);
  __syncthreads();
  tile[threadIdx.x] = ((c % 4u < 1u) ? b : t);
  __syncthreads();
  d += tile[(t + threadIdx.x) % blockDim.x];
  __syncthreads();
  atomicMax(&sums[16 + (t & 3u)], data[b & 255u]);
  c = ((b / 13u) * (((n + 1u) % 2u == 0u && a % 2u != 1u) ? n : data[a & 255u]));
  if (((t & 1u) != 3u)) {
    if ((c % 11u == 0u)) {
      b ^= ((c & d) / 3u);
    } else {
      unsigned local1[8];
      for (unsigned k = 0; k < 8; ++k) local1[k] = a * k + c;
      local1[b & 7u] += d;
      b ^= local1[(d << 7) & 7u];
    }
    y = y / (1.0 + double(x)) + double(b & 15u);
    unsigned fuel2 = 3;
    do {
      x = sqrtf(fabsf(x)) + 0.5f;
      for (unsigned i3 = 0, e = 6u; i3 < e; ++i3) {
        b += i3 * 99u;
        if ((b % 4u == 2u)) {
          if ((b % 10u < 4u)) break;
        } else {
          b += n;
        }
      }
      b ^= ((n - d) - n);
    } while (((n + 6u) % 2u == 1u) && --fuel2 != 0);
  } else {
    a ^= t;
  }
  d += unsigned(int(x)) + unsigned(int(y));
  out[t] = a ^ (b << 1) ^ (c << 2) ^ (d << 3);
}

int main() {
  Verdict verdict;
  std::vector<unsigned> input(256);
  for (unsigned i = 0; i < 256; ++i) input[i] = scramble(i + 2006u);
  DeviceArray<unsigned> data(input), sums(32);
  {
    DeviceArray<unsigned> out(96);
    kernel_0<<<3, 32>>>(19u, data.data(), out.data(), sums.data());
    const auto got = out.host();
  }
  {
    DeviceArray<unsigned> out(64);
    kernel_1<<<2, 32>>>(13u, data.data(), out.data(), sums.data());
    const auto got = out.host();
    std::vector<unsigned> want(64);
    for (unsigned t = 0; t < 64; ++t) kernel_1_of(t, 13u, input.data(), want.data());
    verdict.expect(got == want, "kernel_1");
  }
  {
    DeviceArray<unsigned> out(66);
    kernel_2<<<2, 33>>>(48u, data.data(), out.data(), sums.data());
    const auto got = out.host();
    std::vector<unsigned> want(66);
    for (unsigned t = 0; t < 66; ++t) kernel_2_of(t, 48u, input.data(), want.data());
    verdict.expect(got == want, "kernel_2");
  }
  {
    DeviceArray<unsigned> out(256);
    kernel_3<<<2, 128>>>(4u, data.data(), out.data(), sums.data());
    const auto got = out.host();
    std::vector<unsigned> want(256);
    for (unsigned t = 0; t < 256; ++t) kernel_3_of(t, 4u, input.data(), want.data());
    verdict.expect(got == want, "kernel_3");
  }
  {
    DeviceArray<unsigned> out(672);
    kernel_4<<<3, 224>>>(32u, data.data(), out.data(), sums.data());
    const auto got = out.host();
  }
  {
    DeviceArray<unsigned> out(128);
    kernel_5<<<2, 64>>>(1u, data.data(), out.data(), sums.data());
    const auto got = out.host();
  }
  return verdict.finish();
}
