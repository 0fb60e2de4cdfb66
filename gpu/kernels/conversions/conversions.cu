// Conversions between FP32, FP64 and integers of every width, in every rounding, with values that
// do not fit.
#include <cmath>

#include "../common/device_array.h"

struct Values {
  int nearest, up, down, to_zero;
  unsigned unsigned_nearest, unsigned_zero;
  long long wide, wide_from_double;
  unsigned long long unsigned_wide;
  short narrow;
  signed char byte;
  float from_int, from_unsigned, from_wide, from_unsigned_wide, from_double, rounded, floored,
      from_byte;
  double from_float, double_from_int, double_from_wide, double_rounded;
};

__global__ void convert(const float* floats, const double* doubles, const unsigned long long* words,
                        Values* out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = floats[thread];
  const double y = doubles[thread];
  const unsigned long long word = words[thread];
  Values v;
  v.nearest = __float2int_rn(x);
  v.up = __double2int_ru(y);
  v.down = __float2int_rd(x);
  v.to_zero = int(y);
  v.unsigned_nearest = __double2uint_rn(y);
  v.unsigned_zero = unsigned(x);
  v.wide = (long long)(x);
  v.wide_from_double = __double2ll_rd(y);
  v.unsigned_wide = __float2ull_ru(x);
  v.narrow = short(int(x) >> 3);
  v.byte = (signed char)(unsigned(word) >> 5);
  v.from_int = float(int(word));
  v.from_unsigned = __uint2float_rz(unsigned(word));
  v.from_wide = __ll2float_ru((long long)(word));
  v.from_unsigned_wide = float(word);
  v.from_double = float(y);
  v.rounded = rintf(x);
  v.floored = floorf(x) + ceilf(x) * truncf(x / 3);
  v.from_byte = float((unsigned char)(word >> 8)) + float((signed char)(word >> 16));
  v.from_float = x;
  v.double_from_int = int(word >> 7);
  v.double_from_wide = double((long long)(word));
  v.double_rounded = rint(y) + floor(y);
  out[thread] = v;
}

int main() {
  const unsigned threads = 192;
  std::vector<float> floats(threads);
  std::vector<double> doubles(threads);
  std::vector<unsigned long long> words(threads);
  for (unsigned i = 0; i < threads; ++i) {
    const unsigned long long word = (unsigned long long)(scramble(i)) << 32 | scramble(i + 31337);
    words[i] = word >> (i % 61);
    const int exponent = int(scramble(i * 7) % 90) - 16;
    floats[i] = ldexpf(float(int(word)) / 2147483648.0f, exponent);
    doubles[i] = ldexp(double((long long)(word)) / 9223372036854775808.0, exponent % 40);
    if (i % 32 == 9) floats[i] = i % 64 == 9 ? INFINITY : NAN;
    if (i % 32 == 11) floats[i] = float(i) + 0.5f;
    if (i % 32 == 12) doubles[i] = -double(i) - 0.5;
    if (i % 32 == 13) doubles[i] = i % 64 == 13 ? -INFINITY : NAN;
  }
  DeviceArray<float> d_floats(floats);
  DeviceArray<double> d_doubles(doubles);
  DeviceArray<unsigned long long> d_words(words);
  DeviceArray<Values> out(threads);
  convert<<<2, threads / 2>>>(d_floats.data(), d_doubles.data(), d_words.data(), out.data());
  const auto values = out.host();
  Verdict verdict;
  for (unsigned i = 0; i < threads; ++i) {
    const Values& v = values[i];
    const bool fits = fabsf(floats[i]) < 2147483500.0f, fits_too = fabs(doubles[i]) < 2147483646.0;
    verdict.expect(!fits || (v.nearest == lrintf(floats[i]) && v.down == int(floorf(floats[i]))),
                   "float to int");
    verdict.expect(!fits_too || (v.up == int(ceil(doubles[i])) && v.to_zero == int(doubles[i])),
                   "double to int");
    verdict.expect(v.from_int == float(int(words[i])) && v.from_unsigned_wide == float(words[i]) &&
                       v.double_from_wide == double((long long)(words[i])),
                   "integer to float");
    verdict.expect(std::isnan(doubles[i]) || v.from_double == float(doubles[i]), "double to float");
  }
  return verdict.finish();
}
