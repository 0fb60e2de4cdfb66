#include "gpu/cupti/caches.hpp"

#include "gpu/cupti/check.hpp"

namespace heddle::cupti {
namespace {

// reader(data, words): every thread reads its share of `words` 64-bit words. The store keeps the
// loads alive; the buffer holds zeros, so it never happens.
const char* const kReaderPtx = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry heddle_cache_reader(.param .u64 data, .param .u64 words)
{
  .reg .pred %p<3>;
  .reg .b32 %r<5>;
  .reg .b64 %d<9>;
  ld.param.u64 %d1, [data];
  ld.param.u64 %d2, [words];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %nctaid.x;
  cvt.u64.u32 %d3, %r1;
  mad.wide.u32 %d3, %r2, %r3, %d3;
  mul.wide.u32 %d4, %r2, %r4;
  mov.u64 %d5, 0;
LOOP:
  setp.ge.u64 %p1, %d3, %d2;
  @%p1 bra DONE;
  shl.b64 %d6, %d3, 3;
  add.u64 %d6, %d6, %d1;
  ld.global.cg.u64 %d7, [%d6];
  or.b64 %d5, %d5, %d7;
  add.u64 %d3, %d3, %d4;
  bra LOOP;
DONE:
  setp.eq.u64 %p2, %d5, 0;
  @%p2 ret;
  st.global.u64 [%d1], %d5;
  ret;
}
)";

}  // namespace

void CacheFlusher::allocate() {
  CUdevice device = 0;
  int l2_bytes = 0;
  HEDDLE_CALL(cuCtxGetDevice(&device));
  HEDDLE_CALL(cuDeviceGetAttribute(&l2_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, device));
  bytes_ = std::size_t{4} * static_cast<std::size_t>(l2_bytes);
  HEDDLE_CALL(cuMemAlloc(&buffer_, bytes_));
  HEDDLE_CALL(cuMemsetD8(buffer_, 0, bytes_));
}

void CacheFlusher::load_reader() {
  if (module_ != nullptr) HEDDLE_CALL(cuModuleUnload(module_));
  module_ = nullptr;
  HEDDLE_CALL(cuModuleLoadData(&module_, kReaderPtx));
  HEDDLE_CALL(cuModuleGetFunction(&reader_, module_, "heddle_cache_reader"));
}

void CacheFlusher::flush() {
  if (buffer_ == 0) allocate();
  load_reader();
  CUdeviceptr data = buffer_;
  std::size_t words = bytes_ / 8;
  void* arguments[] = {&data, &words};
  HEDDLE_CALL(cuLaunchKernel(reader_, 1024, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr));
  HEDDLE_CALL(cuCtxSynchronize());
}

void CacheFlusher::forget() {
  module_ = nullptr;
  reader_ = nullptr;
  buffer_ = 0;
}

}  // namespace heddle::cupti
