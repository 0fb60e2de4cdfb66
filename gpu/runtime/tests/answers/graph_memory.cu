// Memory that nodes of graphs allocate: what is shared between nodes and graphs, and what the
// device's attributes tell of it.
#include "answers.hpp"

static cudaStream_t streams[4];
static void begin() {
  cudaFree(nullptr);
  for (cudaStream_t& stream : streams) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
}

// In MiB: used now and at most, reserved now and at most.
static void footprint(const char* when) {
  unsigned long long told[4] = {};
  for (int i = 0; i < 4; ++i)
    cudaDeviceGetGraphMemAttribute(0, static_cast<cudaGraphMemAttributeType>(i), &told[i]);
  std::printf("%s: used %g, at most %g; reserved %g, at most %g\n", when, told[0] / 1048576.0,
              told[1] / 1048576.0, told[2] / 1048576.0, told[3] / 1048576.0);
}
static void trim() {
  CALL(cudaDeviceSynchronize());
  CALL(cudaDeviceGraphMemTrim(0));
  footprint("trimmed");
}

static cudaGraphNode_t take(cudaGraph_t graph, std::size_t bytes, void** address,
                            std::vector<cudaGraphNode_t> after = {}) {
  cudaMemAllocNodeParams params{};
  params.poolProps.allocType = cudaMemAllocationTypePinned;
  params.poolProps.location = {cudaMemLocationTypeDevice, 0};
  params.bytesize = bytes;
  cudaGraphNode_t node = nullptr;
  const cudaError_t error =
      cudaGraphAddMemAllocNode(&node, graph, after.data(), after.size(), &params);
  if (error != cudaSuccess) std::printf("alloc node: %s\n", cudaGetErrorName(error));
  *address = params.dptr;
  return node;
}
static cudaGraphNode_t give(cudaGraph_t graph, void* address, std::vector<cudaGraphNode_t> after) {
  cudaGraphNode_t node = nullptr;
  const cudaError_t error =
      cudaGraphAddMemFreeNode(&node, graph, after.data(), after.size(), address);
  if (error != cudaSuccess) std::printf("free node: %s\n", cudaGetErrorName(error));
  return node;
}
static cudaGraph_t new_graph() {
  cudaGraph_t graph = nullptr;
  cudaGraphCreate(&graph, 0);
  return graph;
}
static cudaGraphExec_t ready(cudaGraph_t graph, unsigned long long flags = 0) {
  cudaGraphExec_t made = nullptr;
  const cudaError_t error = cudaGraphInstantiate(&made, graph, flags);
  if (error != cudaSuccess) std::printf("instantiate: %s\n", cudaGetErrorName(error));
  return made;
}
// Allocates, and frees where `frees`.
static cudaGraph_t simple(std::size_t bytes, bool frees, void** address) {
  const cudaGraph_t graph = new_graph();
  const cudaGraphNode_t taken = take(graph, bytes, address);
  if (frees) give(graph, *address, {taken});
  return graph;
}
constexpr std::size_t kMiB = 1 << 20;

SECTION(within_a_graph) {
  begin();
  const cudaGraph_t graph = new_graph();
  void *a, *b, *c, *d, *e;
  const auto a1 = take(graph, 64 * kMiB, &a), a2 = give(graph, a, {a1});
  const auto b1 = take(graph, 64 * kMiB, &b, {a2});
  VALUE(b == a);
  const auto c1 = take(graph, 64 * kMiB, &c, {b1});
  VALUE(c == b);
  const auto b2 = give(graph, b, {c1});
  const auto c2 = give(graph, c, {b2});
  const auto d1 = take(graph, 32 * kMiB, &d, {c2});
  VALUE(d == a), VALUE(d == c);
  const auto e1 = take(graph, 32 * kMiB, &e, {c2});
  VALUE(e == a), VALUE(e == c), VALUE(e == d);
  VALUE(static_cast<char*>(e) - static_cast<char*>(d));
  give(graph, d, {d1});
  give(graph, e, {e1});
  footprint("built");
  const auto executable = ready(graph);
  footprint("ready");
  CALL(cudaGraphUpload(executable, streams[0]));
  CALL(cudaStreamSynchronize(streams[0]));
  footprint("uploaded");
  CALL(cudaGraphLaunch(executable, streams[0]));
  CALL(cudaStreamSynchronize(streams[0]));
  footprint("launched");
  CALL(cudaGraphLaunch(executable, streams[0]));
  CALL(cudaStreamSynchronize(streams[0]));
  footprint("launched again");
  trim();
  CALL(cudaGraphExecDestroy(executable));
  footprint("executable gone");
  trim();
  CALL(cudaGraphDestroy(graph));
  footprint("graph gone");
}

