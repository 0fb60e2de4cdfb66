// Shuffles, votes, matches, reductions over a warp, cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

extern "C" __global__ void shuffles(int* out, const int* in, int lane, unsigned mask, double d) {
  const int i = threadIdx.x;
  int v = in[i];
  v += __shfl_sync(0xffffffffu, v, 3);
  v += __shfl_sync(0xffffffffu, v, lane);
  v += __shfl_sync(0xffffffffu, v, i ^ 5, 8);
  v += __shfl_up_sync(0xffffffffu, v, 1);
  v += __shfl_down_sync(0xffffffffu, v, lane, 16);
  v += __shfl_xor_sync(0xffffffffu, v, 16);
  v += __shfl_xor_sync(mask, v, lane, 4);
  v += __shfl_sync(mask, v, 0);
  d += __shfl_xor_sync(0xffffffffu, d, 1);
  int w, p;
  asm volatile("{.reg .pred q; shfl.sync.bfly.b32 %0|q, %2, %3, %4, -1; selp.b32 %1, 1, 0, q;}"
               : "=r"(w), "=r"(p) : "r"(v), "r"(lane), "r"(i));
  out[i] = v + int(d) + w + p;
}

extern "C" __global__ void votes(unsigned* out, const int* in, unsigned mask) {
  const int i = threadIdx.x;
  const bool p = in[i] > 3;
  unsigned r = __ballot_sync(0xffffffffu, p) + __ballot_sync(mask, !p);
  if (__all_sync(0xffffffffu, p)) r += 1;
  if (__any_sync(mask, p)) r += 2;
  int u;
  asm volatile("{.reg .pred q, s; setp.ne.s32 q, %1, 0; vote.sync.uni.pred s, q, -1; selp.b32 %0, 1, 0, s;}" : "=r"(u) : "r"(in[i]));
  r += u + __activemask() + __match_any_sync(0xffffffffu, in[i]) + __match_any_sync(mask, static_cast<unsigned long long>(in[i]) << 3);
  int all;
  r += __match_all_sync(0xffffffffu, in[i], &all) + all;
  if (in[i] > 5) r += __activemask();
  __syncwarp();
  __syncwarp(mask);
  out[i] = r + __popc(__ballot_sync(0xffffffffu, p) & ((1u << (i & 31)) - 1));
}

extern "C" __global__ void reductions(int* out, const int* in, unsigned mask) {
  const int i = threadIdx.x;
  int r = in[i];
#if __CUDA_ARCH__ >= 800
  r += __reduce_add_sync(0xffffffffu, in[i]);
  r += __reduce_min_sync(0xffffffffu, in[i]);
  r += __reduce_max_sync(mask, static_cast<unsigned>(in[i]));
  r += __reduce_and_sync(0xffffffffu, static_cast<unsigned>(in[i]));
  r += __reduce_or_sync(0xffffffffu, static_cast<unsigned>(in[i]));
  r += __reduce_xor_sync(0xffffffffu, static_cast<unsigned>(in[i]));
#endif
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  r += cg::reduce(tile, r, cg::plus<int>());
  const auto active = cg::coalesced_threads();
  r += active.shfl(r, 0) + active.thread_rank() + active.size();
  if (r > 4) {
    const auto inner = cg::coalesced_threads();
    r += inner.ballot(r & 1) + inner.any(r & 2) + inner.shfl_down(r, 1);
  }
  const auto labeled = cg::labeled_partition(active, r & 3);
  r += labeled.size() + labeled.shfl(r, 0);
  block.sync();
  out[i] = r;
}

extern "C" __global__ void grid_sync(int* p) {
  const auto grid = cg::this_grid();
  p[grid.thread_rank()] = 1;
  grid.sync();
  p[grid.thread_rank()] += p[grid.size() - 1 - grid.thread_rank()];
}

extern "C" __global__ void special(unsigned* out, long long* clocks) {
  unsigned r, t = 0;
#define READ(name) asm volatile("mov.u32 %0, %%" #name ";" : "=r"(r)); t += r;
  READ(laneid) READ(warpid) READ(nwarpid) READ(smid) READ(nsmid) READ(gridid)
  READ(lanemask_eq) READ(lanemask_lt) READ(lanemask_le) READ(lanemask_gt) READ(lanemask_ge)
  READ(clock) READ(clock_hi) READ(globaltimer_lo) READ(total_smem_size) READ(dynamic_smem_size)
  READ(envreg3) READ(pm0)
  clocks[threadIdx.x] = clock64();
  clocks[threadIdx.x + 1] = clock();
  unsigned long long g;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g));
  out[threadIdx.x] = t + unsigned(g) + threadIdx.y + threadIdx.z + blockIdx.y * gridDim.z + blockIdx.z + blockDim.y;
}

// Diverged warps that shuffle: the slow path of a collective operation.
extern "C" __global__ void diverged(int* out, const int* in, unsigned mask, int n) {
  int v = in[threadIdx.x];
  for (int i = 0; i < n; ++i) {
    if ((v & 3) == i) {
      v += __shfl_xor_sync(mask, v, 1);
      if (__any_sync(mask, v > 3)) v -= 5;
    } else if (v & 8) {
      v ^= __ballot_sync(mask, v & 1);
      __syncwarp(mask);
    }
  }
  out[threadIdx.x] = v;
}
