// Graphs, captured from streams and built call by call.
#include <vector>

#include "check.hpp"

__global__ void add(int* to, int value) { to[threadIdx.x] += value; }
__global__ void multiply(int* to, int by) { to[threadIdx.x] *= by; }

static int calls = 0;
static void count(void* by) { calls += *static_cast<int*>(by); }

// Two streams, joined by events.
static void captured() {
  int *data, host[32], one = 1;
  OK(cudaMalloc(&data, sizeof host));
  cudaStream_t first, second;
  cudaEvent_t fork, join;
  OK(cudaStreamCreate(&first));
  OK(cudaStreamCreate(&second));
  OK(cudaEventCreate(&fork));
  OK(cudaEventCreate(&join));
  OK(cudaMemset(data, 0x11, sizeof host));
  OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
  cudaStreamCaptureStatus status;
  OK(cudaStreamIsCapturing(first, &status));
  EXPECT(status == cudaStreamCaptureStatusActive);
  OK(cudaMemsetAsync(data, 0, sizeof host, first));
  for (int value = 1; value < 4; ++value) add<<<1, 32, 0, first>>>(data, value);
  OK(cudaEventRecord(fork, first));
  OK(cudaStreamWaitEvent(second, fork, 0));
  multiply<<<1, 32, 0, second>>>(data, 7);
  OK(cudaEventRecord(join, second));
  OK(cudaStreamWaitEvent(first, join, 0));
  OK(cudaLaunchHostFunc(first, count, &one));
  OK(cudaMemcpyAsync(host, data, sizeof host, cudaMemcpyDeviceToHost, first));
  cudaGraph_t graph;
  OK(cudaStreamEndCapture(first, &graph));
  OK(cudaStreamIsCapturing(second, &status));
  EXPECT(status == cudaStreamCaptureStatusNone);
  EXPECT(calls == 0);
  std::size_t nodes = 0;
  OK(cudaGraphGetNodes(graph, nullptr, &nodes));
  EXPECT(nodes == 7);
  cudaGraphExec_t executable;
  OK(cudaGraphInstantiate(&executable, graph, 0));
  for (int times = 1; times < 4; ++times) {
    host[5] = 0;
    OK(cudaGraphLaunch(executable, first));
    OK(cudaStreamSynchronize(first));
    EXPECT(host[5] == 42 && calls == times);
  }
  OK(cudaGraphExecDestroy(executable));
  OK(cudaGraphDestroy(graph));
  EXPECT_CALL(cudaErrorInvalidValue, cudaGraphDestroy(graph));
  EXPECT_CALL(cudaErrorStreamCaptureUnsupported,
              cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal));
}

// The nodes are made in an order that their edges forbid.
static void built() {
  int *data, host[32], five = 5, three = 3;
  OK(cudaMalloc(&data, sizeof host));
  cudaGraph_t graph;
  OK(cudaGraphCreate(&graph, 0));
  void* arguments[] = {&data, &five};
  cudaKernelNodeParams kernel = {};
  kernel.func = reinterpret_cast<void*>(multiply);
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(32);
  kernel.kernelParams = arguments;
  cudaGraphNode_t last, fill, copy, child;
  OK(cudaGraphAddKernelNode(&last, graph, nullptr, 0, &kernel));
  cudaMemsetParams value = {};
  value.dst = data;
  value.value = 2;
  value.elementSize = 4;
  value.width = 32;
  value.height = 1;
  OK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &value));
  OK(cudaGraphAddDependencies(graph, &fill, &last, nullptr, 1));
  OK(cudaGraphAddMemcpyNode1D(&copy, graph, &last, 1, host, data, sizeof host,
                              cudaMemcpyDeviceToHost));
  std::size_t roots = 0;
  OK(cudaGraphGetRootNodes(graph, nullptr, &roots));
  EXPECT(roots == 1);
  cudaGraph_t outer;
  OK(cudaGraphCreate(&outer, 0));
  OK(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, graph));
  cudaGraphExec_t executable, with_child;
  OK(cudaGraphInstantiate(&executable, graph, 0));
  OK(cudaGraphInstantiate(&with_child, outer, 0));
  OK(cudaGraphLaunch(with_child, nullptr));
  OK(cudaDeviceSynchronize());
  EXPECT(host[31] == 10);
  arguments[1] = &three;
  OK(cudaGraphExecKernelNodeSetParams(executable, last, &kernel));
  OK(cudaGraphLaunch(executable, nullptr));
  OK(cudaDeviceSynchronize());
  EXPECT(host[31] == 6);
  OK(cudaGraphAddDependencies(graph, &copy, &fill, nullptr, 1));
  EXPECT_CALL(cudaErrorInvalidValue, cudaGraphInstantiate(&executable, graph, 0));  // a circle
}

