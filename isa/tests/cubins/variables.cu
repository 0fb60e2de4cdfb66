// Compiled with -G: variables of several types and scopes, in registers and in constant bank 0.
__global__ void sums(int* out, long long n, double d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned char b = i & 0xff;
  short s = i * 2;
  double half = d * 0.5;
  unsigned long long big = n + i;
  for (int j = 0; j < 4; ++j) s += j;
  if (i % 2 == 0) {
    out[i] = b + s + (int)big;
  } else {
    float other = (float)half;
    out[i] = (int)other;
  }
}
