// A kernel launched by code that no nvcc has made: it calls cudaGetParameterBufferV2 and
// cudaLaunchDeviceV2 itself, as libNVVM's code does. Argument: libcudadevrt.a, to which the driver
// links it.
#include <cstring>

#include "driver_check.hpp"

static const char kCode[] = R"(
.version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b64 result) cudaGetParameterBufferV2(
  .param .b64 kernel, .param .align 4 .b8 grid[12], .param .align 4 .b8 block[12], .param .b32 shared);
.extern .func (.param .b32 result) cudaLaunchDeviceV2(.param .b64 buffer, .param .b64 stream);
.visible .entry child(.param .u64 out, .param .u32 value) {
  .reg .b64 %rd<3>;
  .reg .b32 %r<4>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [value];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd2, %r2, 4;
  add.u64 %rd1, %rd1, %rd2;
  add.u32 %r3, %r1, %r2;
  st.global.u32 [%rd1], %r3;
  ret;
}
.visible .entry parent(.param .u64 out) {
  .reg .b64 %rd<5>;
  .reg .b32 %r<4>;
  ld.param.u64 %rd1, [out];
  mov.u64 %rd2, child;
  mov.u32 %r1, 1;
  mov.u32 %r2, 16;
  mov.u32 %r3, 0;
  {
    .param .b64 kernel; .param .align 4 .b8 grid[12]; .param .align 4 .b8 block[12];
    .param .b32 shared; .param .b64 result;
    st.param.b64 [kernel], %rd2;
    st.param.b32 [grid], %r1; st.param.b32 [grid+4], %r1; st.param.b32 [grid+8], %r1;
    st.param.b32 [block], %r2; st.param.b32 [block+4], %r1; st.param.b32 [block+8], %r1;
    st.param.b32 [shared], %r3;
    call (result), cudaGetParameterBufferV2, (kernel, grid, block, shared);
    ld.param.b64 %rd3, [result];
  }
  st.u64 [%rd3], %rd1;
  mov.u32 %r3, 70;
  st.u32 [%rd3+8], %r3;
  mov.u64 %rd4, 0;
  {
    .param .b64 buffer; .param .b64 stream; .param .b32 result;
    st.param.b64 [buffer], %rd3;
    st.param.b64 [stream], %rd4;
    call (result), cudaLaunchDeviceV2, (buffer, stream);
  }
  ret;
}
)";

int main(int count, char** arguments) {
  EXPECT(count == 2);
  CUcontext context;
  DRIVER(cuInit(0));
  DRIVER(cuDevicePrimaryCtxRetain(&context, 0));
  DRIVER(cuCtxSetCurrent(context));
  CUlinkState link;
  void* code = nullptr;
  size_t bytes = 0;
  DRIVER(cuLinkCreate(0, nullptr, nullptr, &link));
  DRIVER(cuLinkAddFile(link, CU_JIT_INPUT_LIBRARY, arguments[1], 0, nullptr, nullptr));
  DRIVER(cuLinkAddData(link, CU_JIT_INPUT_PTX, const_cast<char*>(kCode), sizeof kCode, "code", 0,
                       nullptr, nullptr));
  DRIVER(cuLinkComplete(link, &code, &bytes));
  CUmodule module;
  CUfunction parent;
  DRIVER(cuModuleLoadData(&module, code));
  DRIVER(cuModuleGetFunction(&parent, module, "parent"));
  CUdeviceptr out = 0;
  DRIVER(cuMemAlloc(&out, 64));
  void* given[] = {&out};
  DRIVER(cuLaunchKernel(parent, 1, 1, 1, 1, 1, 1, 0, nullptr, given, nullptr));
  DRIVER(cuCtxSynchronize());
  int back[16];
  DRIVER(cuMemcpyDtoH(back, out, sizeof back));
  for (int i = 0; i < 16; ++i) EXPECT(back[i] == 70 + i);
  std::puts("parameter buffer: ok");
}
