// The mathematical functions, in the accurate and in the fast version, and their slow paths for
// large arguments.
#include <cmath>

#include "../common/device_array.h"

constexpr int kFunctions = 12;
constexpr const char* kNames[kFunctions] = {"exp",  "log", "sin",  "cos",   "pow",  "atan2",
                                            "tanh", "erf", "cbrt", "rsqrt", "exp2", "log10"};

__global__ void accurate(const float* in, float* out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = in[thread], positive = fabsf(x);
  float* mine = out + thread * kFunctions;
  mine[0] = expf(x);
  mine[1] = logf(positive);
  mine[2] = sinf(x);
  mine[3] = cosf(x);
  mine[4] = powf(positive, 0.7f);
  mine[5] = atan2f(x, 3.0f);
  mine[6] = tanhf(x);
  mine[7] = erff(x);
  mine[8] = cbrtf(x);
  mine[9] = rsqrtf(positive);
  mine[10] = exp2f(x);
  mine[11] = log10f(positive);
}

__global__ void fast(const float* in, float* out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = in[thread], positive = fabsf(x);
  float* mine = out + thread * kFunctions;
  mine[0] = __expf(x);
  mine[1] = __logf(positive);
  mine[2] = __sinf(x);
  mine[3] = __cosf(x);
  mine[4] = __powf(positive, 0.7f);
  mine[5] = __fdividef(x, 3.0f);
  mine[6] = __tanf(x);
  mine[7] = __frcp_rn(x);
  mine[8] = __fsqrt_rn(positive);
  mine[9] = __frsqrt_rn(positive);
  mine[10] = __exp10f(x);
  mine[11] = __log2f(positive);
}

__global__ void of_double(const float* in, double* out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const double x = in[thread];
  out[thread] = exp(x / 64) + sin(x) * log(fabs(x) + 1) + rsqrt(fabs(x)) - pow(fabs(x), 1.0 / 3);
}

static double reference(int function, double x) {
  const double positive = fabs(x);
  switch (function) {
    case 0:
      return exp(x);
    case 1:
      return log(positive);
    case 2:
      return sin(x);
    case 3:
      return cos(x);
    case 4:
      return pow(positive, double(0.7f));
    case 5:
      return atan2(x, 3.0);
    case 6:
      return tanh(x);
    case 7:
      return erf(x);
    case 8:
      return cbrt(x);
    case 9:
      return 1 / sqrt(positive);
    case 10:
      return exp2(x);
    default:
      return log10(positive);
  }
}

int main() {
  const unsigned threads = 128;
  std::vector<float> in(threads);
  for (unsigned i = 0; i < threads; ++i) {
    in[i] = float(int(scramble(i))) / 2147483648.0f * (i % 4 == 0 ? 80.0f : 4.0f);
    if (i % 32 == 5) in[i] *= 1e6f;  // sinf reduces such arguments with many more bits of pi
  }
  DeviceArray<float> d_in(in), out(threads * kFunctions), fast_out(threads * kFunctions);
  DeviceArray<double> doubles(threads);
  accurate<<<2, threads / 2>>>(d_in.data(), out.data());
  fast<<<2, threads / 2>>>(d_in.data(), fast_out.data());
  of_double<<<2, threads / 2>>>(d_in.data(), doubles.data());
  const auto values = out.host();
  const auto wide = doubles.host();
  Verdict verdict;
  for (unsigned i = 0; i < threads; ++i) {
    const double x = in[i], size = fabs(x);
    for (int f = 0; f < kFunctions; ++f) {
      const double want = reference(f, x), got = values[i * kFunctions + unsigned(f)];
      verdict.expect(fabs(got - want) <= 1e-6 * fabs(want) + 1e-6 || float(want) == float(got),
                     kNames[f]);
    }
    const double want = exp(x / 64) + sin(x) * log(size + 1) + 1 / sqrt(size) - pow(size, 1.0 / 3);
    verdict.expect(fabs(wide[i] - want) <= 1e-12 * fabs(want) + 1e-10 || wide[i] == want, "double");
  }
  return verdict.finish();
}
