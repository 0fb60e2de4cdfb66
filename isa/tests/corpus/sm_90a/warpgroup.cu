// What ptxas makes of wgmma whose C is left out or whose predicate it knows, of setmaxnreg, tensormap.replace and
// fences of proxies; not run.
#include <cstdint>
#define MMA(SCALE) asm volatile("{.reg .pred p; setp.ne.b32 p, %6, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0,%1,%2,%3}, %4, %5, p, 1, 1, 0, 0;}" : "+f"(d[0]),"+f"(d[1]),"+f"(d[2]),"+f"(d[3]) : "l"(da), "l"(db), "r"(SCALE));
__global__ void k1(float* o, uint64_t da, uint64_t db) { float d[4];
 asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
 MMA(0) MMA(1) 
 asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
 da += 2; db += 2;
 MMA(1)
 asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
 asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
 asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
 for (int i = 0; i < 4; ++i) o[threadIdx.x * 4 + i] = d[i]; }
__global__ void __launch_bounds__(384, 1) k2(float* o, unsigned n) {
 if (threadIdx.x >= 128) { asm volatile("setmaxnreg.inc.sync.aligned.u32 232;"); float s = 0; for (unsigned i = 0; i < n; ++i) s += o[i]; o[n + threadIdx.x] = s; }
 else { asm volatile("setmaxnreg.dec.sync.aligned.u32 40;"); o[threadIdx.x] = 1; } }
__global__ void k3(const void* p, void* q, uint64_t g) {
 asm volatile("prefetch.tensormap [%0];" :: "l"(p)); 
 asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" :: "l"(p) : "memory");
 asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory");
 asm volatile("fence.proxy.async;"); asm volatile("fence.proxy.async.global;"); asm volatile("fence.proxy.async.shared::cta;"); asm volatile("fence.proxy.alias;");
 asm volatile("tensormap.replace.tile.global_address.global.b1024.b64 [%0], %1;" :: "l"(q), "l"(g) : "memory");
 asm volatile("tensormap.replace.tile.rank.global.b1024.b32 [%0], 2;" :: "l"(q) : "memory");
 asm volatile("tensormap.replace.tile.box_dim.global.b1024.b32 [%0], 1, %1;" :: "l"(q), "r"((unsigned)g) : "memory");
 asm volatile("tensormap.replace.tile.global_dim.global.b1024.b32 [%0], 1, %1;" :: "l"(q), "r"((unsigned)g) : "memory");
 asm volatile("tensormap.replace.tile.global_stride.global.b1024.b64 [%0], 1, %1;" :: "l"(q), "l"(g) : "memory");
 asm volatile("tensormap.replace.tile.element_stride.global.b1024.b32 [%0], 1, %1;" :: "l"(q), "r"((unsigned)g) : "memory");
 asm volatile("tensormap.replace.tile.elemtype.global.b1024.b32 [%0], 5;" :: "l"(q) : "memory");
 asm volatile("tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%0], 2;" :: "l"(q) : "memory");
 asm volatile("tensormap.replace.tile.fill_mode.global.b1024.b32 [%0], 1;" :: "l"(q) : "memory");
 asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %1}];" :: "l"(p), "r"((int)g) : "memory");
}
