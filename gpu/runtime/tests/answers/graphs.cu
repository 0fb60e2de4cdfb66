// Graphs: every kind of node, what is told of nodes and set on them, executable graphs and their
// updates.
#include <fcntl.h>

#include <algorithm>
#include <fstream>
#include <regex>

#include "answers.hpp"

__global__ void add(int* cell, int value) { *cell += value; }
__global__ void set(int* cell, int value) { *cell = value; }
__global__ void other(float* cell, float value, int n) { *cell = value * n; }
__device__ int variable[16];
static int* cell;
static int host_count;
static void CUDART_CB count_up(void* data) { host_count += *static_cast<int*>(data); }
static int one = 1, ten = 10;

static int now() {
  int told = -77;
  cudaDeviceSynchronize();
  cudaMemcpy(&told, cell, 4, cudaMemcpyDeviceToHost);
  return told;
}
static void start() {
  cudaMalloc(&cell, 1024);
  cudaMemset(cell, 0, 1024);
}
static cudaKernelNodeParams kernel(void* function, void** arguments, unsigned grid = 1,
                                   unsigned block = 1) {
  cudaKernelNodeParams p{};
  p.func = function;
  p.gridDim = grid;
  p.blockDim = block;
  p.kernelParams = arguments;
  return p;
}