static int *data, host[32];

// Two captures of the same shape: the second one's work in the first one's executable graph.
static cudaGraph_t capture(int factor, bool longer) {
  cudaStream_t stream;
  cudaGraph_t graph;
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OK(cudaMemsetAsync(data, 0, sizeof host, stream));
  add<<<1, 32, 0, stream>>>(data, factor);
  if (longer) add<<<1, 32, 0, stream>>>(data, factor);
  OK(cudaMemcpyAsync(host, data, sizeof host, cudaMemcpyDeviceToHost, stream));
  OK(cudaStreamEndCapture(stream, &graph));
  OK(cudaStreamDestroy(stream));
  return graph;
}

// A call that waits spoils the capture.
static void spoilt() {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaStreamCaptureStatus status;
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  EXPECT_CALL(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(stream));
  OK(cudaStreamIsCapturing(stream, &status));
  EXPECT(status == cudaStreamCaptureStatusInvalidated);
  EXPECT_CALL(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
  OK(cudaStreamIsCapturing(stream, &status));
  EXPECT(status == cudaStreamCaptureStatusNone);
  EXPECT_CALL(cudaErrorStreamCaptureInvalidated, cudaGetLastError());
}

static void updated() {
  OK(cudaMalloc(&data, sizeof host));
  const cudaGraph_t first = capture(3, false), second = capture(8, false), other = capture(8, true);
  cudaGraphExec_t executable;
  cudaGraphExecUpdateResultInfo info;
  OK(cudaGraphInstantiate(&executable, first, 0));
  OK(cudaGraphExecUpdate(executable, second, &info));
  EXPECT(info.result == cudaGraphExecUpdateSuccess);
  OK(cudaGraphLaunch(executable, nullptr));
  OK(cudaDeviceSynchronize());
  EXPECT(host[31] == 8);
  EXPECT_CALL(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(executable, other, &info));
  EXPECT(info.result == cudaGraphExecUpdateErrorTopologyChanged);
  EXPECT_CALL(cudaErrorGraphExecUpdateFailure, cudaGetLastError());

  std::size_t edges = 0, nodes = 0;
  OK(cudaGraphGetEdges(other, nullptr, nullptr, nullptr, &edges));
  OK(cudaGraphGetNodes(other, nullptr, &nodes));
  EXPECT(nodes == 4 && edges == 3);
  cudaGraphNode_t from[3], to[3], in_clone, before;
  OK(cudaGraphGetEdges(other, from, to, nullptr, &edges));
  cudaGraphNodeType type;
  OK(cudaGraphNodeGetType(to[0], &type));
  EXPECT(type == cudaGraphNodeTypeKernel);
  std::size_t count = 1;
  OK(cudaGraphNodeGetDependencies(to[0], &before, nullptr, &count));
  EXPECT(count == 1 && before == from[0]);
  OK(cudaGraphNodeGetDependentNodes(from[0], &before, nullptr, &count));
  EXPECT(count == 1 && before == to[0]);

  cudaGraph_t clone;
  OK(cudaGraphClone(&clone, other));
  OK(cudaGraphNodeFindInClone(&in_clone, to[0], clone));
  EXPECT(in_clone != to[0]);
  OK(cudaGraphDestroyNode(in_clone));  // the clone's alone
  OK(cudaGraphGetNodes(clone, nullptr, &nodes));
  EXPECT(nodes == 3);
  OK(cudaGraphGetNodes(other, nullptr, &nodes));
  EXPECT(nodes == 4);
}

int main() {
  captured();
  built();
  updated();
  spoilt();
  std::puts("ok");
}
