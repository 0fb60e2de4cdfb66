// Division and remainder by values known at run time alone, and the rest of integer arithmetic of
// 32 and 64 bits, signed and unsigned.
#include "../common/device_array.h"

struct Values32 {
  unsigned quotient, remainder, high, minimum;
  int signed_quotient, signed_remainder, signed_high, maximum;
};
struct Values64 {
  unsigned long long quotient, remainder, product, shifted, sum;
  long long signed_quotient, signed_remainder, shifted_sign;
  int compared;
};

__host__ __device__ static Values32 compute(unsigned a, unsigned b) {
  const int x = int(a), y = b == ~0u ? 3 : int(b);
  return {a / b,
          a % b,
          unsigned((unsigned long long)(a)*b >> 32),
          a < b ? a : b,
          x / y,
          x % y,
          int((long long)(x)*y >> 32),
          x > y ? x : y};
}

__host__ __device__ static Values64 compute(unsigned long long a, unsigned long long b) {
  const long long x = (long long)(a), y = b == ~0ull ? 5 : (long long)(b);
  const unsigned by = unsigned(b % 64);
  return {a / b,
          a % b,
          a * b,
          a >> by | b << (63 - by),
          a + b,
          x / y,
          x % y,
          x >> by,
          (a < b) + 2 * (x < y) + 4 * (x == y) + 8 * (x * 3 <= y)};
}

template <typename Values, typename Word>
__global__ void divide(const Word* a, const Word* b, Values* out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  out[thread] = compute(a[thread], b[thread]);
}

static bool same(const Values32& a, const Values32& b) {
  return a.quotient == b.quotient && a.remainder == b.remainder && a.high == b.high &&
         a.minimum == b.minimum && a.signed_quotient == b.signed_quotient &&
         a.signed_remainder == b.signed_remainder && a.signed_high == b.signed_high &&
         a.maximum == b.maximum;
}
static bool same(const Values64& a, const Values64& b) {
  return a.quotient == b.quotient && a.remainder == b.remainder && a.product == b.product &&
         a.shifted == b.shifted && a.sum == b.sum && a.signed_quotient == b.signed_quotient &&
         a.signed_remainder == b.signed_remainder && a.shifted_sign == b.shifted_sign &&
         a.compared == b.compared;
}

// Numbers of all lengths, small ones often; never 0 where they divide.
template <typename Word>
static std::vector<Word> numbers(unsigned count, unsigned seed) {
  std::vector<Word> result(count);
  for (unsigned i = 0; i < count; ++i) {
    const unsigned long long bits =
        (unsigned long long)(scramble(i * 2 + seed)) << 32 | scramble(i * 2 + 1 + seed);
    result[i] = Word(Word(bits) >> scramble(i + seed * 3) % (sizeof(Word) * 8));
    if (i % 16 == 3) result[i] = Word(1) << (sizeof(Word) * 8 - 1);
    if (i % 16 == 7) result[i] = ~Word(0);
    if (result[i] == 0) result[i] = 1;
  }
  return result;
}

template <typename Values, typename Word>
static bool check(unsigned threads) {
  const auto a = numbers<Word>(threads, 1), b = numbers<Word>(threads, 20000);
  DeviceArray<Word> d_a(a), d_b(b);
  DeviceArray<Values> out(threads);
  divide<<<2, threads / 2>>>(d_a.data(), d_b.data(), out.data());
  const auto values = out.host();
  bool ok = true;
  for (unsigned i = 0; i < threads; ++i) ok = ok && same(values[i], compute(a[i], b[i]));
  return ok;
}

int main() {
  Verdict verdict;
  verdict.expect(check<Values32, unsigned>(256), "32 bits");
  verdict.expect(check<Values64, unsigned long long>(256), "64 bits");
  return verdict.finish();
}
