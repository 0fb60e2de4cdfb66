// Nodes of graphs: what is told of them and changed, before and after the graph is made ready.
#include <cstring>

#include "check.hpp"

__global__ void add(int* cell, int value) { *cell += value; }

static int* cell;

static int now() {
  int value = 0;
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpy(&value, cell, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

static cudaKernelNodeParams adding(void** arguments) {
  cudaKernelNodeParams params = {};
  params.func = reinterpret_cast<void*>(add);
  params.gridDim = params.blockDim = 1;
  params.kernelParams = arguments;
  return params;
}

static void kernels() {
  cudaGraph_t graph;
  cudaGraphNode_t node;
  cudaGraphExec_t ready;
  int value = 5;
  void* arguments[] = {&cell, &value};
  cudaKernelNodeParams params = adding(arguments), told = {};
  OK(cudaMemset(cell, 0, 4));
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
  value = 8;
  OK(cudaGraphKernelNodeGetParams(node, &told));
  EXPECT(told.func == params.func && *static_cast<int*>(told.kernelParams[1]) == 5);
  OK(cudaGraphKernelNodeSetParams(node, &params));
  OK(cudaGraphInstantiate(&ready, graph, 0));
  OK(cudaGraphLaunch(ready, nullptr));
  EXPECT(now() == 8);
  unsigned enabled = 0;
  OK(cudaGraphNodeGetEnabled(ready, node, &enabled));
  EXPECT(enabled == 1);
  OK(cudaGraphNodeSetEnabled(ready, node, 0));
  OK(cudaGraphLaunch(ready, nullptr));
  EXPECT(now() == 8);
  params.gridDim = 0;
  EXPECT_CALL(cudaErrorInvalidValue, cudaGraphKernelNodeSetParams(node, &params));
  cudaLaunchAttributeValue attribute = {};
  attribute.priority = -2;
  OK(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributePriority, &attribute));
  attribute = {};
  OK(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributePriority, &attribute));
  EXPECT(attribute.priority == -2);
  OK(cudaGraphExecDestroy(ready));
  OK(cudaGraphDestroy(graph));
}

static void of_every_kind() {
  cudaGraph_t graph, inner;
  cudaGraphNode_t fill, kernel, copy, record, in_child, child;
  cudaGraphExec_t ready;
  cudaEvent_t event, told_event;
  int value = 20, back = 0;
  void* arguments[] = {&cell, &value};
  OK(cudaEventCreate(&event));
  OK(cudaGraphCreate(&graph, 0));
  cudaGraphNodeParams params = {};
  params.type = cudaGraphNodeTypeMemset;
  params.memset.dst = cell;
  params.memset.value = 7;
  params.memset.elementSize = 4;
  params.memset.width = params.memset.height = 1;
  OK(cudaGraphAddNode(&fill, graph, nullptr, nullptr, 0, &params));
  params = {};
  params.type = cudaGraphNodeTypeKernel;
  params.kernel.func = reinterpret_cast<void*>(add);
  params.kernel.gridDim = params.kernel.blockDim = 1;
  params.kernel.kernelParams = arguments;
  OK(cudaGraphAddNode(&kernel, graph, &fill, nullptr, 1, &params));
  OK(cudaGraphCreate(&inner, 0));
  cudaKernelNodeParams adds = adding(arguments);
  OK(cudaGraphAddKernelNode(&in_child, inner, nullptr, 0, &adds));
  OK(cudaGraphAddChildGraphNode(&child, graph, &kernel, 1, inner));
  OK(cudaGraphAddMemcpyNode1D(&copy, graph, &child, 1, &back, cell, 4, cudaMemcpyDeviceToHost));
  OK(cudaGraphAddEventRecordNode(&record, graph, &copy, 1, event));
  OK(cudaGraphEventRecordNodeGetEvent(record, &told_event));
  EXPECT(told_event == event);
  cudaMemcpy3DParms box = {};
  OK(cudaGraphMemcpyNodeGetParams(copy, &box));
  EXPECT(box.extent.width == 4 && box.dstPtr.ptr == &back && box.kind == cudaMemcpyDeviceToHost);
  OK(cudaGraphInstantiate(&ready, graph, 0));
  OK(cudaGraphLaunch(ready, nullptr));
  OK(cudaEventSynchronize(event));
  EXPECT(back == 47);
  params.type = cudaGraphNodeTypeKernel;
  value = 100;
  OK(cudaGraphExecNodeSetParams(ready, kernel, &params));
  OK(cudaGraphLaunch(ready, nullptr));
  EXPECT(now() == 127);
  EXPECT_CALL(cudaErrorInvalidValue, cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, &back, cell,
                                                              0, cudaMemcpyDeviceToHost));
}