SECTION(building) {
  start();
  cudaGraph_t graph;
  CALL(cudaGraphCreate(&graph, 1));
  CALL(cudaGraphCreate(&graph, 0));
  int value = 5;
  void* arguments[] = {&cell, &value};
  cudaKernelNodeParams k = kernel(reinterpret_cast<void*>(add), arguments);
  cudaGraphNode_t a, b, c, d, e, f, h;
  CALL(cudaGraphAddKernelNode(&a, graph, nullptr, 0, &k));
  value = 7;
  CALL(cudaGraphAddKernelNode(&b, graph, &a, 1, &k));
  cudaKernelNodeParams bad = k;
  bad.gridDim = 0;
  CALL(cudaGraphAddKernelNode(&c, graph, nullptr, 0, &bad));
  bad = k;
  bad.blockDim = 2000;
  CALL(cudaGraphAddKernelNode(&c, graph, nullptr, 0, &bad));
  bad = k;
  bad.sharedMemBytes = 100000;
  CALL(cudaGraphAddKernelNode(&c, graph, nullptr, 0, &bad));
  bad = k;
  bad.func = reinterpret_cast<void*>(now);
  CALL(cudaGraphAddKernelNode(&c, graph, nullptr, 0, &bad));
  bad = k;
  bad.kernelParams = nullptr;
  CALL(cudaGraphAddKernelNode(&c, graph, nullptr, 0, &bad));
  cudaGraphNode_t twice[] = {a, a};
  CALL(cudaGraphAddEmptyNode(&h, graph, twice, 2));
  CALL(cudaGraphAddEmptyNode(&h, graph, nullptr, 1));
  CALL(cudaGraphAddEmptyNode(nullptr, graph, nullptr, 0));
  cudaMemsetParams fill{};
  fill.dst = cell + 4;
  fill.value = 3;
  fill.elementSize = 4;
  fill.width = 4;
  fill.height = 1;
  CALL(cudaGraphAddMemsetNode(&c, graph, nullptr, 0, &fill));
  cudaMemsetParams wrong = fill;
  wrong.elementSize = 3;
  CALL(cudaGraphAddMemsetNode(&d, graph, nullptr, 0, &wrong));
  wrong = fill;
  wrong.dst = nullptr;
  CALL(cudaGraphAddMemsetNode(&d, graph, nullptr, 0, &wrong));
  wrong = fill;
  wrong.width = 0;
  CALL(cudaGraphAddMemsetNode(&d, graph, nullptr, 0, &wrong));
  cudaHostNodeParams call{count_up, &one};
  CALL(cudaGraphAddHostNode(&d, graph, &b, 1, &call));
  CALL(cudaGraphAddEmptyNode(&e, graph, &d, 1));
  static int back[4];
  CALL(cudaGraphAddMemcpyNode1D(&f, graph, &c, 1, back, cell + 4, 16, cudaMemcpyDeviceToHost));
  CALL(cudaGraphAddMemcpyNodeToSymbol(&h, graph, nullptr, 0, variable, back, 16, 0,
                                      cudaMemcpyHostToDevice));
  CALL(cudaGraphAddMemcpyNodeToSymbol(&h, graph, nullptr, 0, variable, back, 100, 0,
                                      cudaMemcpyHostToDevice));
  CALL(cudaGraphAddMemcpyNodeFromSymbol(&h, graph, &f, 1, back, variable, 16, 0,
                                        cudaMemcpyDeviceToHost));
  for (auto [name, node] : std::vector<std::pair<const char*, cudaGraphNode_t>>{
           {"a", a}, {"b", b}, {"c", c}, {"d", d}, {"e", e}, {"f", f}, {"h", h}}) {
    cudaGraphNodeType type;
    cudaGraphNodeGetType(node, &type);
    std::size_t before = 0, after = 0;
    cudaGraphNodeGetDependencies(node, nullptr, nullptr, &before);
    cudaGraphNodeGetDependentNodes(node, nullptr, nullptr, &after);
    std::printf("%s: type %d, after %zu, before %zu\n", name, type, before, after);
  }
  std::size_t nodes = 0, roots = 0, edges = 0;
  CALL(cudaGraphGetNodes(graph, nullptr, &nodes));
  CALL(cudaGraphGetRootNodes(graph, nullptr, &roots));
  CALL(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  VALUE(nodes), VALUE(roots), VALUE(edges);
  cudaGraphNode_t list[16];
  std::size_t room = 16;
  CALL(cudaGraphGetNodes(graph, list, &room));
  VALUE(room), VALUE(list[0] == a), VALUE(list[1] == b);
  room = 2;
  CALL(cudaGraphGetNodes(graph, list, &room));
  VALUE(room);
  CALL(cudaGraphAddDependencies(graph, &e, &c, nullptr, 1));
  CALL(cudaGraphAddDependencies(graph, &e, &c, nullptr, 1));
  CALL(cudaGraphAddDependencies(graph, &e, &e, nullptr, 1));
  CALL(cudaGraphRemoveDependencies(graph, &e, &c, nullptr, 1));
  CALL(cudaGraphRemoveDependencies(graph, &e, &c, nullptr, 1));
  CALL(cudaGraphAddDependencies(graph, &e, &a, nullptr, 1));
  cudaGraphExec_t executable = nullptr;
  CALL(cudaGraphInstantiate(&executable, graph, 0));
  last_error();
  CALL(cudaGraphRemoveDependencies(graph, &e, &a, nullptr, 1));
  CALL(cudaGraphInstantiate(&executable, graph, 0));
  CALL(cudaGraphLaunch(executable, nullptr));
  VALUE(now()), VALUE(host_count), VALUE(back[0]), VALUE(back[3]);
  CALL(cudaGraphDestroyNode(e));
  CALL(cudaGraphGetNodes(graph, nullptr, &nodes));
  VALUE(nodes);
  CALL(cudaGraphLaunch(executable, nullptr));
  CALL(cudaGraphUpload(executable, nullptr));
  VALUE(now());
  CALL(cudaGraphDestroy(graph));
  CALL(cudaGraphLaunch(executable, nullptr));
  VALUE(now());
  CALL(cudaGraphExecDestroy(executable));
  CALL(cudaGraphDestroy(nullptr));
  CALL(cudaGraphExecDestroy(nullptr));
  CALL(cudaGraphLaunch(nullptr, nullptr));
  CALL(cudaGraphInstantiate(&executable, nullptr, 0));
}

SECTION(kernel_nodes) {
  start();
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  int value = 5;
  void* arguments[] = {&cell, &value};
  cudaKernelNodeParams k = kernel(reinterpret_cast<void*>(add), arguments), told{};
  cudaGraphNode_t node;
  CALL(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &k));
  CALL(cudaGraphKernelNodeGetParams(node, &told));
  VALUE(told.gridDim.x), VALUE(told.blockDim.x), VALUE(told.sharedMemBytes),
      VALUE(told.func == k.func);
  VALUE(*static_cast<int*>(told.kernelParams[1])), VALUE(told.extra == nullptr);
  value = 8;
  k.gridDim = 2;
  CALL(cudaGraphKernelNodeSetParams(node, &k));
  CALL(cudaGraphKernelNodeGetParams(node, &told));
  VALUE(told.gridDim.x), VALUE(*static_cast<int*>(told.kernelParams[1]));
  k.gridDim = 1;
  CALL(cudaGraphKernelNodeSetParams(node, &k));
  cudaGraphExec_t executable;
  CALL(cudaGraphInstantiate(&executable, graph, 0));
  CALL(cudaGraphLaunch(executable, nullptr));
  VALUE(now());
  value = 100;
  CALL(cudaGraphExecKernelNodeSetParams(executable, node, &k));
  CALL(cudaGraphLaunch(executable, nullptr));
  VALUE(now());
  k.func = reinterpret_cast<void*>(set);
  CALL(cudaGraphExecKernelNodeSetParams(executable, node, &k));
  CALL(cudaGraphLaunch(executable, nullptr));
  VALUE(now());
  float real = 2;
  int n = 3;
  void* three[] = {&cell, &real, &n};
  cudaKernelNodeParams with_more = kernel(reinterpret_cast<void*>(other), three);
  CALL(cudaGraphExecKernelNodeSetParams(executable, node, &with_more));
  k.blockDim = 3000;
  CALL(cudaGraphExecKernelNodeSetParams(executable, node, &k));
  k.blockDim = 1;
  unsigned enabled = 77;
  CALL(cudaGraphNodeGetEnabled(executable, node, &enabled));
  VALUE(enabled);
  CALL(cudaGraphNodeSetEnabled(executable, node, 0));
  CALL(cudaMemset(cell, 0, 4));
  CALL(cudaGraphLaunch(executable, nullptr));
  VALUE(now());
  CALL(cudaGraphNodeSetEnabled(executable, node, 1));
  CALL(cudaGraphLaunch(executable, nullptr));
  VALUE(now());
  cudaLaunchAttributeValue attribute{};
  for (int id : {1, 2, 3, 4, 5, 6, 8, 9, 10}) {
    const cudaError_t error =
        cudaGraphKernelNodeGetAttribute(node, static_cast<cudaLaunchAttributeID>(id), &attribute);
    int first = 0;
    std::memcpy(&first, &attribute, 4);
    std::printf("attribute %d: %s %d\n", id, cudaGetErrorName(error),
                error == cudaSuccess ? first : 0);
  }
  attribute = {};
  attribute.priority = -2;
  CALL(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributePriority, &attribute));
  attribute = {};
  CALL(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributePriority, &attribute));
  VALUE(attribute.priority);
  cudaGraphNode_t second;
  CALL(cudaGraphAddKernelNode(&second, graph, nullptr, 0, &k));
  CALL(cudaGraphKernelNodeCopyAttributes(second, node));
  CALL(cudaGraphKernelNodeGetAttribute(second, cudaLaunchAttributePriority, &attribute));
  VALUE(attribute.priority);
}

