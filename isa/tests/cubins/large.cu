// More parameters than 4 KiB.
struct Table {
  unsigned words[1500];
};

extern "C" __global__ void large(unsigned first, Table table, unsigned* out, unsigned last) {
  out[threadIdx.x] = table.words[threadIdx.x * 11] + first * last;
}
