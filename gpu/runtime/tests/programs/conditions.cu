// Conditional nodes: a loop until an iteration converges, a choice with an else, a switch, and one
// inside another.
#include <cmath>

#include "check.hpp"

using Condition = cudaGraphConditionalHandle;

// One step of Newton's method for a square root; the loop goes on while it moves much.
__global__ void newton(double* x, double of, Condition again, int* steps) {
  const double next = 0.5 * (*x + of / *x);
  const bool moved = fabs(next - *x) > 1e-12 * next;
  *x = next;
  ++*steps;
  cudaGraphSetConditional(again, moved);
}
__global__ void choose(const int* number, Condition which) {
  cudaGraphSetConditional(which, static_cast<unsigned>(*number));
}
__global__ void add(int* cell, int value) { *cell += value; }
__global__ void count_down(int* cell, Condition again) {
  *cell -= 1;
  cudaGraphSetConditional(again, *cell > 0);
}

struct Cells {
  double root;
  int steps, number, even, odd, outer, left;
};
static Cells* cells;
static cudaStream_t stream;

static Cells run(cudaGraph_t graph, Cells start, int launches = 1) {
  cudaGraphExec_t executable;
  OK(cudaGraphInstantiate(&executable, graph, 0));
  OK(cudaMemcpy(cells, &start, sizeof start, cudaMemcpyHostToDevice));
  for (int i = 0; i < launches; ++i) OK(cudaGraphLaunch(executable, stream));
  OK(cudaStreamSynchronize(stream));
  OK(cudaMemcpy(&start, cells, sizeof start, cudaMemcpyDeviceToHost));
  OK(cudaGraphExecDestroy(executable));
  OK(cudaGraphDestroy(graph));
  return start;
}

static cudaGraphNode_t conditional(cudaGraph_t graph, const cudaGraphNode_t* after,
                                   Condition condition, cudaGraphConditionalNodeType type,
                                   unsigned size, cudaGraph_t*& bodies) {
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = condition;
  params.conditional.type = type;
  params.conditional.size = size;
  cudaGraphNode_t node;
  OK(cudaGraphAddNode(&node, graph, after, nullptr, after != nullptr, &params));
  bodies = params.conditional.phGraph_out;
  return node;
}

template <typename... Given>
static cudaGraphNode_t kernel(cudaGraph_t graph, const cudaGraphNode_t* after,
                              void (*function)(Given...), Given... given) {
  void* arguments[] = {&given...};
  cudaKernelNodeParams params{};
  params.func = reinterpret_cast<void*>(function);
  params.gridDim = params.blockDim = dim3(1);
  params.kernelParams = arguments;
  cudaGraphNode_t node;
  OK(cudaGraphAddKernelNode(&node, graph, after, after != nullptr, &params));
  return node;
}

static void loops() {
  cudaGraph_t graph, *body;
  Condition again;
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphConditionalHandleCreate(&again, graph, 1, cudaGraphCondAssignDefault));
  conditional(graph, nullptr, again, cudaGraphCondTypeWhile, 1, body);
  OK(cudaStreamBeginCaptureToGraph(stream, body[0], nullptr, nullptr, 0,
                                   cudaStreamCaptureModeGlobal));
  newton<<<1, 1, 0, stream>>>(&cells->root, 2.0, again, &cells->steps);
  cudaGraph_t captured;
  OK(cudaStreamEndCapture(stream, &captured));
  EXPECT(captured == body[0]);
  const Cells end = run(graph, {1.0, 0, 0, 0, 0, 0, 0}, 2);
  EXPECT(std::fabs(end.root - std::sqrt(2.0)) < 1e-14);
  EXPECT(end.steps == 6 + 1);  // the default begins the loop again
}

static void choices() {
  for (int number : {6, 7}) {
    cudaGraph_t graph, *branch;
    Condition odd;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphConditionalHandleCreate(&odd, graph, 0, 0));
    const cudaGraphNode_t first =
        kernel<const int*, Condition>(graph, nullptr, choose, &cells->number, odd);
    const cudaGraphNode_t node = conditional(graph, &first, odd, cudaGraphCondTypeIf, 2, branch);
    kernel(branch[0], nullptr, add, &cells->odd, 1);
    kernel(branch[1], nullptr, add, &cells->even, 1);
    kernel(graph, &node, add, &cells->outer, 5);
    const Cells end = run(graph, {0, 0, number % 2, 0, 0, 0, 0});
    EXPECT(end.odd == number % 2 && end.even == 1 - number % 2 && end.outer == 5);
  }
}

// A switch whose cases are loops.
static void nested() {
  for (int number : {0, 1, 2, 9}) {
    cudaGraph_t graph, *cases, *body;
    Condition which, again[3];
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphConditionalHandleCreate(&which, graph, 0, cudaGraphCondAssignDefault));
    for (Condition& each : again)
      OK(cudaGraphConditionalHandleCreate(&each, graph, 1, cudaGraphCondAssignDefault));
    const cudaGraphNode_t first =
        kernel<const int*, Condition>(graph, nullptr, choose, &cells->number, which);
    conditional(graph, &first, which, cudaGraphCondTypeSwitch, 3, cases);
    for (int i = 0; i < 3; ++i) {
      conditional(cases[i], nullptr, again[i], cudaGraphCondTypeWhile, 1, body);
      const cudaGraphNode_t work = kernel(body[0], nullptr, add, &cells->outer, 10 + i);
      kernel<int*, Condition>(body[0], &work, count_down, &cells->left, again[i]);
    }
    const Cells end = run(graph, {0, 0, number, 0, 0, 0, 4});
    EXPECT(end.outer == (number < 3 ? 4 * (10 + number) : 0));
  }
}

static void refusals() {
  cudaGraph_t graph, *bodies;
  Condition condition;
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphConditionalHandleCreate(&condition, graph, 0, 0));
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = condition;
  params.conditional.type = cudaGraphCondTypeWhile;
  params.conditional.size = 2;
  cudaGraphNode_t node;
  EXPECT_CALL(cudaErrorInvalidValue, cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
  conditional(graph, nullptr, condition, cudaGraphCondTypeWhile, 1, bodies);
  cudaHostNodeParams host{[](void*) {}, nullptr};
  OK(cudaGraphAddHostNode(&node, bodies[0], nullptr, 0, &host));  // bodies are for the device
  cudaGraphExec_t executable;
  EXPECT(cudaGraphInstantiate(&executable, graph, 0) != cudaSuccess);
  cudaGetLastError();
  OK(cudaGraphDestroy(graph));
}

int main() {
  OK(cudaMalloc(&cells, sizeof *cells));
  OK(cudaStreamCreate(&stream));
  loops();
  choices();
  nested();
  refusals();
  std::puts("conditions: ok");
}
