// Conditional nodes of graphs: which can be made, and when their bodies run.
#include "answers.hpp"

__global__ void set(cudaGraphConditionalHandle handle, unsigned value) {
  cudaGraphSetConditional(handle, value);
}
__global__ void count_down(cudaGraphConditionalHandle handle, int* cells) {
  cells[0] += 1;
  cells[1] -= 1;
  cudaGraphSetConditional(handle, cells[1] > 0);
}
__global__ void add(int* cell, int value) { *cell += value; }

static int* cells;
static void show(const char* what) {
  int host[4];
  cudaDeviceSynchronize();
  cudaMemcpy(host, cells, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%s: %d %d %d %d, %s\n", what, host[0], host[1], host[2], host[3],
              cudaGetErrorName(cudaGetLastError()));
}
static void start(int second = 0) {
  int host[4] = {0, second, 0, 0};
  cudaMemcpy(cells, host, sizeof host, cudaMemcpyHostToDevice);
}
static cudaGraphNode_t kernel(cudaGraph_t graph, cudaGraphNode_t after, void* function,
                              void** args) {
  cudaGraphNodeParams p{};
  p.type = cudaGraphNodeTypeKernel;
  p.kernel.func = function;
  p.kernel.gridDim = p.kernel.blockDim = dim3(1);
  p.kernel.kernelParams = args;
  cudaGraphNode_t node = nullptr;
  CALL(cudaGraphAddNode(&node, graph, after ? &after : nullptr, nullptr, after ? 1 : 0, &p));
  return node;
}
static cudaGraphNode_t conditional(cudaGraph_t graph, cudaGraphNode_t after,
                                   cudaGraphConditionalHandle handle,
                                   cudaGraphConditionalNodeType type, unsigned size,
                                   cudaGraph_t*& bodies) {
  cudaGraphNodeParams p{};
  p.type = cudaGraphNodeTypeConditional;
  p.conditional.handle = handle;
  p.conditional.type = type;
  p.conditional.size = size;
  cudaGraphNode_t node = nullptr;
  CALL(cudaGraphAddNode(&node, graph, after ? &after : nullptr, nullptr, after ? 1 : 0, &p));
  bodies = p.conditional.phGraph_out;
  return node;
}