SECTION(addresses) {
  begin();
  void *a, *b, *c;
  const cudaGraph_t graph = new_graph();
  const auto a1 = take(graph, 100, &a);
  const auto b1 = take(graph, 100, &b, {a1});
  const auto b2 = give(graph, b, {b1});
  const auto c1 = take(graph, 100, &c, {b2});
  VALUE(c == b), VALUE(c == a);
  (void)c1;
  const auto unordered = take(graph, 100, &b);
  VALUE(b == a), VALUE(b == c);
  (void)unordered;
  void *small, *large;
  const cudaGraph_t other = new_graph();
  const auto s1 = take(other, 1000, &small), s2 = give(other, small, {s1});
  take(other, 100 * kMiB, &large, {s2});
  VALUE(small == large);
  void *p, *q;
  const cudaGraph_t third = simple(64 * kMiB, true, &p), fourth = simple(64 * kMiB, true, &q);
  VALUE(p == q);
  CALL(cudaGraphDestroy(fourth));
  simple(64 * kMiB, true, &b);
  VALUE(b == q), VALUE(b == p);
  (void)third;
}

SECTION(between_graphs) {
  begin();
  void* address[4];
  cudaGraphExec_t made[4];
  for (int i = 0; i < 4; ++i) made[i] = ready(simple(64 * kMiB, true, &address[i]));
  VALUE(address[0] == address[1]);
  footprint("ready");
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 4; ++i) {
      cudaGraphLaunch(made[i], streams[0]);
      footprint("launched in one stream");
    }
  trim();
  for (int i = 0; i < 4; ++i) {
    cudaGraphLaunch(made[i], streams[0]);
    cudaStreamSynchronize(streams[0]);
  }
  footprint("launched one after another");
  CALL(cudaGraphExecDestroy(made[0]));
  footprint("one gone");
  CALL(cudaGraphExecDestroy(made[1]));
  CALL(cudaGraphExecDestroy(made[2]));
  CALL(cudaGraphExecDestroy(made[3]));
  footprint("all gone");
  trim();
}

static void CUDART_CB hold(void* flag) {
  while (!*static_cast<volatile bool*>(flag)) usleep(100);
}
SECTION(several_streams) {
  begin();
  bool released = false;
  void* address[4];
  cudaGraphExec_t made[4];
  for (int i = 0; i < 4; ++i) {
    const cudaGraph_t graph = new_graph();
    const auto taken = take(graph, 64 * kMiB, &address[i]);
    cudaHostNodeParams host{hold, &released};
    cudaGraphNode_t waits = nullptr;
    cudaGraphAddHostNode(&waits, graph, &taken, 1, &host);
    give(graph, address[i], {waits});
    made[i] = ready(graph);
  }
  for (int i = 0; i < 4; ++i) {
    cudaGraphLaunch(made[i], streams[i]);
    footprint("launched in its own stream");
  }
  released = true;
  CALL(cudaDeviceSynchronize());
  footprint("done");
  for (int i = 0; i < 4; ++i) cudaGraphLaunch(made[i], streams[0]);
  footprint("again, in one stream");
  trim();
}

SECTION(not_freed) {
  begin();
  void* address[3];
  cudaGraphExec_t made[3];
  for (int i = 0; i < 3; ++i) made[i] = ready(simple(64 * kMiB, false, &address[i]));
  for (int i = 0; i < 3; ++i) {
    CALL(cudaGraphLaunch(made[i], streams[0]));
    footprint("launched");
  }
  trim();
  CALL(cudaGraphLaunch(made[0], streams[0]));
  CALL(cudaFreeAsync(address[0], streams[0]));
  footprint("one freed");
  CALL(cudaStreamSynchronize(streams[0]));
  footprint("and waited for");
  CALL(cudaFree(address[1]));
  footprint("two freed");
  trim();
  CALL(cudaFree(address[1]));
  CALL(cudaFreeAsync(address[1], streams[0]));
  CALL(cudaGraphLaunch(made[0], streams[0]));
  footprint("one launched");
  CALL(cudaGraphExecDestroy(made[2]));
  footprint("executable gone");
  trim();
  CALL(cudaFree(address[2]));
  trim();
  CALL(cudaMemset(address[2], 0, 4));
  last_error();
  unsigned long long zero = 0;
  CALL(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero));
  footprint("used forgotten");
  CALL(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrReservedMemHigh, &zero));
  footprint("reserved forgotten");
  CALL(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &zero));
}

