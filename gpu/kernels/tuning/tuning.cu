// The versions of docs/tuning.md in CUDA, with the sketches' sizes: what the H200 says of the order
// that the model predicts.
#include "../common/device_array.h"

constexpr int kSide = 512, kTile = 32;

__global__ void transpose_naive(const float* in, float* out, int n) {
  const int x = int(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = int(blockIdx.y * blockDim.y + threadIdx.y);
  out[x * n + y] = in[y * n + x];
}
template <int kWidth>
__device__ __forceinline__ void through_tile(const float* in, float* out, int n) {
  __shared__ float tile[kTile][kWidth];
  int x = int(blockIdx.x) * kTile + int(threadIdx.x);
  int y = int(blockIdx.y) * kTile + int(threadIdx.y);
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  x = int(blockIdx.y) * kTile + int(threadIdx.x);
  y = int(blockIdx.x) * kTile + int(threadIdx.y);
  out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void transpose_tile(const float* in, float* out, int n) {
  through_tile<kTile>(in, out, n);
}
__global__ void transpose_padded(const float* in, float* out, int n) {
  through_tile<kTile + 1>(in, out, n);
}

constexpr int kValues = 65536, kBins = 16;

__global__ void histogram_naive(const int* data, int* bins, int n) {
  for (int i = int(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += int(gridDim.x * blockDim.x))
    atomicAdd(bins + data[i], 1);
}
// The parameters give each launch a name of its own.
template <int kGrid, int kBlock, int kCopies>
__global__ void histogram_shared(const int* data, int* bins, int n, int copies) {
  __shared__ int part[512];
  const int thread = int(threadIdx.x);
  for (int i = thread; i < kBins * copies; i += int(blockDim.x)) part[i] = 0;
  __syncthreads();
  for (int i = int(blockIdx.x * blockDim.x) + thread; i < n; i += int(gridDim.x * blockDim.x))
    atomicAdd(&part[data[i] * copies + thread % copies], 1);
  __syncthreads();
  if (thread < kBins) {
    int sum = 0;
    for (int i = 0; i < copies; i++) sum += part[thread * copies + i];
    atomicAdd(bins + thread, sum);
  }
}

void transposes(Verdict& verdict) {
  std::vector<float> in(kSide * kSide), want(in.size());
  for (int y = 0; y < kSide; ++y)
    for (int x = 0; x < kSide; ++x)
      want[std::size_t(x * kSide + y)] = in[std::size_t(y * kSide + x)] = float(y * kSide + x);
  const struct {
    const char* name;
    void (*kernel)(const float*, float*, int);
  } runs[] = {{"transpose_naive", transpose_naive},
              {"transpose_tile", transpose_tile},
              {"transpose_padded", transpose_padded}};
  DeviceArray<float> matrix(in);
  for (const auto& run : runs) {
    DeviceArray<float> out(in.size());
    run.kernel<<<dim3(kSide / kTile, kSide / kTile), dim3(kTile, kTile)>>>(matrix.data(),
                                                                           out.data(), kSide);
    verdict.expect(out.host() == want, run.name);
  }
}

class Histograms {
 public:
  Histograms(const std::vector<int>& values, Verdict& verdict)
      : values_(values), want_(kBins), verdict_(verdict) {
    for (const int value : values) ++want_[std::size_t(value)];
  }
  void naive() {
    DeviceArray<int> bins(kBins);
    histogram_naive<<<64, 256>>>(values_.data(), bins.data(), kValues);
    verdict_.expect(bins.host() == want_, "histogram_naive");
  }
  template <int kGrid, int kBlock, int kCopies>
  void shared() {
    DeviceArray<int> bins(kBins);
    histogram_shared<kGrid, kBlock, kCopies>
        <<<kGrid, kBlock>>>(values_.data(), bins.data(), kValues, kCopies);
    verdict_.expect(bins.host() == want_, "histogram_shared");
  }

 private:
  DeviceArray<int> values_;
  std::vector<int> want_;
  Verdict& verdict_;
};

int main() {
  Verdict verdict;
  transposes(verdict);
  std::vector<int> values(kValues);
  for (int i = 0; i < kValues; ++i) values[std::size_t(i)] = int(scramble(unsigned(i)) % kBins);
  Histograms histograms(values, verdict);
  histograms.naive();
  histograms.shared<16, 64, 1>();
  histograms.shared<16, 256, 1>();
  histograms.shared<64, 64, 1>();
  histograms.shared<64, 256, 1>();
  histograms.shared<256, 64, 1>();
  histograms.shared<256, 256, 1>();
  histograms.shared<256, 256, 4>();
  histograms.shared<256, 256, 16>();
  return verdict.finish();
}