SECTION(making) {
  cudaGraph_t graph, *bodies = nullptr;
  cudaGraphConditionalHandle handle = 0, second = 0;
  CALL(cudaGraphCreate(&graph, 0));
  CALL(cudaGraphConditionalHandleCreate(nullptr, graph, 1, cudaGraphCondAssignDefault));
  CALL(cudaGraphConditionalHandleCreate(&handle, nullptr, 1, cudaGraphCondAssignDefault));
  CALL(cudaGraphConditionalHandleCreate(&handle, graph, 1, 2));
  CALL(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
  CALL(cudaGraphConditionalHandleCreate(&second, graph, 0, 0));
  VALUE(handle != second);
  cudaGraphExec_t executable;
  CALL(cudaGraphInstantiate(&executable, graph, 0));
  conditional(graph, nullptr, 0, cudaGraphCondTypeIf, 1, bodies);
  conditional(graph, nullptr, 12345, cudaGraphCondTypeIf, 1, bodies);
  conditional(graph, nullptr, handle, cudaGraphCondTypeIf, 0, bodies);
  conditional(graph, nullptr, handle, cudaGraphCondTypeIf, 3, bodies);
  conditional(graph, nullptr, handle, cudaGraphCondTypeWhile, 2, bodies);
  conditional(graph, nullptr, handle, cudaGraphCondTypeSwitch, 0, bodies);
  conditional(graph, nullptr, handle, static_cast<cudaGraphConditionalNodeType>(3), 1, bodies);
  cudaGraphNode_t node = conditional(graph, nullptr, handle, cudaGraphCondTypeIf, 2, bodies);
  VALUE(bodies != nullptr), VALUE(bodies[0] != bodies[1]);
  cudaGraphNodeType type;
  CALL(cudaGraphNodeGetType(node, &type));
  VALUE(type);
  conditional(graph, nullptr, handle, cudaGraphCondTypeIf, 1, bodies);
  std::size_t nodes = 77;
  CALL(cudaGraphGetNodes(graph, nullptr, &nodes));
  VALUE(nodes);
  CALL(cudaGraphGetNodes(bodies[0], nullptr, &nodes));
  VALUE(nodes);
  cudaGraphNode_t inner;
  cudaHostNodeParams host{[](void*) {}, nullptr};
  CALL(cudaGraphAddHostNode(&inner, bodies[0], nullptr, 0, &host));
  CALL(cudaGraphAddEmptyNode(&inner, bodies[0], nullptr, 0));
  cudaEvent_t event;
  cudaEventCreate(&event);
  CALL(cudaGraphAddEventRecordNode(&inner, bodies[0], nullptr, 0, event));
  cudaGraph_t clone;
  CALL(cudaGraphClone(&clone, graph));
  CALL(cudaGraphDestroy(bodies[0]));
  cudaGraph_t child;
  CALL(cudaGraphCreate(&child, 0));
  CALL(cudaGraphAddChildGraphNode(&inner, child, nullptr, 0, graph));
  CALL(cudaGraphInstantiate(&executable, graph, 0));
  CALL(cudaGraphInstantiate(&executable, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  CALL(cudaGraphDestroyNode(node));
  CALL(cudaGraphDebugDotPrint(graph, "/dev/stdout", 0));
}

SECTION(running) {
  cudaMalloc(&cells, 16);
  cudaGraph_t graph, *bodies = nullptr;
  cudaGraphExec_t executable;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  // If with else, by a kernel before it.
  for (unsigned value : {0u, 1u, 5u}) {
    cudaGraphConditionalHandle handle;
    CALL(cudaGraphCreate(&graph, 0));
    CALL(cudaGraphConditionalHandleCreate(&handle, graph, 0, cudaGraphCondAssignDefault));
    void* args[] = {&handle, &value};
    cudaGraphNode_t first = kernel(graph, nullptr, reinterpret_cast<void*>(set), args);
    conditional(graph, first, handle, cudaGraphCondTypeIf, 2, bodies);
    int* at[] = {cells, cells + 2};
    for (int i = 0; i < 2; ++i) {
      int one = 1;
      void* more[] = {&at[i], &one};
      kernel(bodies[i], nullptr, reinterpret_cast<void*>(add), more);
    }
    CALL(cudaGraphInstantiate(&executable, graph, 0));
    start();
    CALL(cudaGraphLaunch(executable, stream));
    CALL(cudaGraphLaunch(executable, stream));
    show("if");
  }
  // While: a default, then what the body sets.
  for (unsigned flags : {1u, 0u}) {
    cudaGraphConditionalHandle handle;
    CALL(cudaGraphCreate(&graph, 0));
    CALL(cudaGraphConditionalHandleCreate(&handle, graph, 1, flags));
    conditional(graph, nullptr, handle, cudaGraphCondTypeWhile, 1, bodies);
    void* args[] = {&handle, &cells};
    CALL(cudaStreamBeginCaptureToGraph(stream, bodies[0], nullptr, nullptr, 0,
                                       cudaStreamCaptureModeRelaxed));
    count_down<<<1, 1, 0, stream>>>(handle, cells);
    cudaGraph_t same;
    CALL(cudaStreamEndCapture(stream, &same));
    VALUE(same == bodies[0]);
    (void)args;
    CALL(cudaGraphInstantiate(&executable, graph, 0));
    for (int n : {5, 1, 0}) {
      start(n);
      CALL(cudaGraphLaunch(executable, stream));
      show("while");
    }
  }
  // Switch, inside and outside.
  for (unsigned value : {0u, 2u, 3u, 4u}) {
    cudaGraphConditionalHandle handle;
    CALL(cudaGraphCreate(&graph, 0));
    CALL(cudaGraphConditionalHandleCreate(&handle, graph, value, cudaGraphCondAssignDefault));
    conditional(graph, nullptr, handle, cudaGraphCondTypeSwitch, 4, bodies);
    for (int i = 0; i < 4; ++i) {
      int* at = cells + i;
      int one = 1;
      void* more[] = {&at, &one};
      kernel(bodies[i], nullptr, reinterpret_cast<void*>(add), more);
    }
    CALL(cudaGraphInstantiate(&executable, graph, 0));
    start();
    CALL(cudaGraphLaunch(executable, stream));
    show("switch");
  }
}

SECTION(strangers) {
  cudaMalloc(&cells, 16);
  set<<<1, 1>>>(0, 1);
  CALL(cudaDeviceSynchronize());
}
SECTION(strangers_number) {
  set<<<1, 1>>>(12345, 1);
  CALL(cudaDeviceSynchronize());
}
SECTION(outside_of_a_graph) {
  cudaGraph_t graph;
  cudaGraphConditionalHandle handle;
  cudaGraphCreate(&graph, 0);
  CALL(cudaGraphConditionalHandleCreate(&handle, graph, 1, 0));
  set<<<1, 1>>>(handle, 1);
  CALL(cudaDeviceSynchronize());
}