SECTION(other_nodes) {
  start();
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  static int back[4], source[4] = {1, 2, 3, 4};
  cudaGraphNode_t copy, fill, host, empty;
  CALL(
      cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, cell, source, 16, cudaMemcpyHostToDevice));
  cudaMemcpy3DParms box{};
  CALL(cudaGraphMemcpyNodeGetParams(copy, &box));
  VALUE(box.extent.width), VALUE(box.extent.height), VALUE(box.extent.depth), VALUE(box.kind);
  VALUE(box.srcPtr.ptr == source), VALUE(box.dstPtr.ptr == cell), VALUE(box.srcPtr.pitch);
  CALL(cudaGraphMemcpyNodeSetParams1D(copy, cell + 8, source, 16, cudaMemcpyHostToDevice));
  CALL(cudaGraphMemcpyNodeSetParamsToSymbol(copy, variable, source, 16, 0, cudaMemcpyHostToDevice));
  CALL(cudaGraphMemcpyNodeSetParamsFromSymbol(copy, back, variable, 16, 0, cudaMemcpyDeviceToHost));
  CALL(cudaGraphMemcpyNodeSetParams(copy, &box));
  CALL(cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, cell, source, 0, cudaMemcpyHostToDevice));
  CALL(
      cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, cell, source, 16, cudaMemcpyDeviceToHost));
  CALL(cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, nullptr, source, 16,
                                cudaMemcpyHostToDevice));
  CALL(cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, cell, source, 16, cudaMemcpyDefault));
  cudaMemsetParams params{}, told{};
  params.dst = cell;
  params.value = 0x1234567;
  params.elementSize = 2;
  params.width = 4;
  params.height = 2;
  params.pitch = 64;
  CALL(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &params));
  CALL(cudaGraphMemsetNodeGetParams(fill, &told));
  VALUE(told.value), VALUE(told.elementSize), VALUE(told.width), VALUE(told.height),
      VALUE(told.pitch);
  params.elementSize = 4;
  CALL(cudaGraphMemsetNodeSetParams(fill, &params));
  cudaHostNodeParams call{count_up, &one}, told_call{};
  CALL(cudaGraphAddHostNode(&host, graph, nullptr, 0, &call));
  CALL(cudaGraphHostNodeGetParams(host, &told_call));
  VALUE(told_call.fn == count_up), VALUE(told_call.userData == &one);
  call.userData = &ten;
  CALL(cudaGraphHostNodeSetParams(host, &call));
  call.fn = nullptr;
  CALL(cudaGraphAddHostNode(&host, graph, nullptr, 0, &call));
  CALL(cudaGraphAddEmptyNode(&empty, graph, nullptr, 0));
  cudaKernelNodeParams of_kernel{};
  CALL(cudaGraphKernelNodeGetParams(empty, &of_kernel));
  cudaGraphExec_t executable;
  CALL(cudaGraphInstantiate(&executable, graph, 0));
  CALL(cudaGraphLaunch(executable, nullptr));
  VALUE(now()), VALUE(host_count);
  params.value = 9;
  CALL(cudaGraphExecMemsetNodeSetParams(executable, fill, &params));
  params.width = 5;
  CALL(cudaGraphExecMemsetNodeSetParams(executable, fill, &params));
  call = {count_up, &one};
  CALL(cudaGraphExecHostNodeSetParams(executable, host, &call));
  unsigned enabled = 7;
  CALL(cudaGraphNodeGetEnabled(executable, fill, &enabled));
  CALL(cudaGraphNodeGetEnabled(executable, host, &enabled));
  CALL(cudaGraphNodeSetEnabled(executable, host, 0));
  CALL(cudaGraphLaunch(executable, nullptr));
  VALUE(now()), VALUE(host_count);
  unsigned long long flags = 77;
  CALL(cudaGraphExecGetFlags(executable, &flags));
  VALUE(flags);
  for (unsigned long long wanted : {0, 1, 2, 4, 8, 3, 16}) {
    const cudaError_t error = cudaGraphInstantiateWithFlags(&executable, graph, wanted);
    std::printf("flags %llu: %s\n", wanted, cudaGetErrorName(error));
    cudaGetLastError();
  }
  cudaGraphInstantiateParams how{};
  how.flags = cudaGraphInstantiateFlagUpload;
  CALL(cudaGraphInstantiateWithParams(&executable, graph, &how));
  VALUE(how.result_out), VALUE(how.errNode_out == nullptr);
}

