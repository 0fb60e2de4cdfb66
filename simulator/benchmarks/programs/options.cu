// Prices of options in double precision: by the formula of Black and Scholes, and by walks of
// random steps, each thread its own.
//
//   options [blocks = 264] [steps = 64]
#include <cmath>

#include "../../../gpu/kernels/common/device_array.h"

__host__ __device__ static double normal(double x) { return 0.5 * erfc(-x * 0.70710678118654752); }

__host__ __device__ static double price(double stock, double strike, double years) {
  const double rate = 0.02, spread = 0.3, root = spread * sqrt(years);
  const double d = (log(stock / strike) + (rate + spread * spread / 2) * years) / root;
  return stock * normal(d) - strike * exp(-rate * years) * normal(d - root);
}

__global__ void by_formula(double* out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  out[thread] = price(20 + thread % 50, 40, 0.25 + thread % 16 * 0.25);
}

__global__ void by_walks(double* out, unsigned steps) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned random = scramble(thread + 1);
  double stock = 40;
  for (unsigned i = 0; i < steps; ++i) {
    random = scramble(random);
    const double move = (random & 0xffff) / 65536.0 - 0.5;
    stock *= exp(move * 0.05 + 0.0002);
    if (stock < 1) stock = 1;
  }
  out[thread] = fmax(stock - 40, 0.0);
}

int main(int argc, char** argv) {
  const auto blocks = unsigned(argument(argc, argv, 1, 264, 1, 65535));
  const auto steps = unsigned(argument(argc, argv, 2, 64, 1, 4096));
  DeviceArray<double> out(blocks * 256);
  by_formula<<<blocks, 256>>>(out.data());
  Verdict verdict;
  const auto prices = out.host();
  for (unsigned i = 0; i < prices.size(); ++i) {
    const double wanted = price(20 + i % 50, 40, 0.25 + i % 16 * 0.25);
    if (!verdict.expect(std::fabs(prices[i] - wanted) <= 1e-9, "price")) break;
  }
  by_walks<<<blocks, 256>>>(out.data(), steps);
  for (const double gain : out.host())
    if (!verdict.expect(gain >= 0 && gain < 1000, "walk")) break;
  return verdict.finish();
}