static void memory() {
  cudaGraph_t graph, clone;
  cudaGraphNode_t taken, filled, copied, given;
  cudaGraphExec_t ready, second;
  OK(cudaGraphCreate(&graph, 0));
  cudaMemAllocNodeParams allocate = {};
  allocate.poolProps.allocType = cudaMemAllocationTypePinned;
  allocate.poolProps.location = {cudaMemLocationTypeDevice, 0};
  allocate.bytesize = 4096;
  OK(cudaGraphAddMemAllocNode(&taken, graph, nullptr, 0, &allocate));
  cudaMemsetParams fill = {};
  fill.dst = allocate.dptr;
  fill.value = 9;
  fill.elementSize = 4;
  fill.width = 4;
  fill.height = 1;
  OK(cudaGraphAddMemsetNode(&filled, graph, &taken, 1, &fill));
  OK(cudaGraphAddMemcpyNode1D(&copied, graph, &filled, 1, cell, allocate.dptr, 16,
                              cudaMemcpyDeviceToDevice));
  OK(cudaGraphAddMemFreeNode(&given, graph, &copied, 1, allocate.dptr));
  EXPECT_CALL(cudaErrorNotSupported, cudaGraphClone(&clone, graph));
  OK(cudaGraphInstantiate(&ready, graph, 0));
  EXPECT_CALL(cudaErrorNotSupported, cudaGraphInstantiate(&second, graph, 0));
  OK(cudaGraphLaunch(ready, nullptr));
  OK(cudaGraphLaunch(ready, nullptr));
  EXPECT(now() == 9);

  cudaGraph_t leaking;
  OK(cudaGraphCreate(&leaking, 0));
  OK(cudaGraphAddMemAllocNode(&taken, leaking, nullptr, 0, &allocate));
  OK(cudaGraphInstantiate(&second, leaking, 0));
  OK(cudaGraphLaunch(second, nullptr));
  EXPECT_CALL(cudaErrorInvalidValue, cudaGraphLaunch(second, nullptr));
  OK(cudaFree(allocate.dptr));
  OK(cudaGraphLaunch(second, nullptr));

  cudaStream_t stream;
  cudaGraph_t captured;
  void* pointer = nullptr;
  std::size_t nodes = 0;
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  OK(cudaMallocAsync(&pointer, 1000, stream));
  OK(cudaMemsetAsync(pointer, 0, 1000, stream));
  OK(cudaFreeAsync(pointer, stream));
  OK(cudaStreamEndCapture(stream, &captured));
  OK(cudaGraphGetNodes(captured, nullptr, &nodes));
  EXPECT(nodes == 3);
}

// A capture that the program looks at, and adds a node to.
static void capture() {
  cudaStream_t stream;
  cudaGraph_t graph, captured = nullptr;
  cudaGraphNode_t node;
  cudaGraphExec_t ready;
  cudaStreamCaptureStatus status;
  unsigned long long id = 0;
  const cudaGraphNode_t* after = nullptr;
  std::size_t count = 0;
  OK(cudaMemset(cell, 0, 4));
  OK(cudaDeviceSynchronize());
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  EXPECT_CALL(cudaErrorIllegalState, cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  add<<<1, 1, 0, stream>>>(cell, 1);
  OK(cudaStreamGetCaptureInfo(stream, &status, &id, &captured, &after, nullptr, &count));
  EXPECT(status == cudaStreamCaptureStatusActive && captured != nullptr && count == 1);
  int value = 10;
  void* arguments[] = {&cell, &value};
  cudaKernelNodeParams params = adding(arguments);
  OK(cudaGraphAddKernelNode(&node, captured, after, count, &params));
  OK(cudaStreamUpdateCaptureDependencies(stream, &node, nullptr, 1,
                                         cudaStreamSetCaptureDependencies));
  add<<<1, 1, 0, stream>>>(cell, 100);
  OK(cudaStreamEndCapture(stream, &graph));
  EXPECT(graph == captured);
  OK(cudaGraphInstantiate(&ready, graph, 0));
  OK(cudaGraphLaunch(ready, stream));
  EXPECT(now() == 111);
}

static int destroyed;
static void objects() {
  cudaGraph_t graph;
  cudaUserObject_t object;
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaUserObjectCreate(
      &object, &destroyed, [](void* count) { ++*static_cast<int*>(count); }, 1,
      cudaUserObjectNoDestructorSync));
  OK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
  EXPECT(destroyed == 0);
  OK(cudaGraphReleaseUserObject(graph, object, 1));
  for (int i = 0; i < 1000 && destroyed == 0; ++i) OK(cudaDeviceSynchronize());
  EXPECT(destroyed == 1);
}

int main() {
  OK(cudaMalloc(&cell, 64));
  kernels();
  of_every_kind();
  memory();
  capture();
  objects();
  std::puts("graph nodes: ok");
}
