// Attention, forward: softmax(Q K^T / 8) V for heads of 64 numbers, as sm_90 is meant to compute
// it. The first warp group of a block copies boxes of K and V to a ring; two others have 64 queries
// each. They keep a running maximum and sum of each row, and multiply weights from registers.
//
//   attention [HEADS LENGTH]       length: a multiple of 128; default 2 256
#include <cmath>

#include "../common/device_array.h"
#include "../common/tensor_maps.h"
#include "../common/warp_groups.h"

constexpr int kNumbers = 64, kKeys = 64, kStages = 2, kGroups = 2;  // kKeys: of a step
constexpr int kBox = 64 * kBoxWidth;                                // bytes
constexpr int kShared = (kGroups + 2 * kStages) * kBox;
constexpr float kScale = 0.125f * 1.44269504f;  // by powers of two

__device__ float power_of_two(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

struct Rows {  // the two of a thread: their greatest product so far, and the sum of their weights
  float most[2] = {-INFINITY, -INFINITY}, sum[2] = {0, 0};
};

// Products become weights; what was summed with a smaller maximum is scaled down.
template <bool kCausal>
__device__ void weigh(float (&products)[32], float (&out)[32], Rows& rows, int query, int key) {
  float most[2] = {rows.most[0], rows.most[1]};
  for (int i = 0; i < 32; ++i) {
    if (kCausal && key + column_of_sum(i) > query + row_of_sum(i)) products[i] = -INFINITY;
    most[i / 2 % 2] = fmaxf(most[i / 2 % 2], products[i]);
  }
  for (int r = 0; r < 2; ++r) {
    for (int other = 1; other < 4; other *= 2)  // four lanes have a row
      most[r] = fmaxf(most[r], __shfl_xor_sync(0xffffffff, most[r], other));
    const float down = power_of_two((rows.most[r] - most[r]) * kScale);
    rows.most[r] = most[r];
    rows.sum[r] *= down;
    for (int i = 0; i < 32; ++i)
      if (i / 2 % 2 == r) {
        out[i] *= down;
        products[i] = power_of_two((products[i] - most[r]) * kScale);
        rows.sum[r] += products[i];
      }
  }
}

__device__ std::uint32_t pair_of(float low, float high) {
  const __nv_bfloat162 both = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const std::uint32_t*>(&both);
}

// out += weights * V, 16 keys at a time.
__device__ void add_values(float (&out)[32], const float (&weights)[32], const void* values) {
  std::uint32_t a[kKeys / 16][4];
  for (int k = 0; k < kKeys / 16; ++k)
    for (int i = 0; i < 4; ++i)
      a[k][i] = pair_of(weights[8 * k + 2 * i], weights[8 * k + 2 * i + 1]);
  begin_products();
  for (int k = 0; k < kKeys / 16; ++k)
    multiply_registers(out, a[k], matrix(values) + k * 2 * 1024 / 16);
  commit_products();
  wait_for_products<0>();
}

template <bool kCausal>
__device__ void answer(const unsigned char* of_q, const unsigned char* ring, std::uint64_t* full,
                       std::uint64_t* empty, int query, int steps, float* result) {
  float out[32] = {};
  Rows rows;
  for (int step = 0; step < steps; ++step) {
    const int stage = step % kStages;
    const unsigned char* const keys = ring + 2 * stage * kBox;
    wait(&full[stage], step / kStages % 2);
    float products[32];
    begin_products();
    for (int k = 0; k < kNumbers / 16; ++k)
      multiply_narrow(products, matrix(of_q) + 2 * k, matrix(keys) + 2 * k, k > 0);
    commit_products();
    wait_for_products<0>();
    weigh<kCausal>(products, out, rows, query, step * kKeys);
    add_values(out, products, keys + kBox);
    if (threadIdx.x % kGroup == 0) arrive(&empty[stage]);
  }
  for (int r = 0; r < 2; ++r)
    for (int other = 1; other < 4; other *= 2)
      rows.sum[r] += __shfl_xor_sync(0xffffffff, rows.sum[r], other);
  for (int i = 0; i < 32; i += 2) {
    const float whole = rows.sum[i / 2 % 2];
    *reinterpret_cast<float2*>(result + row_of_sum(i) * kNumbers + column_of_sum(i)) =
        make_float2(out[i] / whole, out[i + 1] / whole);
  }
}

template <bool kCausal>
__global__ void __launch_bounds__(3 * kGroup, 1)
    attend(const __grid_constant__ CUtensorMap map_q, const __grid_constant__ CUtensorMap map_k,
           const __grid_constant__ CUtensorMap map_v, float* result, int length) {
  extern __shared__ __align__(1024) unsigned char boxes[];
  __shared__ std::uint64_t full[kStages], empty[kStages], queries;
  unsigned char* const ring = boxes + kGroups * kBox;
  const int head = int(blockIdx.y) * length, first = int(blockIdx.x) * kGroups * 64;
  const int steps = kCausal ? (first + kGroups * 64) / kKeys : length / kKeys;
  if (threadIdx.x == 0) {
    for (std::uint64_t& each : full) make_barrier(&each, 1);
    for (std::uint64_t& each : empty) make_barrier(&each, kGroups);
    make_barrier(&queries, 1);
    publish_barriers();
  }
  __syncthreads();
  if (threadIdx.x < kGroup) {
    give_registers_up<40>();
    if (threadIdx.x != 0) return;
    expect_bytes(&queries, kGroups * kBox);
    for (int group = 0; group < kGroups; ++group)
      copy_box(boxes + group * kBox, &map_q, &queries, 0, head + first + group * 64);
    for (int step = 0; step < steps; ++step) {
      const int stage = step % kStages;
      unsigned char* const to = ring + 2 * stage * kBox;
      wait(&empty[stage], (step / kStages + 1) % 2);
      expect_bytes(&full[stage], 2 * kBox);
      copy_box(to, &map_k, &full[stage], 0, head + step * kKeys);
      copy_box(to + kBox, &map_v, &full[stage], 0, head + step * kKeys);
    }
    return;
  }
  take_registers<232>();
  const int group = int(threadIdx.x) / kGroup - 1, query = first + group * 64;
  wait(&queries, 0);
  answer<kCausal>(boxes + group * kBox, ring, full, empty, query, steps,
                  result + std::size_t(head + query) * kNumbers);
}

std::vector<__nv_bfloat16> numbers(int count, unsigned seed) {
  std::vector<__nv_bfloat16> values;
  for (int i = 0; i < count; ++i)
    values.push_back(__nv_bfloat16(float(int(scramble(unsigned(i) * 3 + seed) % 513) - 256) / 128));
  return values;
}

using Floats = std::vector<float>;

// The greatest difference from attention in double precision.
double worst(const Floats& q, const Floats& k, const Floats& v, const Floats& result, int heads,
             int length, bool causal) {
  double most = 0;
  std::vector<double> weight(static_cast<std::size_t>(length));
  for (int row = 0; row < heads * length; ++row) {
    const int head = row / length * length, keys = causal ? row - head + 1 : length;
    double sum = 0;
    for (int key = 0; key < keys; ++key) {
      double product = 0;
      for (int i = 0; i < kNumbers; ++i)
        product += double(q[std::size_t(row * kNumbers + i)]) *
                   double(k[std::size_t((head + key) * kNumbers + i)]);
      sum += weight[std::size_t(key)] = std::exp(product / 8);
    }
    for (int i = 0; i < kNumbers; ++i) {
      double value = 0;
      for (int key = 0; key < keys; ++key)
        value +=
            weight[std::size_t(key)] / sum * double(v[std::size_t((head + key) * kNumbers + i)]);
      most = std::fmax(most, std::fabs(value - double(result[std::size_t(row * kNumbers + i)])));
    }
  }
  return most;
}

int main(int argc, char** argv) {
  const int heads = int(argument(argc, argv, 1, 2, 1, 64));
  const int length = int(argument(argc, argv, 2, 256, 128, 8192)) / 128 * 128;
  const int rows = heads * length;
  const auto q = numbers(rows * kNumbers, 1), k = numbers(rows * kNumbers, 2),
             v = numbers(rows * kNumbers, 3);
  DeviceArray<__nv_bfloat16> device_q(q), device_k(k), device_v(v);
  const auto map = [&](DeviceArray<__nv_bfloat16>& matrix) {
    return matrix_map(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, matrix.data(), rows, kNumbers, 64);
  };
  const CUtensorMap map_q = map(device_q), map_k = map(device_k), map_v = map(device_v);
  Verdict verdict;
  for (const bool causal : {false, true}) {
    const auto kernel = causal ? attend<true> : attend<false>;
    DeviceArray<float> result(std::size_t(rows) * kNumbers);
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
    kernel<<<dim3(unsigned(length / 128), unsigned(heads)), 3 * kGroup, kShared>>>(
        map_q, map_k, map_v, result.data(), length);
    const auto floats = [](const std::vector<__nv_bfloat16>& from) {
      return Floats(from.begin(), from.end());
    };
    const double off = worst(floats(q), floats(k), floats(v), result.host(), heads, length, causal);
    verdict.expect(off < 0.02, causal ? "causal attention" : "attention");
  }
  return verdict.finish();
}
