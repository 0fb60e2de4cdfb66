// Polynomials of a degree of each thread's own, in fp64 and fp32, by Horner's rule; and square
// roots by Newton's method until they are near enough.
//
//   polynomials [block size = 128] [blocks = 264]
#include <cmath>

#include "../common/device_array.h"

template <typename T>
__global__ void horner(const T* coefficients, T* out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const T x = T(thread % 64) / 64;
  T sum = 0;
  for (int i = int(scramble(thread) % 64); i >= 0; --i) sum = sum * x + coefficients[i];
  out[thread] = sum;
}

__global__ void newton(float* out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const float square = float((scramble(thread * 4 + i) >> (thread % 24)) + 2);
    float root = square;
    while (root * root - square > square * 1e-4f) root = 0.5f * (root + square / root);
    sum += root;
  }
  out[thread] = sum;
}

template <typename T>
static void check(const std::vector<T>& values, double (*expected)(unsigned), double tolerance,
                  const char* name, Verdict& verdict) {
  bool right = true;
  for (unsigned i = 0; i < values.size(); ++i)
    right = right && std::fabs(values[i] - expected(i)) <= tolerance * std::fabs(expected(i));
  verdict.expect(right, name);
}

static double coefficient(unsigned i) { return (scramble(i) % 256 + 1) / 16.0; }
static double polynomial(unsigned thread) {
  double sum = 0;
  for (int i = int(scramble(thread) % 64); i >= 0; --i)
    sum = sum * (thread % 64) / 64 + coefficient(unsigned(i));
  return sum;
}
static double roots(unsigned thread) {
  double sum = 0;
  for (unsigned i = 0; i < 4; ++i)
    sum += std::sqrt(double((scramble(thread * 4 + i) >> (thread % 24)) + 2));
  return sum;
}

int main(int argc, char** argv) {
  const unsigned block = unsigned(argument(argc, argv, 1, 128, 1, 1024));
  const unsigned blocks = unsigned(argument(argc, argv, 2, 264, 1, 4096));
  std::vector<double> exact(64);
  std::vector<float> rounded(64);
  for (unsigned i = 0; i < 64; ++i) rounded[i] = float(exact[i] = coefficient(i));
  const std::size_t threads = std::size_t(block) * blocks;
  DeviceArray<double> d_exact(exact), a(threads);
  DeviceArray<float> d_rounded(rounded), b(threads), c(threads);
  horner<double><<<blocks, block>>>(d_exact.data(), a.data());
  horner<float><<<blocks, block>>>(d_rounded.data(), b.data());
  newton<<<blocks, block>>>(c.data());
  Verdict verdict;
  check(a.host(), polynomial, 1e-12, "horner, fp64", verdict);
  check(b.host(), polynomial, 1e-4, "horner, fp32", verdict);
  check(c.host(), roots, 1e-3, "newton", verdict);
  return verdict.finish();
}
