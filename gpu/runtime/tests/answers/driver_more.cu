// More of the driver's interface: linking, waiting for values, attributes of pointers, what is
// gone.
#include "answers.hpp"

static const char kFirst[] = R"(
.version 8.0
.target sm_75
.address_size 64
.extern .func (.param .b32 out) twice (.param .b32 in);
.visible .global .align 4 .u32 shared_cell = 5;
.visible .entry run(.param .u64 x)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [x];
  ld.global.u32 %r1, [%rd1];
  {
    .param .b32 a;
    .param .b32 b;
    st.param.b32 [a], %r1;
    call (b), twice, (a);
    ld.param.b32 %r2, [b];
  }
  st.global.u32 [%rd1], %r2;
  ret;
}
)";
static const char kSecond[] = R"(
.version 8.0
.target sm_75
.address_size 64
.extern .global .align 4 .u32 shared_cell;
.visible .func (.param .b32 out) twice (.param .b32 in)
{
  .reg .b32 %r<4>;
  ld.param.b32 %r1, [in];
  ld.global.u32 %r2, [shared_cell];
  add.u32 %r1, %r1, %r1;
  add.u32 %r1, %r1, %r2;
  st.param.b32 [out], %r1;
  ret;
}
)";

static CUcontext begin() {
  CUcontext context = nullptr;
  cuInit(0);
  CALL(cuCtxCreate(&context, nullptr, 0, 0));
  return context;
}

