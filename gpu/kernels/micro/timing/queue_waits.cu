// What warps wait for in loops of memory instructions of one kind with another kind behind: which
// queue is said to be full, and what waits for results instead. For gpu/cupti/measure.sh (modes
// timing and sampling); stdout is the launches' names.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -cubin -o queue_waits.cubin queue_waits.cu
//   nvcc -std=c++17 -O3 -arch=sm_90 -cudart shared -o queue_waits queue_waits.cu -lcuda
//   gpu/cupti/measure.sh -m timing,sampling -o queue_waits.json -- ./queue_waits queue_waits.cubin
#include "patched_launches.h"

extern "C" __global__ void __launch_bounds__(1024, 1) with_shared(float* data) {
  __shared__ float room[4096];
  room[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = room[threadIdx.x ^ 1];
  take_room<256>(data);
}

#ifndef __CUDA_ARCH__

namespace {

constexpr R kZero = 14;
R dst(int i) { return R(16 + 2 * (i % 8)); }

using Put = std::function<void(Code&, int)>;
struct Kind {
  const char* name;
  Put put;
};

// R2:R3 the data + 4 * thread, R6 4 * lane, R8:R9 the data + 128 * lane, UR4 the descriptor.
void begin(Code& c) {
  address(c);
  c.put(and_immediate(1, 0, 31), {.stall = 8});
  c.put(imad_immediate(6, 1, 4, RZ), {.stall = 6});
  c.put(imad_immediate(7, 1, 128, RZ), {.stall = 6});
  c.put(ldc(8, RZ, 0, 0x210, Size::k64), {.stall = 2, .write = 1});
  c.put(imad_wide_immediate(8, 1, 128, 8), {.stall = 6, .wait = 2});
  c.put(mov_immediate(kZero, 0), {.stall = 6});
}

constexpr Size kWord = Size::k32;
const Kind kLdg{"ldg", [](Code& c, int i) { c.put(ldg(dst(i), 2, 0, kWord), {.write = 0}); }};
const Kind kColumn{"column", [](Code& c, int i) { c.put(ldg(dst(i), 8, 0, kWord), {.write = 0}); }};
const Kind kStg{"stg", [](Code& c, int) { c.put(stg(2, 0, kZero, kWord), {.read = 0}); }};
const Kind kLds{"lds", [](Code& c, int i) { c.put(lds(dst(i), 6, 0, kWord), {.write = 0}); }};
const Kind kBank{"bank", [](Code& c, int i) { c.put(lds(dst(i), 7, 0, kWord), {.write = 0}); }};
const Kind kSts{"sts", [](Code& c, int) { c.put(sts(6, 0, kZero, kWord), {.read = 0}); }};
const Kind kShfl{"shfl", [](Code& c, int i) { c.put(shfl_bfly(dst(i), kZero), {.write = 0}); }};
const Kind kLdc{"ldc", [](Code& c, int i) { c.put(ldc(dst(i), RZ, 0, 0x210), {.write = 0}); }};
const Kind kS2r{"s2r", [](Code& c, int i) { c.put(s2r(dst(i), 0x21), {.write = 0}); }};
const Kind kS2ur{"s2ur", [](Code& c, int i) { c.put(s2ur(R(6 + i % 8), 0x25), {.write = 0}); }};
const Kind kMufu{"mufu", [](Code& c, int i) { c.put(mufu_ex2(dst(i), kZero), {.write = 0}); }};
// `n` of one kind, one of another, what waits for the former; 64 times.
void loop(Launcher& launch, const Kind& many, int n, const Kind* one) {
  const auto code = [&](Code& c) {
    begin(c);
    c.put(mov_immediate(10, 64), {.stall = 6});
    const std::size_t again = c.size();
    for (int i = 0; i < n; ++i) many.put(c, i);
    if (one != nullptr) one->put(c, n);
    c.put(nop(), {.stall = 6, .wait = 0x3f});
    c.put(iadd_immediate(10, 10, 0xffffffff), {.stall = 6});
    c.put(isetp_ne(3, 10, RZ), {.stall = 13});
    c.put(guarded(bra(static_cast<int>(again) - static_cast<int>(c.size()) - 1), 3), {.stall = 5});
  };
  const std::string name = std::string("waits.") + many.name + std::to_string(n) +
                           (one == nullptr ? "" : std::string("+") + one->name);
  launch.in("with_shared", name, code, {launch.everywhere(256), launch.everywhere(1024)});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: queue_waits CUBIN [WORD]\n");
    return 2;
  }
  CUDA(cudaFree(nullptr));
  Launcher launch(argv[1], argc > 2 ? argv[2] : "");
  for (const Kind& kind : {kLdg, kStg, kLds, kBank, kSts, kShfl, kLdc, kS2r, kS2ur, kMufu})
    loop(launch, kind, 8, nullptr);
  loop(launch, kColumn, 4, nullptr);
  for (const Kind& kind : {kLds, kLdc, kS2r, kShfl, kStg, kMufu}) loop(launch, kLdg, 8, &kind);
  for (const Kind& kind : {kLds, kLdc, kS2r, kStg, kLdg}) loop(launch, kColumn, 3, &kind);
  for (const Kind& kind : {kLdg, kStg, kLdc, kS2r, kMufu}) loop(launch, kLds, 8, &kind);
  for (const Kind& kind : {kLdg, kStg, kLdc}) loop(launch, kBank, 4, &kind);
  for (const Kind& kind : {kLds, kLdc, kLdg}) loop(launch, kStg, 6, &kind);
  for (const Kind& kind : {kLds, kLdg, kS2r, kS2ur}) loop(launch, kLdc, 6, &kind);
  for (const Kind& kind : {kLdc, kS2ur, kLds}) loop(launch, kS2r, 8, &kind);
}

#endif