SECTION(events_and_children) {
  start();
  cudaGraph_t graph, inner;
  cudaGraphCreate(&graph, 0);
  cudaGraphCreate(&inner, 0);
  int value = 5;
  void* arguments[] = {&cell, &value};
  cudaKernelNodeParams k = kernel(reinterpret_cast<void*>(add), arguments);
  cudaGraphNode_t in_child, child, record, wait, also;
  CALL(cudaGraphAddKernelNode(&in_child, inner, nullptr, 0, &k));
  CALL(cudaGraphAddChildGraphNode(&child, graph, nullptr, 0, inner));
  cudaGraph_t told = nullptr;
  CALL(cudaGraphChildGraphNodeGetGraph(child, &told));
  VALUE(told == inner);
  std::size_t nodes = 0;
  CALL(cudaGraphGetNodes(told, nullptr, &nodes));
  VALUE(nodes);
  CALL(cudaGraphAddChildGraphNode(&also, graph, nullptr, 0, graph));
  cudaEvent_t event, second, of;
  cudaEventCreate(&event);
  cudaEventCreate(&second);
  CALL(cudaGraphAddEventRecordNode(&record, graph, &child, 1, event));
  CALL(cudaGraphEventRecordNodeGetEvent(record, &of));
  VALUE(of == event);
  CALL(cudaGraphEventRecordNodeSetEvent(record, second));
  CALL(cudaGraphEventRecordNodeGetEvent(record, &of));
  VALUE(of == second);
  CALL(cudaGraphAddEventWaitNode(&wait, graph, &record, 1, event));
  CALL(cudaGraphEventWaitNodeGetEvent(wait, &of));
  CALL(cudaGraphEventWaitNodeSetEvent(wait, second));
  cudaGraphExec_t executable;
  CALL(cudaGraphInstantiate(&executable, graph, 0));
  CALL(cudaGraphLaunch(executable, nullptr));
  VALUE(now());
  CALL(cudaEventQuery(second));
  float time = 0;
  CALL(cudaEventElapsedTime(&time, second, second));
  CALL(cudaGraphExecEventRecordNodeSetEvent(executable, record, event));
  CALL(cudaGraphExecEventWaitNodeSetEvent(executable, wait, event));
  value = 50;
  CALL(cudaGraphKernelNodeSetParams(in_child, &k));
  CALL(cudaGraphExecChildGraphNodeSetParams(executable, child, inner));
  CALL(cudaGraphLaunch(executable, nullptr));
  VALUE(now());
  CALL(cudaEventQuery(event));
  cudaGraph_t more;
  cudaGraphCreate(&more, 0);
  CALL(cudaGraphExecChildGraphNodeSetParams(executable, child, more));
}

