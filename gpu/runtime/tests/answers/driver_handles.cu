// Functions of the driver that look at their arguments before they look for a context, asked with
// arguments that are right: in the context of these handles (_here), by a thread without a context
// (_without), and by one whose current context is gone (_gone). And, before cuInit, what takes no
// handle. What the stand-in does not support is left out.
#define __CUDA_API_VERSION_INTERNAL  // the older versions of functions, too
#include <cudaProfiler.h>

#include <thread>

#include "answers.hpp"

namespace {

constexpr size_t kBytes = 1 << 16;
const char kCode[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n.visible .global .u32 word;\n"
    ".visible .global .attribute(.managed) .u32 shared;\n"
    ".visible .entry k(.param .u32 count) { ret; }";

CUcontext context, now;
CUstream stream;
CUevent event, earlier, shared_event;
CUmodule module;
CUfunction function;
CUlibrary library;
CUkernel kernel;
CUlinkState linking, unfinished;
CUdeviceptr bytes, managed, other;
void* host;
CUarray array, level;
CUmipmappedArray levels;
CUuserObject object;
CUgraph graph, child, with_memory;
CUgraphNode first, second, recorded, waited, called, launched, copied, filled, nested, given, taken,
    node;
CUgraphExec exec;
CUDA_KERNEL_NODE_PARAMS launch;
CUDA_HOST_NODE_PARAMS host_call;
CUDA_MEMCPY3D copy;
CUDA_MEMSET_NODE_PARAMS fill;
CUstreamBatchMemOpParams operation;
unsigned count = 1;
void* parameters[] = {&count};

void nothing(void*) {}

void make_memory() {
  cuInit(0);
  cuCtxCreate_v2(&context, 0, 0);
  cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
  cuEventCreate(&event, 0);
  cuEventCreate(&earlier, 0);
  cuEventRecord(earlier, stream);
  cuEventRecord(event, stream);
  cuEventCreate(&shared_event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
  cuModuleLoadData(&module, kCode);
  cuModuleGetFunction(&function, module, "k");
  cuLibraryLoadData(&library, kCode, nullptr, nullptr, 0, nullptr, nullptr, 0);
  cuLibraryGetKernel(&kernel, library, "k");
  cuLinkCreate_v2(0, nullptr, nullptr, &linking);
  cuLinkCreate_v2(0, nullptr, nullptr, &unfinished);
  cuMemAlloc_v2(&bytes, kBytes);
  cuMemAllocManaged(&managed, kBytes, CU_MEM_ATTACH_GLOBAL);
  cuMemHostAlloc(&host, kBytes, 0);
  CUDA_ARRAY3D_DESCRIPTOR texels = {64, 64, 0, CU_AD_FORMAT_FLOAT, 1, 0};
  cuArray3DCreate_v2(&array, &texels);
  cuMipmappedArrayCreate(&levels, &texels, 2);
  cuUserObjectCreate(&object, nullptr, nothing, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
}

void make_parameters() {
  launch = {function, 1, 1, 1, 1, 1, 1, 0, parameters, nullptr, nullptr, nullptr};
  host_call = {nothing, nullptr};
  copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = host;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = bytes;
  copy.WidthInBytes = 16;
  copy.Height = copy.Depth = 1;
  fill = {bytes, 0, 0, 1, 16, 1};
  operation = {};
  operation.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  operation.writeValue.address = bytes;
}

void make_graph() {
  cuGraphCreate(&graph, 0);
  cuGraphCreate(&child, 0);
  cuGraphCreate(&with_memory, 0);
  cuGraphAddEmptyNode(&node, child, nullptr, 0);
  cuGraphAddEmptyNode(&first, graph, nullptr, 0);
  cuGraphAddEmptyNode(&second, graph, nullptr, 0);
  cuGraphAddEventRecordNode(&recorded, graph, nullptr, 0, event);
  cuGraphAddEventWaitNode(&waited, graph, nullptr, 0, event);
  cuGraphAddHostNode(&called, graph, nullptr, 0, &host_call);
  cuGraphAddKernelNode_v2(&launched, graph, nullptr, 0, &launch);
  cuGraphAddMemcpyNode(&copied, graph, nullptr, 0, &copy, context);
  cuGraphAddMemsetNode(&filled, graph, nullptr, 0, &fill, context);
  cuGraphAddChildGraphNode(&nested, graph, nullptr, 0, child);
  cuGraphInstantiateWithFlags(&exec, graph, 0);
  CUDA_MEM_ALLOC_NODE_PARAMS wanted = {};
  wanted.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  wanted.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  wanted.bytesize = 16;
  cuGraphAddMemAllocNode(&given, with_memory, nullptr, 0, &wanted);
  cuGraphAddMemFreeNode(&taken, with_memory, &given, 1, wanted.dptr);
}

void make_all() {
  make_memory();
  make_parameters();
  make_graph();
}

void ask_arrays() {
  CUDA_ARRAY3D_DESCRIPTOR told;
  CUDA_ARRAY_DESCRIPTOR flat;
  CALL(cuArray3DGetDescriptor_v2(&told, array));
  CALL(cuArrayGetDescriptor_v2(&flat, array));
  CALL(cuMipmappedArrayGetLevel(&level, levels, 1));
}

void ask_code() {
  int number;
  unsigned some;
  size_t offset, size;
  const char* name;
  void* made;
  CUfunctionLoadingState state;
  CUlibrary of;
  CUkernel one;
  CUfunction found;
  CALL(cuFuncGetAttribute(&number, CU_FUNC_ATTRIBUTE_NUM_REGS, function));
  CALL(cuFuncGetName(&name, function));
  CALL(cuFuncGetParamInfo(function, 0, &offset, &size));
  CALL(cuFuncIsLoaded(&state, function));
  CALL(cuFuncLoad(function));
  CALL(cuKernelGetAttribute(&number, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, 0));
  CALL(cuKernelGetLibrary(&of, kernel));
  CALL(cuKernelGetName(&name, kernel));
  CALL(cuKernelGetParamInfo(kernel, 0, &offset, &size));
  CALL(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024, kernel, 0));
  CALL(cuKernelSetCacheConfig(kernel, CU_FUNC_CACHE_PREFER_L1, 0));
  CALL(cuLibraryEnumerateKernels(&one, 1, library));
  CALL(cuLibraryGetKernel(&one, library, "k"));
  CALL(cuLibraryGetKernelCount(&some, library));
  CALL(cuLibraryGetManaged(&other, &size, library, "shared"));
  CALL(cuModuleEnumerateFunctions(&found, 1, module));
  CALL(cuModuleGetFunctionCount(&some, module));
  CUlaunchConfig configuration = {1, 1, 1, 1, 1, 1, 0, stream, nullptr, 0};
  CALL(cuOccupancyMaxPotentialClusterSize(&number, function, &configuration));
  CUlaunchAttribute cluster = {};
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim = {1, 1, 1};
  configuration.attrs = &cluster;
  configuration.numAttrs = 1;
  CALL(cuOccupancyMaxActiveClusters(&number, function, &configuration));
  char code[sizeof kCode];
  std::memcpy(code, kCode, sizeof kCode);
  CALL(cuLinkAddData_v2(linking, CU_JIT_INPUT_PTX, code, sizeof code, "k", 0, nullptr, nullptr));
  CALL(cuLinkComplete(linking, &made, &size));
  CALL(cuLinkDestroy(linking));
}

void ask_graph() {
  CUgraphEdgeData edge = {};
  CUgraphConditionalHandle handle;
  CALL(cuGraphAddDependencies(graph, &first, &second, 1));
  CALL(cuGraphRemoveDependencies(graph, &first, &second, 1));
  CALL(cuGraphAddDependencies_v2(graph, &first, &second, &edge, 1));
  CALL(cuGraphRemoveDependencies_v2(graph, &first, &second, &edge, 1));
  CALL(cuGraphAddEmptyNode(&node, graph, nullptr, 0));
  CALL(cuGraphAddEventRecordNode(&node, graph, nullptr, 0, event));
  CALL(cuGraphAddEventWaitNode(&node, graph, nullptr, 0, event));
  CALL(cuGraphAddHostNode(&node, graph, nullptr, 0, &host_call));
  CALL(cuGraphConditionalHandleCreate(&handle, graph, context, 0, 0));
  CALL(cuGraphConditionalHandleCreate(&handle, graph, nullptr, 0, 0));
  CALL(cuGraphDebugDotPrint(graph, "/dev/null", 0));
  CALL(cuGraphRetainUserObject(graph, object, 1, 0));
  CALL(cuGraphReleaseUserObject(graph, object, 1));
}

void ask_nodes() {
  CUevent told;
  CUDA_HOST_NODE_PARAMS call = {};
  CUDA_KERNEL_NODE_PARAMS of_launch = {};
  CUDA_MEM_ALLOC_NODE_PARAMS of_memory = {};
  CALL(cuGraphEventRecordNodeGetEvent(recorded, &told));
  CALL(cuGraphEventRecordNodeSetEvent(recorded, earlier));
  CALL(cuGraphEventWaitNodeGetEvent(waited, &told));
  CALL(cuGraphEventWaitNodeSetEvent(waited, earlier));
  CALL(cuGraphHostNodeGetParams(called, &call));
  CALL(cuGraphHostNodeSetParams(called, &host_call));
  CALL(cuGraphKernelNodeGetParams_v2(launched, &of_launch));
  CALL(cuGraphKernelNodeSetParams_v2(launched, &launch));
  CALL(cuGraphMemAllocNodeGetParams(given, &of_memory));
  CALL(cuGraphMemFreeNodeGetParams(taken, &other));
  CALL(cuGraphMemcpyNodeSetParams(copied, &copy));
  CALL(cuGraphMemsetNodeSetParams(filled, &fill));
  CUgraphNodeParams any = {};
  any.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD;
  any.eventRecord.event = event;
  CALL(cuGraphNodeSetParams(recorded, &any));
  CALL(cuGraphExecNodeSetParams(exec, recorded, &any));
}

void ask_exec() {
  unsigned some;
  CALL(cuGraphExecChildGraphNodeSetParams(exec, nested, child));
  CALL(cuGraphExecEventRecordNodeSetEvent(exec, recorded, earlier));
  CALL(cuGraphExecEventWaitNodeSetEvent(exec, waited, earlier));
  CALL(cuGraphExecHostNodeSetParams(exec, called, &host_call));
  CALL(cuGraphExecKernelNodeSetParams_v2(exec, launched, &launch));
  CALL(cuGraphExecMemcpyNodeSetParams(exec, copied, &copy, context));
  CALL(cuGraphExecMemsetNodeSetParams(exec, filled, &fill, context));
  CALL(cuGraphNodeGetEnabled(exec, launched, &some));
  CALL(cuGraphNodeSetEnabled(exec, launched, 1));
}

void ask_memory() {
  CUipcEventHandle of_event;
  CUipcMemHandle of_memory;
  CUmemLocation here = {};
  here.type = CU_MEM_LOCATION_TYPE_DEVICE;
  size_t size = 16, index = 0, failed;
  CUmemcpyAttributes how = {};
  how.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  CUdeviceptr from = bytes, to = bytes + 64, whole = managed;
  size_t page = kBytes;
  CALL(cuIpcGetEventHandle(&of_event, shared_event));
  CALL(cuIpcGetMemHandle(&of_memory, bytes));
  CALL(cuMemAdvise_v2(managed, kBytes, CU_MEM_ADVISE_SET_READ_MOSTLY, here));
  CALL(cuMemAllocManaged(&other, kBytes, CU_MEM_ATTACH_GLOBAL));
  CALL(cuMemPrefetchAsync_v2(managed, kBytes, here, 0, stream));
  CALL(cuMemPrefetchAsync_v2(managed, kBytes, here, 0, nullptr));
  CALL(cuMemPrefetchBatchAsync(&whole, &page, 1, &here, &index, 1, 0, stream));
  CALL(cuMemDiscardBatchAsync(&whole, &page, 1, 0, stream));
  CALL(cuMemDiscardAndPrefetchBatchAsync(&whole, &page, 1, &here, &index, 1, 0, stream));
  CALL(cuMemcpyBatchAsync(&to, &from, &size, 1, &how, &index, 1, &failed, stream));
  CALL(cuMemcpyBatchAsync_v2(&to, &from, &size, 1, &how, &index, 1, stream));
}

// What takes no handle.
void ask_without_handles() {
  int number;
  const char* name;
  void* found;
  CUuserObject made;
  CUdriverProcAddressQueryResult how;
  CALL(cuDriverGetVersion(&number));
  CALL(cuGetErrorName(CUDA_SUCCESS, &name));
  CALL(cuGetErrorString(CUDA_SUCCESS, &name));
  CALL(cuGetProcAddress("cuMemAlloc", &found, 12000, 0));
  CALL(cuGetProcAddress_v2("cuMemAlloc", &found, 12000, 0, &how));
  CALL(cuUserObjectCreate(&made, nullptr, nothing, 2, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
  CALL(cuUserObjectRetain(made, 1));
  CALL(cuUserObjectRelease(made, 1));
  CALL(cuMemAllocManaged(&other, kBytes, CU_MEM_ATTACH_GLOBAL));
  CALL(cuProfilerInitialize("a", "b", CU_OUT_CSV));
}

void ask_events() {
  float milliseconds;
  CALL(cuEventQuery(event));
  CALL(cuEventSynchronize(event));
  CALL(cuEventElapsedTime(&milliseconds, earlier, event));
  CALL(cuEventElapsedTime_v2(&milliseconds, earlier, event));
  CUgraph captured;
  CALL(cuStreamBeginCaptureToGraph(stream, child, nullptr, nullptr, 0,
                                   CU_STREAM_CAPTURE_MODE_RELAXED));
  CALL(cuStreamEndCapture(stream, &captured));
}

void ask_ends() {
  CALL(cuEventDestroy_v2(event));
  CALL(cuStreamDestroy_v2(stream));
  CALL(cuLinkDestroy(unfinished));
  CALL(cuLibraryUnload(library));
  CALL(cuCtxDestroy_v2(context));
}

void in_one_that_is_gone() {
  CUcontext gone = nullptr;
  cuCtxCreate_v2(&gone, 0, 0);
  std::thread([&] { cuCtxDestroy_v2(gone); }).join();
}

}  // namespace

#define IN_THREE_STATES(group) \
  SECTION(group##_here) {      \
    make_all();                \
    ask_##group();             \
  }                            \
  SECTION(group##_without) {   \
    make_all();                \
    cuCtxPopCurrent_v2(&now);  \
    ask_##group();             \
  }                            \
  SECTION(group##_gone) {      \
    make_all();                \
    in_one_that_is_gone();     \
    ask_##group();             \
  }
IN_THREE_STATES(arrays)
IN_THREE_STATES(code)
IN_THREE_STATES(graph)
IN_THREE_STATES(nodes)
IN_THREE_STATES(exec)
IN_THREE_STATES(memory)
IN_THREE_STATES(events)
IN_THREE_STATES(ends)
SECTION(no_handles_here) {
  make_all();
  ask_without_handles();
}
SECTION(no_handles_without) {
  cuInit(0);
  ask_without_handles();
}
SECTION(no_handles_before_cuInit) { ask_without_handles(); }

// The first versions of what waits for values, and writes them: attributes say that they are off.
SECTION(first_memory_operations) {
  make_memory();
  make_parameters();
  int is_there = -1;
  for (int attribute : {92, 93, 94, 122, 123}) {
    VALUE(attribute);
    CALL(cuDeviceGetAttribute(&is_there, CUdevice_attribute(attribute), 0));
    VALUE(is_there);
  }
  CALL(cuStreamWriteValue32(stream, bytes, 1, 0));
  CALL(cuStreamWaitValue32(stream, bytes, 0, CU_STREAM_WAIT_VALUE_GEQ));
  CALL(cuStreamWriteValue64(stream, bytes, 1, 0));
  CALL(cuStreamWaitValue64(stream, bytes, 0, CU_STREAM_WAIT_VALUE_GEQ));
  CALL(cuStreamBatchMemOp(stream, 1, &operation, 0));
  CALL(cuStreamWriteValue32(nullptr, bytes, 1, 0));
  CALL(cuStreamWriteValue32(stream, 0, 1, 0));
  CALL(cuStreamWriteValue32(stream, bytes + 1, 1, 0));
  CALL(cuStreamWriteValue32(stream, bytes, 1, 99));
  CALL(cuStreamWaitValue32(stream, bytes, 0, 99));
  CALL(cuStreamBatchMemOp(stream, 1, nullptr, 0));
  CALL(cuStreamBatchMemOp(stream, 0, nullptr, 0));
  CALL(cuStreamBatchMemOp(stream, 300, &operation, 0));
  CALL(cuStreamWriteValue32_v2(stream, bytes, 1, 0));
  CALL(cuStreamWaitValue32_v2(stream, bytes, 0, CU_STREAM_WAIT_VALUE_GEQ));
  CALL(cuStreamBatchMemOp_v2(stream, 1, &operation, 0));
  CALL(cuGraphCreate(&graph, 0));
  CALL(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  CALL(cuStreamWriteValue32(stream, bytes, 1, 0));
  CALL(cuStreamEndCapture(stream, &child));
  void* found = nullptr;
  CUdriverProcAddressQueryResult how{};
  for (const int version : {8000, 11000, 11060, 11070, 13000}) {
    CUresult(CUDAAPI * write)(CUstream, CUdeviceptr, cuuint32_t, unsigned) = nullptr;
    CALL(cuGetProcAddress_v2("cuStreamWriteValue32", &found, version, 0, &how));
    std::memcpy(&write, &found, sizeof found);
    VALUE(version);
    if (write != nullptr) CALL(write(stream, bytes, 1, 0));
  }
}
