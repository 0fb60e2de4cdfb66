// Code that a program loads itself.
#include <cstdint>
#include <cstring>

#include "check.hpp"

// y[i] = a * x[i] + offset, where `offset` is a variable of the code.
static const char kCode[] = R"(
.version 8.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 offset = 7;
.visible .entry scale(.param .u64 x, .param .u64 y, .param .u32 a)
{
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  ld.param.u32 %r1, [a];
  cvta.to.global.u64 %rd1, %rd1;
  cvta.to.global.u64 %rd2, %rd2;
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd3, %r2, 4;
  add.s64 %rd1, %rd1, %rd3;
  add.s64 %rd2, %rd2, %rd3;
  ld.global.u32 %r3, [%rd1];
  ld.global.u32 %r4, [offset];
  mad.lo.u32 %r5, %r1, %r3, %r4;
  st.global.u32 [%rd2], %r5;
  ret;
}
.visible .entry nothing() { ret; }
)";

int main() {
  cudaLibrary_t library;
  cudaKernel_t scale, again, none, all[2];
  OK(cudaLibraryLoadData(&library, kCode, nullptr, nullptr, 0, nullptr, nullptr, 0));
  OK(cudaLibraryGetKernel(&scale, library, "scale"));
  OK(cudaLibraryGetKernel(&again, library, "scale"));
  EXPECT(scale == again);
  EXPECT_CALL(cudaErrorSymbolNotFound, cudaLibraryGetKernel(&none, library, "missing"));
  unsigned count = 0;
  OK(cudaLibraryGetKernelCount(&count, library));
  EXPECT(count == 2);
  OK(cudaLibraryEnumerateKernels(all, 2, library));
  EXPECT(all[0] != all[1] && (all[0] == scale || all[1] == scale));

  int *x, *y, host[32];
  OK(cudaMalloc(&x, sizeof host));
  OK(cudaMalloc(&y, sizeof host));
  for (int i = 0; i < 32; ++i) host[i] = i;
  OK(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
  int a = 3;
  void* arguments[] = {&x, &y, &a};
  OK(cudaLaunchKernel(scale, 1, 32, arguments, 0, nullptr));
  OK(cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; ++i) EXPECT(host[i] == 3 * i + 7);

  void* offset;
  std::size_t bytes = 0;
  OK(cudaLibraryGetGlobal(&offset, &bytes, library, "offset"));
  EXPECT(bytes == 4);
  const int value = 100;
  OK(cudaMemcpy(offset, &value, sizeof value, cudaMemcpyHostToDevice));
  OK(cudaLaunchKernel(scale, 1, 32, arguments, 0, nullptr));
  OK(cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; ++i) EXPECT(host[i] == 3 * i + 100);
  EXPECT_CALL(cudaErrorSymbolNotFound, cudaLibraryGetGlobal(&offset, &bytes, library, "missing"));

  cudaFuncAttributes attributes;
  OK(cudaFuncGetAttributes(&attributes, scale));
  EXPECT(attributes.numRegs > 0);
  OK(cudaLibraryUnload(library));
  EXPECT_CALL(cudaErrorFileNotFound, cudaLibraryLoadFromFile(&library, "/nowhere", nullptr, nullptr,
                                                             0, nullptr, nullptr, 0));
  std::puts("libraries: ok");
}