SECTION(freed_at_launch) {
  begin();
  void* address;
  const auto made =
      ready(simple(40 * kMiB, false, &address), cudaGraphInstantiateFlagAutoFreeOnLaunch);
  for (int i = 0; i < 3; ++i) {
    CALL(cudaGraphLaunch(made, streams[0]));
    CALL(cudaStreamSynchronize(streams[0]));
    footprint("launched");
  }
  CALL(cudaGraphExecDestroy(made));
  footprint("executable gone");
  trim();
}

SECTION(sizes) {
  begin();
  for (std::size_t bytes : {std::size_t{1}, std::size_t{1000}, kMiB, 2 * kMiB, 2 * kMiB + 1,
                            20 * kMiB, 32 * kMiB, 33 * kMiB, 100 * kMiB}) {
    void* address;
    const cudaGraph_t graph = simple(bytes, false, &address);
    const auto made = ready(graph);
    cudaGraphLaunch(made, streams[0]);
    std::printf("%zu bytes: ", bytes);
    footprint("launched");
    cudaFree(address);
    std::printf("%zu bytes: ", bytes);
    footprint("freed");
    cudaGraphExecDestroy(made);
    cudaGraphDestroy(graph);
    cudaDeviceSynchronize();
    cudaDeviceGraphMemTrim(0);
    unsigned long long zero = 0;
    cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero);
    cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrReservedMemHigh, &zero);
    footprint("trimmed");
  }
  void *a, *b;
  const cudaGraph_t two = new_graph();
  take(two, 1000, &a);
  take(two, 3 * kMiB, &b);
  cudaGraphLaunch(ready(two), streams[0]);
  footprint("1000 bytes and 3 MiB");
}

SECTION(captured) {
  begin();
  void *a, *b, *c;
  cudaGraph_t graph = nullptr;
  CALL(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeRelaxed));
  CALL(cudaMallocAsync(&a, 64 * kMiB, streams[0]));
  CALL(cudaFreeAsync(a, streams[0]));
  CALL(cudaMallocAsync(&b, 64 * kMiB, streams[0]));
  CALL(cudaMallocAsync(&c, 64 * kMiB, streams[0]));
  VALUE(a == b), VALUE(b == c);
  CALL(cudaFreeAsync(b, streams[0]));
  CALL(cudaFreeAsync(c, streams[0]));
  CALL(cudaStreamEndCapture(streams[0], &graph));
  const auto made = ready(graph);
  CALL(cudaGraphLaunch(made, streams[0]));
  footprint("launched");
  CALL(cudaDeviceSynchronize());
  trim();
}

SECTION(made_again) {
  begin();
  int failures = 0;
  void* address;
  for (int i = 0; i < 50; ++i) {
    const cudaGraph_t graph = simple(4096, true, &address);
    cudaGraphExec_t made = nullptr;
    failures += cudaGraphInstantiate(&made, graph, 0) != cudaSuccess;
    failures += cudaGraphDestroy(graph) != cudaSuccess;
    failures += cudaGraphLaunch(made, streams[0]) != cudaSuccess;
    if (i % 2 == 0) failures += cudaGraphExecDestroy(made) != cudaSuccess;
  }
  VALUE(failures);
  footprint("made again");
  trim();
}

SECTION(strangers) {
  begin();
  void *a, *b;
  const cudaGraph_t graph = new_graph(), other = new_graph();
  const auto taken = take(graph, 4096, &a);
  cudaGraphNode_t node = nullptr;
  CALL(cudaMalloc(&b, 4096));
  CALL(cudaGraphAddMemFreeNode(&node, other, nullptr, 0, b));
  CALL(cudaGraphAddMemFreeNode(&node, other, nullptr, 0, a));
  CALL(cudaGraphAddMemFreeNode(&node, graph, nullptr, 0, a));
  CALL(cudaGraphAddMemFreeNode(&node, graph, &taken, 1, static_cast<char*>(a) + 16));
  CALL(cudaGraphAddMemFreeNode(&node, graph, &taken, 1, a));
  CALL(cudaGraphAddMemFreeNode(&node, graph, &taken, 1, a));
  CALL(cudaGraphDestroyNode(node));
  CALL(cudaGraphDestroyNode(taken));
  CALL(cudaFree(a));
  CALL(cudaFreeAsync(a, streams[0]));
  CALL(cudaMemset(a, 0, 16));
  const auto first = ready(graph);
  cudaGraphExec_t second = nullptr;
  CALL(cudaGraphInstantiate(&second, graph, 0));
  CALL(cudaGraphExecDestroy(first));
  CALL(cudaGraphInstantiate(&second, graph, 0));
  CALL(cudaGraphAddChildGraphNode(&node, other, nullptr, 0, graph));
}