SECTION(linking) {
  begin();
  char errors[2000] = "", info[2000] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {errors, reinterpret_cast<void*>(sizeof errors), info,
                    reinterpret_cast<void*>(sizeof info)};
  CUlinkState state;
  void* code = nullptr;
  std::size_t bytes = 0;
  CALL(cuLinkCreate(4, options, values, &state));
  CALL(cuLinkComplete(state, &code, &bytes));
  CALL(cuLinkDestroy(state));
  CALL(cuLinkCreate(4, options, values, &state));
  CALL(cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(kFirst), sizeof kFirst, "first", 0,
                     nullptr, nullptr));
  CALL(cuLinkComplete(state, &code, &bytes));
  std::printf("errors: %s\ninfo: %s\n", errors, info);
  VALUE(reinterpret_cast<std::size_t>(values[1])), VALUE(reinterpret_cast<std::size_t>(values[3]));
  CALL(cuLinkDestroy(state));
  errors[0] = '\0';
  CALL(cuLinkCreate(4, options, values, &state));
  CALL(cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>("no code"), 8, "bad", 0, nullptr,
                     nullptr));
  std::printf("errors: %s\n", errors);
  CALL(cuLinkAddData(state, CU_JIT_INPUT_CUBIN, const_cast<char*>("no code"), 8, "bad", 0, nullptr,
                     nullptr));
  CALL(cuLinkAddFile(state, CU_JIT_INPUT_PTX, "/nowhere", 0, nullptr, nullptr));
  CALL(cuLinkAddData(state, CU_JIT_INPUT_PTX, nullptr, 8, "bad", 0, nullptr, nullptr));
  CALL(cuLinkDestroy(state));
  CALL(cuLinkCreate(0, nullptr, nullptr, &state));
  CALL(cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(kFirst), sizeof kFirst, "first", 0,
                     nullptr, nullptr));
  CALL(cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(kSecond), sizeof kSecond, "second",
                     0, nullptr, nullptr));
  CALL(cuLinkComplete(state, &code, &bytes));
  CUmodule module;
  CUfunction run;
  CALL(cuModuleLoadData(&module, code));
  CALL(cuLinkDestroy(state));
  CALL(cuModuleGetFunction(&run, module, "run"));
  CUdeviceptr cell;
  int host = 10;
  CALL(cuMemAlloc(&cell, 4));
  CALL(cuMemcpyHtoD(cell, &host, 4));
  void* arguments[] = {&cell};
  CALL(cuLaunchKernel(run, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  CALL(cuMemcpyDtoH(&host, cell, 4));
  VALUE(host);
  CUmodule of;
  CALL(cuFuncGetModule(&of, run));
  VALUE(of == module);
  CUtexref texture;
  CALL(cuModuleGetTexRef(&texture, module, "nothing"));
  CALL(cuModuleUnload(module));
  CALL(cuModuleUnload(module));
  errors[0] = info[0] = '\0';
  values[1] = reinterpret_cast<void*>(sizeof errors);
  CALL(cuModuleLoadDataEx(&module, ".version 8.0\n.target sm_75\nnonsense", 4, options, values));
  std::printf("errors: %s\n", errors);
  VALUE(reinterpret_cast<std::size_t>(values[1]));
  CALL(cuModuleLoadDataEx(&module, kFirst, 4, options, values));
}

SECTION(values) {
  begin();
  CUdeviceptr cell;
  CUstream stream;
  CALL(cuMemAlloc(&cell, 64));
  CALL(cuMemsetD8(cell, 0, 64));
  CALL(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CALL(cuStreamWriteValue32(stream, cell, 7, 0));
  CALL(cuStreamWriteValue32(stream, cell + 1, 7, 0));
  CALL(cuStreamWriteValue32(stream, 12345 * 4, 7, 0));
  CALL(cuStreamWriteValue32(stream, cell, 7, 5));
  CALL(cuStreamWriteValue32(stream, cell, 7, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER));
  CALL(cuStreamWriteValue64(stream, cell + 8, 70, 0));
  CALL(cuStreamWriteValue64(stream, cell + 4, 70, 0));
  CALL(cuStreamWaitValue32(stream, cell, 7, CU_STREAM_WAIT_VALUE_EQ));
  CALL(cuStreamWaitValue32(stream, cell, 6, CU_STREAM_WAIT_VALUE_GEQ));
  CALL(cuStreamWaitValue32(stream, cell, 2, CU_STREAM_WAIT_VALUE_AND));
  CALL(cuStreamWaitValue32(stream, cell, 7, CU_STREAM_WAIT_VALUE_NOR));
  CALL(cuStreamWaitValue32(stream, cell, 7, CU_STREAM_WAIT_VALUE_EQ | CU_STREAM_WAIT_VALUE_FLUSH));
  CALL(cuStreamWaitValue32(stream, cell, 7, 9));
  CALL(cuStreamWaitValue64(stream, cell + 8, 70, CU_STREAM_WAIT_VALUE_GEQ));
  CUstreamBatchMemOpParams operations[3]{};
  operations[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  operations[0].writeValue.address = cell + 16;
  operations[0].writeValue.value = 3;
  operations[1].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
  operations[1].waitValue.address = cell + 16;
  operations[1].waitValue.value = 3;
  operations[2].memoryBarrier.operation = CU_STREAM_MEM_OP_BARRIER;
  CALL(cuStreamBatchMemOp(stream, 2, operations, 0));
  CALL(cuStreamBatchMemOp(stream, 3, operations, 0));
  CALL(cuStreamBatchMemOp(stream, 0, operations, 0));
  CALL(cuStreamBatchMemOp(stream, 1, nullptr, 0));
  CALL(cuStreamBatchMemOp(stream, 1, operations, 1));
  CALL(cuStreamBatchMemOp(stream, 257, operations, 0));
  CALL(cuStreamSynchronize(stream));
  CALL(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  CALL(cuStreamWriteValue32(stream, cell, 8, 0));
  CUgraph graph;
  CALL(cuStreamEndCapture(stream, &graph));
  std::size_t nodes = 0;
  CALL(cuGraphGetNodes(graph, nullptr, &nodes));
  VALUE(nodes);
  CUgraphNode node;
  CUgraphNodeType type;
  nodes = 1;
  if (cuGraphGetNodes(graph, &node, &nodes) == CUDA_SUCCESS && nodes == 1) {
    CALL(cuGraphNodeGetType(node, &type));
    VALUE(type);
  }
  int host[16];
  CALL(cuMemcpyDtoH(host, cell, 64));
  VALUE(host[0]), VALUE(host[2]), VALUE(host[4]);
}

SECTION(pointers) {
  begin();
  CUdeviceptr device, managed;
  void* pinned;
  int plain = 0;
  CALL(cuMemAlloc(&device, 1000));
  CALL(cuMemAllocManaged(&managed, 1000, CU_MEM_ATTACH_GLOBAL));
  CALL(cuMemAllocHost(&pinned, 1000));
  const CUdeviceptr all[] = {device, device + 8, managed, reinterpret_cast<CUdeviceptr>(pinned),
                             reinterpret_cast<CUdeviceptr>(&plain)};
  for (CUdeviceptr each : all)
    for (int attribute = 1; attribute <= 22; ++attribute) {
      unsigned long long value[8] = {};
      const CUresult result =
          cuPointerGetAttribute(value, static_cast<CUpointer_attribute>(attribute), each);
      const bool address = attribute == 1 || (attribute >= 3 && attribute <= 5) || attribute == 7 ||
                           attribute == 11 || attribute == 17 || attribute == 19;
      std::printf("%zu, %d: %d %llu\n", std::size_t(&each - all), attribute, result,
                  address ? (value[0] != 0) : value[0]);
    }
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  CALL(cuMemGetAddressRange(&base, &bytes, device + 100));
  VALUE(base == device), VALUE(bytes);
  CALL(cuMemGetAddressRange(&base, nullptr, managed));
  CALL(cuMemGetAddressRange(nullptr, &bytes, reinterpret_cast<CUdeviceptr>(pinned)));
  VALUE(bytes);
  CALL(cuMemGetAddressRange(&base, &bytes, reinterpret_cast<CUdeviceptr>(&plain)));
  CUmemorytype type;
  unsigned is_managed = 7;
  void* got[] = {&type, &is_managed};
  CUpointer_attribute names[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED};
  CALL(cuPointerGetAttributes(2, names, got, managed));
  VALUE(type), VALUE(is_managed);
  CALL(cuPointerGetAttributes(2, names, got, reinterpret_cast<CUdeviceptr>(&plain)));
  VALUE(type), VALUE(is_managed);
  int sync = 1;
  CALL(cuPointerSetAttribute(&sync, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, device));
}

SECTION(gone) {
  CUcontext context = begin();
  unsigned long long id = 0;
  CALL(cuCtxGetId(context, &id));
  CUdevice device = 7;
  CALL(cuCtxGetDevice(&device));
  CUstream stream;
  CUcontext of = nullptr;
  CALL(cuStreamCreate(&stream, 0));
  CALL(cuStreamGetCtx(stream, &of));
  VALUE(of == context);
  CALL(cuCtxDestroy(context));
  CALL(cuCtxDestroy(context));
  CALL(cuCtxGetCurrent(&of));
  VALUE(of == nullptr);
  CALL(cuCtxSetCurrent(context));
  CALL(cuCtxPushCurrent(context));
  CALL(cuCtxGetId(context, &id));
  CALL(cuStreamSynchronize(stream));
  CUdeviceptr memory;
  CALL(cuMemAlloc(&memory, 100));
  CALL(cuCtxDestroy(nullptr));
}

SECTION(green) {
  begin();
  CUdevResource all{}, part{}, rest{};
  CALL(cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_SM));
  VALUE(all.type), VALUE(all.sm.smCount);
  unsigned groups = 1;
  CALL(cuDevSmResourceSplitByCount(&part, &groups, &all, &rest, 0, 8));
  VALUE(groups), VALUE(part.sm.smCount), VALUE(rest.sm.smCount);
  CUdevResourceDesc description;
  CALL(cuDevResourceGenerateDesc(&description, &part, 1));
  CUgreenCtx green;
  CALL(cuGreenCtxCreate(&green, description, 0, CU_GREEN_CTX_DEFAULT_STREAM));
  CUcontext context;
  CALL(cuCtxFromGreenCtx(&context, green));
  CUstream stream;
  CALL(cuGreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, 0));
  CUgreenCtx of;
  CALL(cuStreamGetGreenCtx(stream, &of));
  VALUE(of == green);
  CALL(cuGreenCtxDestroy(green));
}