static void* destroyed_data;
static void CUDART_CB destroyed(void* data) { destroyed_data = data; }
SECTION(user_objects) {
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaUserObject_t object = nullptr;
  CALL(cudaUserObjectCreate(&object, &one, destroyed, 1, cudaUserObjectNoDestructorSync));
  CALL(cudaUserObjectCreate(&object, &one, destroyed, 1, 0));
  CALL(cudaUserObjectCreate(&object, &one, destroyed, 0, cudaUserObjectNoDestructorSync));
  CALL(cudaUserObjectCreate(&object, &one, destroyed, 1, cudaUserObjectNoDestructorSync));
  CALL(cudaUserObjectRetain(object, 1));
  CALL(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
  CALL(cudaUserObjectRelease(object, 1));
  usleep(100000);
  VALUE(destroyed_data == nullptr);
  CALL(cudaGraphReleaseUserObject(graph, object, 1));
  usleep(100000);
  VALUE(destroyed_data == &one);
}

SECTION(memory_nodes) {
  start();
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaMemAllocNodeParams allocate{};
  allocate.poolProps.allocType = cudaMemAllocationTypePinned;
  allocate.poolProps.location = {cudaMemLocationTypeDevice, 0};
  allocate.bytesize = 4096;
  cudaGraphNode_t taken, filled, copied, given;
  CALL(cudaGraphAddMemAllocNode(&taken, graph, nullptr, 0, &allocate));
  VALUE(allocate.dptr != nullptr);
  cudaMemsetParams params{};
  params.dst = allocate.dptr;
  params.value = 9;
  params.elementSize = 4;
  params.width = 4;
  params.height = 1;
  CALL(cudaGraphAddMemsetNode(&filled, graph, &taken, 1, &params));
  CALL(cudaGraphAddMemcpyNode1D(&copied, graph, &filled, 1, cell, allocate.dptr, 16,
                                cudaMemcpyDeviceToDevice));
  CALL(cudaGraphAddMemFreeNode(&given, graph, &copied, 1, allocate.dptr));
  cudaMemAllocNodeParams told{};
  CALL(cudaGraphMemAllocNodeGetParams(taken, &told));
  VALUE(told.bytesize), VALUE(told.dptr == allocate.dptr);
  void* freed = nullptr;
  CALL(cudaGraphMemFreeNodeGetParams(given, &freed));
  VALUE(freed == allocate.dptr);
  cudaGraph_t clone;
  CALL(cudaGraphClone(&clone, graph));
  cudaGraphExec_t executable;
  CALL(cudaGraphInstantiate(&executable, graph, 0));
  CALL(cudaGraphLaunch(executable, nullptr));
  CALL(cudaGraphLaunch(executable, nullptr));
  VALUE(now());
  cudaGraphExec_t second;
  CALL(cudaGraphInstantiate(&second, graph, 0));
  cudaGraph_t leaking;
  cudaGraphCreate(&leaking, 0);
  CALL(cudaGraphAddMemAllocNode(&taken, leaking, nullptr, 0, &allocate));
  CALL(cudaGraphInstantiate(&second, leaking, 0));
  CALL(cudaGraphLaunch(second, nullptr));
  CALL(cudaGraphLaunch(second, nullptr));
  last_error();
  cudaPointerAttributes about{};
  CALL(cudaPointerGetAttributes(&about, allocate.dptr));
  VALUE(about.type);
  CALL(cudaFree(allocate.dptr));
  CALL(cudaGraphLaunch(second, nullptr));
  CALL(cudaFreeAsync(allocate.dptr, 0));
  CALL(cudaDeviceSynchronize());
  CALL(cudaGraphInstantiate(&second, leaking, cudaGraphInstantiateFlagAutoFreeOnLaunch));
}

static void update(const char* what, cudaGraphExec_t executable, cudaGraph_t graph) {
  cudaGraphExecUpdateResultInfo result{};
  const cudaError_t error = cudaGraphExecUpdate(executable, graph, &result);
  std::printf("%s: %s, result %d, node %d, from %d\n", what, cudaGetErrorName(error), result.result,
              result.errorNode != nullptr, result.errorFromNode != nullptr);
  last_error();
}
SECTION(updates) {
  start();
  int value = 5;
  float real = 2;
  int n = 3;
  void* two[] = {&cell, &value};
  void* three[] = {&cell, &real, &n};
  cudaKernelNodeParams k = kernel(reinterpret_cast<void*>(add), two);
  cudaGraphNode_t a, b;
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaGraphAddKernelNode(&a, graph, nullptr, 0, &k);
  cudaGraphAddKernelNode(&b, graph, &a, 1, &k);
  cudaGraphExec_t executable;
  CALL(cudaGraphInstantiate(&executable, graph, 0));
  value = 100;
  const auto changed = [&](auto change) {
    cudaGraph_t made;
    cudaGraphCreate(&made, 0);
    change(made);
    return made;
  };
  cudaGraphNode_t p, q, r;
  update("other arguments", executable, changed([&](cudaGraph_t g) {
           cudaGraphAddKernelNode(&p, g, nullptr, 0, &k);
           cudaGraphAddKernelNode(&q, g, &p, 1, &k);
         }));
  CALL(cudaGraphLaunch(executable, nullptr));
  VALUE(now());
  update("no edge", executable, changed([&](cudaGraph_t g) {
           cudaGraphAddKernelNode(&p, g, nullptr, 0, &k);
           cudaGraphAddKernelNode(&q, g, nullptr, 0, &k);
         }));
  update("a node more", executable, changed([&](cudaGraph_t g) {
           cudaGraphAddKernelNode(&p, g, nullptr, 0, &k);
           cudaGraphAddKernelNode(&q, g, &p, 1, &k);
           cudaGraphAddEmptyNode(&r, g, &q, 1);
         }));
  update("a node less", executable,
         changed([&](cudaGraph_t g) { cudaGraphAddKernelNode(&p, g, nullptr, 0, &k); }));
  update("another type", executable, changed([&](cudaGraph_t g) {
           cudaGraphAddKernelNode(&p, g, nullptr, 0, &k);
           cudaGraphAddEmptyNode(&q, g, &p, 1);
         }));
  cudaKernelNodeParams l = kernel(reinterpret_cast<void*>(set), two);
  update("another function", executable, changed([&](cudaGraph_t g) {
           cudaGraphAddKernelNode(&p, g, nullptr, 0, &k);
           cudaGraphAddKernelNode(&q, g, &p, 1, &l);
         }));
  cudaKernelNodeParams m = kernel(reinterpret_cast<void*>(other), three);
  update("a function of other parameters", executable, changed([&](cudaGraph_t g) {
           cudaGraphAddKernelNode(&p, g, nullptr, 0, &k);
           cudaGraphAddKernelNode(&q, g, &p, 1, &m);
         }));
  k.gridDim = 3;
  update("another grid", executable, changed([&](cudaGraph_t g) {
           cudaGraphAddKernelNode(&p, g, nullptr, 0, &k);
           cudaGraphAddKernelNode(&q, g, &p, 1, &k);
         }));
  update("nothing", executable, changed([&](cudaGraph_t) {}));
}

static void print_dot(cudaGraph_t graph, unsigned flags) {
  char file[] = "/tmp/answers_XXXXXX";
  close(mkstemp(file));
  std::printf("dot with %u: %s\n", flags,
              cudaGetErrorName(cudaGraphDebugDotPrint(graph, file, flags)));
  std::ifstream text(file);
  const std::regex address("0x[0-9A-Fa-f]{6,}");
  for (std::string line; std::getline(text, line);)
    std::printf("  %s\n", std::regex_replace(line, address, "ADDRESS").c_str());
  unlink(file);
}
SECTION(dot) {
  start();
  int value = 5;
  void* two[] = {&cell, &value};
  cudaKernelNodeParams k = kernel(reinterpret_cast<void*>(add), two);
  cudaGraphNode_t a, b, c, d;
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaGraphAddKernelNode(&a, graph, nullptr, 0, &k);
  static int back;
  cudaGraphAddMemcpyNode1D(&b, graph, &a, 1, &back, cell, 4, cudaMemcpyDeviceToHost);
  cudaHostNodeParams call{count_up, &one};
  cudaGraphAddHostNode(&c, graph, &b, 1, &call);
  cudaGraphAddEmptyNode(&d, graph, &c, 1);
  print_dot(graph, 0);
  print_dot(graph, cudaGraphDebugDotFlagsVerbose);
}

__global__ void decide(cudaGraphConditionalHandle handle, int* cell, int most) {
  *cell += 1;
  cudaGraphSetConditional(handle, *cell < most);
}
static cudaGraph_t conditional(cudaGraph_t graph, cudaGraphNode_t* node,
                               cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type,
                               unsigned size, cudaGraph_t* bodies) {
  cudaGraphNodeParams p{};
  p.type = cudaGraphNodeTypeConditional;
  p.conditional.handle = handle;
  p.conditional.type = type;
  p.conditional.size = size;
  CALL(cudaGraphAddNode(node, graph, nullptr, nullptr, 0, &p));
  for (unsigned i = 0; i < size && p.conditional.phGraph_out != nullptr; ++i)
    bodies[i] = p.conditional.phGraph_out[i];
  return bodies[0];
}
SECTION(conditional_while) {
  start();
  cudaGraph_t graph, body[2] = {};
  cudaGraphCreate(&graph, 0);
  cudaGraphConditionalHandle handle;
  CALL(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
  cudaGraphNode_t node, inside;
  conditional(graph, &node, handle, cudaGraphCondTypeWhile, 1, body);
  cudaGraphNodeType type;
  CALL(cudaGraphNodeGetType(node, &type));
  VALUE(type);
  int most = 10;
  void* arguments[] = {&handle, &cell, &most};
  cudaKernelNodeParams k = kernel(reinterpret_cast<void*>(decide), arguments);
  CALL(cudaGraphAddKernelNode(&inside, body[0], nullptr, 0, &k));
  cudaGraphExec_t executable;
  CALL(cudaGraphInstantiate(&executable, graph, 0));
  CALL(cudaGraphLaunch(executable, nullptr));
  VALUE(now());
  CALL(cudaGraphLaunch(executable, nullptr));
  VALUE(now());
}
SECTION(conditional_if) {
  start();
  for (unsigned value : {0u, 1u, 2u}) {
    cudaGraph_t graph, body[2] = {};
    cudaGraphCreate(&graph, 0);
    cudaGraphConditionalHandle handle;
    CALL(cudaGraphConditionalHandleCreate(&handle, graph, value, cudaGraphCondAssignDefault));
    cudaGraphNode_t node, inside;
    conditional(graph, &node, handle, cudaGraphCondTypeIf, 2, body);
    int first = 100, second = 1000;
    void* yes[] = {&cell, &first};
    void* no[] = {&cell, &second};
    cudaKernelNodeParams k = kernel(reinterpret_cast<void*>(add), yes);
    CALL(cudaGraphAddKernelNode(&inside, body[0], nullptr, 0, &k));
    k.kernelParams = no;
    CALL(cudaGraphAddKernelNode(&inside, body[1], nullptr, 0, &k));
    cudaGraphExec_t executable;
    CALL(cudaGraphInstantiate(&executable, graph, 0));
    CALL(cudaGraphLaunch(executable, nullptr));
    VALUE(now());
  }
}
SECTION(conditional_switch) {
  start();
  for (unsigned value : {0u, 1u, 2u, 3u}) {
    cudaGraph_t graph, body[3] = {};
    cudaGraphCreate(&graph, 0);
    cudaGraphConditionalHandle handle;
    CALL(cudaGraphConditionalHandleCreate(&handle, graph, value, cudaGraphCondAssignDefault));
    cudaGraphNode_t node, inside;
    conditional(graph, &node, handle, cudaGraphCondTypeSwitch, 3, body);
    int amounts[] = {1, 10, 100};
    for (int i = 0; i < 3; ++i) {
      void* arguments[] = {&cell, &amounts[i]};
      cudaKernelNodeParams k = kernel(reinterpret_cast<void*>(add), arguments);
      CALL(cudaGraphAddKernelNode(&inside, body[i], nullptr, 0, &k));
    }
    cudaGraphExec_t executable;
    CALL(cudaGraphInstantiate(&executable, graph, 0));
    CALL(cudaGraphLaunch(executable, nullptr));
    VALUE(now());
  }
}

SECTION(general_nodes) {
  start();
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  int value = 5;
  void* arguments[] = {&cell, &value};
  cudaGraphNodeParams p{};
  p.type = cudaGraphNodeTypeKernel;
  p.kernel.func = reinterpret_cast<void*>(add);
  p.kernel.gridDim = 1;
  p.kernel.blockDim = 1;
  p.kernel.kernelParams = arguments;
  cudaGraphNode_t a, b, c;
  CALL(cudaGraphAddNode(&a, graph, nullptr, nullptr, 0, &p));
  cudaGraphNodeParams f{};
  f.type = cudaGraphNodeTypeMemset;
  f.memset.dst = cell;
  f.memset.value = 7;
  f.memset.elementSize = 4;
  f.memset.width = 1;
  f.memset.height = 1;
  CALL(cudaGraphAddNode(&b, graph, nullptr, nullptr, 0, &f));
  CALL(cudaGraphAddDependencies(graph, &b, &a, nullptr, 1));
  cudaGraphNodeParams h{};
  h.type = cudaGraphNodeTypeHost;
  h.host.fn = count_up;
  h.host.userData = &one;
  CALL(cudaGraphAddNode(&c, graph, &a, nullptr, 1, &h));
  value = 20;
  CALL(cudaGraphNodeSetParams(a, &p));
  CALL(cudaGraphNodeSetParams(a, &f));
  cudaGraphExec_t executable;
  CALL(cudaGraphInstantiate(&executable, graph, 0));
  CALL(cudaGraphLaunch(executable, nullptr));
  VALUE(now()), VALUE(host_count);
  value = 30;
  CALL(cudaGraphExecNodeSetParams(executable, a, &p));
  CALL(cudaGraphLaunch(executable, nullptr));
  VALUE(now()), VALUE(host_count);
  cudaGraph_t clone;
  CALL(cudaGraphClone(&clone, graph));
  cudaGraphNode_t found;
  CALL(cudaGraphNodeFindInClone(&found, a, clone));
  CALL(cudaGraphNodeFindInClone(&found, a, graph));
  cudaKernelNodeParams told{};
  CALL(cudaGraphNodeFindInClone(&found, a, clone));
  CALL(cudaGraphKernelNodeGetParams(found, &told));
  VALUE(*static_cast<int*>(told.kernelParams[1]));
}
