// Launches of machine code, one probe each: the kernels whose code is replaced, and who launches
// them. Stdout is the launches' names.
#pragma once

#include <functional>

#include "patched_cubin.h"
#include "probe.h"

namespace {

template <int kInstructions>
__device__ void take_room(float* data) {
  float r[40];
  for (int i = 0; i < 40; ++i) r[i] = data[i * 32 + threadIdx.x];
#pragma unroll
  for (int i = 0; i < kInstructions; ++i)
    asm volatile("fma.rn.f32 %0, %0, %0, %1;" : "+f"(r[i % 40]) : "f"(r[(i + 1) % 40]));
  float all = 0;
  for (int i = 0; i < 40; ++i) all += r[i];
  data[threadIdx.x] = all;
}

}  // namespace

extern "C" __global__ void __launch_bounds__(1024, 1) short_code(float* data) {
  take_room<64>(data);
}
extern "C" __global__ void __launch_bounds__(1024, 1) long_code(float* data) {
  take_room<12288>(data);
}

#ifndef __CUDA_ARCH__

namespace {

using namespace timing;
using namespace timing::sass;

constexpr int kLine = 8;  // instructions in a line of 128 bytes

struct Shape {
  int blocks, threads;
};
constexpr Shape kOneWarp{1, 32}, kWarpOfEach{1, 128}, kFull{1, 1024};

class Launcher {
 public:
  Launcher(const char* cubin, const char* only)
      : cubin_(cubin), short_(cubin, "short_code"), long_(cubin, "long_code"), only_(only) {
    CUDA(cudaGetDeviceProperties(&properties_, 0));
  }
  Shape everywhere(int threads, int per_sm = 1) const {
    return {per_sm * properties_.multiProcessorCount, threads};
  }

  // The code and EXIT behind it. `is_long`: in the kernel that has 12,288 instructions and more.
  void operator()(std::string name, const std::function<void(Code&)>& body,
                  std::initializer_list<Shape> shapes, bool is_long = false) {
    Code code;
    body(code);
    code.put(sass::exit(), {.stall = 5});
    code.put(bra(-1), {.stall = 5});
    for (const Shape& shape : shapes) launch(name, code, shape, is_long ? long_ : short_);
  }
  // The same in another kernel of the cubin.
  void in(const std::string& kernel, const std::string& name,
          const std::function<void(Code&)>& body, std::initializer_list<Shape> shapes) {
    Code code;
    body(code);
    code.put(sass::exit(), {.stall = 5});
    code.put(bra(-1), {.stall = 5});
    for (const Shape& shape : shapes) launch(name, code, shape, {cubin_, kernel});
  }
  // EXIT alone in the kernel of that number, whose code begins elsewhere in memory.
  void in_place(int number, std::initializer_list<Shape> shapes) {
    const std::string kernel = "place_" + std::to_string(number);
    if (only_.find("place") == std::string::npos && !only_.empty()) return;
    Code code;
    code.put(sass::exit(), {.stall = 5});
    for (const Shape& shape : shapes) launch(kernel, code, shape, {cubin_, kernel});
  }

 private:
  void launch(const std::string& what, const Code& code, const Shape& shape,
              const PatchedCubin& cubin) {
    const std::string name =
        what + ".b" + std::to_string(shape.blocks) + ".t" + std::to_string(shape.threads);
    if (name.find(only_) == std::string::npos) return;
    CUmodule module = nullptr;
    const CUfunction function = cubin.load(code, module);
    float* data = data_.data();
    void* arguments[] = {&data};
    DRIVER(cuLaunchKernel(function, shape.blocks, 1, 1, shape.threads, 1, 1, 0, nullptr, arguments,
                          nullptr));
    DRIVER(cuCtxSynchronize());
    DRIVER(cuModuleUnload(module));
    std::printf("%s\n", name.c_str());
  }

  const char* cubin_;
  PatchedCubin short_, long_;
  std::string only_;
  cudaDeviceProp properties_{};
  Buffer<float> data_{1 << 22};
};

void nops(Code& c, int count, unsigned stall = 1) {
  c.repeat(count, [&](int) { c.put(nop(), {.stall = stall}); });
}

// So long that whatever the launch has set going has arrived.
void delay(Code& c) { nops(c, kLine - 1, 15); }  // 105 cycles
// A line of code that takes 225 cycles.
constexpr int kLongStalls = 15;

// R2:R3 the data + 4 * thread, UR4 the descriptor.
void address(Code& c) {
  c.put(s2r(0, 0x21), {.stall = 2, .write = 0});
  c.put(uldc64(4, 0x208), {.stall = 12});
  c.put(ldc(2, RZ, 0, 0x210, Size::k64), {.stall = 2, .write = 1});
  c.put(imad_wide_immediate(2, 0, 4, 2), {.stall = 6, .wait = 3});
}

}  // namespace

#endif
