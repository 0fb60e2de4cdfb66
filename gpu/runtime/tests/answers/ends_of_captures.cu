// How captures end: into graphs that the program has, without asking for the graph, and otherwise.
#include "answers.hpp"

__global__ void add(int* to, int value) { *to += value; }

static const char* status_of(cudaStream_t stream) {
  cudaStreamCaptureStatus status;
  const cudaError_t error = cudaStreamIsCapturing(stream, &status);
  if (error != cudaSuccess) return cudaGetErrorName(error);
  return status == cudaStreamCaptureStatusNone     ? "none"
         : status == cudaStreamCaptureStatusActive ? "active"
                                                   : "invalidated";
}
static std::size_t nodes_of(cudaGraph_t graph) {
  std::size_t count = 77;
  return cudaGraphGetNodes(graph, nullptr, &count) == cudaSuccess ? count : 99;
}
static cudaStream_t stream, other;
static int* cell;
static void begin() {
  cudaStreamCreate(&stream);
  cudaStreamCreate(&other);
  cudaMalloc(&cell, 4);
}
constexpr auto kRelaxed = cudaStreamCaptureModeRelaxed;

SECTION(no_graph_wanted) {
  begin();
  cudaGraph_t graph = nullptr, same = nullptr;
  CALL(cudaStreamEndCapture(stream, nullptr));
  CALL(cudaStreamEndCapture(nullptr, nullptr));
  last_error();
  CALL(cudaStreamBeginCapture(stream, kRelaxed));
  add<<<1, 1, 0, stream>>>(cell, 1);
  CALL(cudaStreamEndCapture(stream, nullptr));
  VALUE(status_of(stream));
  CALL(cudaStreamEndCapture(stream, &same));
  VALUE(nodes_of(same));
  CALL(cudaGraphCreate(&graph, 0));
  CALL(cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0, kRelaxed));
  add<<<1, 1, 0, stream>>>(cell, 1);
  VALUE(status_of(stream));
  CALL(cudaStreamEndCapture(stream, nullptr));
  last_error();
  VALUE(status_of(stream)), VALUE(nodes_of(graph));
  CALL(cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0, kRelaxed));
  add<<<1, 1, 0, stream>>>(cell, 1);
  CALL(cudaStreamEndCapture(stream, &same));
  VALUE(same == graph), VALUE(nodes_of(graph));
  CALL(cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0, kRelaxed));
  CALL(cudaStreamEndCapture(other, nullptr));
  VALUE(status_of(stream));
  CALL(cudaStreamEndCapture(stream, nullptr));
  CALL(cudaStreamEndCapture(stream, nullptr));
  last_error();
  cudaGraphExec_t executable = nullptr;
  CALL(cudaGraphInstantiate(&executable, graph, 0));
  CALL(cudaGraphLaunch(executable, stream));
  CALL(cudaStreamSynchronize(stream));
}

SECTION(failed) {
  begin();
  cudaGraph_t graph = nullptr, same = nullptr;
  CALL(cudaGraphCreate(&graph, 0));
  CALL(cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0,
                                     cudaStreamCaptureModeGlobal));
  add<<<1, 1, 0, stream>>>(cell, 1);
  CALL(cudaStreamSynchronize(stream));
  VALUE(status_of(stream));
  CALL(cudaStreamEndCapture(stream, nullptr));
  VALUE(status_of(stream)), VALUE(nodes_of(graph));
  CALL(cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0,
                                     cudaStreamCaptureModeGlobal));
  add<<<1, 1, 0, stream>>>(cell, 1);
  CALL(cudaStreamSynchronize(stream));
  same = graph;
  CALL(cudaStreamEndCapture(stream, &same));
  VALUE(same == nullptr), VALUE(nodes_of(graph));
  cudaEvent_t event;
  cudaEventCreate(&event);
  CALL(cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0, kRelaxed));
  CALL(cudaEventRecord(event, stream));
  CALL(cudaStreamWaitEvent(other, event, 0));
  add<<<1, 1, 0, other>>>(cell, 1);
  CALL(cudaStreamEndCapture(other, nullptr));
  CALL(cudaStreamEndCapture(stream, nullptr));
  VALUE(status_of(stream)), VALUE(status_of(other)), VALUE(nodes_of(graph));
}

SECTION(by_the_driver) {
  CALL(cuInit(0));
  CUcontext context = nullptr;
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
  CUstream in = nullptr;
  CUgraph graph = nullptr;
  cuStreamCreate(&in, 0);
  CALL(cuGraphCreate(&graph, 0));
  CALL(cuStreamEndCapture(in, nullptr));
  CALL(cuStreamBeginCapture(in, CU_STREAM_CAPTURE_MODE_RELAXED));
  CALL(cuStreamEndCapture(in, nullptr));
  CUgraph captured = nullptr;
  CALL(cuStreamEndCapture(in, &captured));
  CALL(cuStreamBeginCaptureToGraph(in, graph, nullptr, nullptr, 0, CU_STREAM_CAPTURE_MODE_RELAXED));
  CALL(cuStreamEndCapture(in, nullptr));
  CALL(cuStreamEndCapture(in, nullptr));
}

// What is known of a node, or a graph, that is no more, when another has its address.
SECTION(gone) {
  begin();
  cudaGraph_t graph = nullptr, clone = nullptr, another = nullptr;
  cudaGraphNode_t node = nullptr, found = nullptr, newer = nullptr;
  CALL(cudaGraphCreate(&graph, 0));
  CALL(cudaGraphAddEmptyNode(&node, graph, nullptr, 0));
  CALL(cudaGraphClone(&clone, graph));
  CALL(cudaGraphNodeFindInClone(&found, node, clone));
  VALUE(found != nullptr);
  CALL(cudaGraphDestroy(graph));
  CALL(cudaGraphCreate(&another, 0));
  CALL(cudaGraphAddEmptyNode(&newer, another, nullptr, 0));
  CALL(cudaGraphNodeFindInClone(&found, newer, clone));
}
