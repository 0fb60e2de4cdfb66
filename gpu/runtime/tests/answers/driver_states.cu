// What every function of the driver answers before cuInit, without a context, and in one that is
// gone: "cuMemAlloc_v2: 201 201" is first with nothing (null pointers, zeros), then with memory of
// zeros behind each pointer, sixteen bytes, and a function that does nothing. "-" is a call that
// ended the process.
#define __CUDA_API_VERSION_INTERNAL  // the older versions of functions, too
#include <cudaProfiler.h>
#include <cuda_profiler_api.h>
#include <sys/mman.h>

#include <algorithm>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>

#include "answers.hpp"

namespace {

constexpr size_t kBytes = 4096;
constexpr int kMostArguments = 16;
alignas(256) char memory[kMostArguments][kBytes];
int memory_used = 0;

template <typename Type, typename = void>
struct IsWhole : std::false_type {};
template <typename Type>
struct IsWhole<Type, std::void_t<decltype(sizeof(Type))>> : std::true_type {};

// Handles point to types that are not whole: null.
template <typename Type>
Type harmless(bool with_memory) {
  if constexpr (std::is_pointer_v<Type>) {
    using Target = std::remove_pointer_t<Type>;
    if (!with_memory) return nullptr;
    if constexpr (std::is_function_v<Target>)
      return reinterpret_cast<Type>(+[] {});
    else if constexpr (std::is_void_v<Target> || IsWhole<Target>::value)
      return reinterpret_cast<Type>(memory[memory_used++]);
    else
      return nullptr;
  } else if constexpr (std::is_same_v<Type, size_t>) {
    return with_memory ? 16 : 0;
  } else {
    return Type{};
  }
}

template <typename... Parameters>
int call(CUresult (*function)(Parameters...), bool with_memory) {
  std::memset(memory, 0, sizeof memory);
  memory_used = 0;
  return function(harmless<Parameters>(with_memory)...);
}

struct Function {
  const char* name;
  int (*ask)(bool with_memory);
};
constexpr Function kFunctions[] = {
#define HEDDLE_ENTRY_POINT(name, ...) \
  {#name, [](bool with_memory) { return call(&name, with_memory); }},
#include "gpu/runtime/driver/entry_points.inc"
#undef HEDDLE_ENTRY_POINT
};
constexpr int kCount = sizeof kFunctions / sizeof *kFunctions;

// Those that concern more than the process, and the driver's unpublished part.
bool is_left_out(std::string_view name) {
  return name.rfind("cuCheckpoint", 0) == 0 || name.rfind("cuMulticast", 0) == 0 ||
         name == "cuGetExportTable";
}

constexpr int kNotAsked = -1, kUnderWay = -2, kEnded = -3;

std::pair<int, CUcontext> current() {
  CUcontext context = nullptr;
  const int result = cuCtxGetCurrent(&context);
  return {result, context};
}

constexpr int kParts = 8;  // asked side by side
using Column = int[kCount];

// Asks those from `begin` on, until one changes what is current.
template <typename Prepare>
void ask_from(int begin, int end, volatile int* answers, bool with_memory, Prepare prepare) {
  prepare();
  const auto before = current();
  for (int i = begin; i < end; ++i) {
    if (is_left_out(kFunctions[i].name)) continue;
    answers[i] = kUnderWay;
    alarm(10);
    answers[i] = kFunctions[i].ask(with_memory);
    if (current() != before) return;
  }
}

template <typename Prepare>
void ask_part(int begin, int end, int* answers, bool with_memory, Prepare prepare) {
  while (begin < end) {
    const pid_t child = fork();
    if (child == 0) {
      ask_from(begin, end, answers, with_memory, prepare);
      _exit(0);
    }
    waitpid(child, nullptr, 0);
    int next = end;
    while (next > begin && answers[next - 1] == kNotAsked) --next;
    if (next == begin) return;
    if (answers[next - 1] == kUnderWay) answers[next - 1] = kEnded;
    begin = next;
  }
}

template <typename Prepare>
void ask_all(Prepare prepare) {
  alarm(0);
  auto* const answers = static_cast<Column*>(
      mmap(nullptr, 2 * sizeof(Column), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  for (int i = 0; i < 2 * kCount; ++i) answers[i / kCount][i % kCount] = kNotAsked;
  for (int part = 0; part < 2 * kParts; ++part) {
    if (fork() != 0) continue;
    const int column = part / kParts, at = part % kParts;
    ask_part(kCount * at / kParts, kCount * (at + 1) / kParts, answers[column], column == 1,
             prepare);
    _exit(0);
  }
  while (wait(nullptr) > 0) {
  }
  const auto text = [](int answer) { return answer == kEnded ? "-" : std::to_string(answer); };
  for (int i = 0; i < kCount; ++i)
    if (answers[0][i] != kNotAsked)
      std::printf("%s: %s %s\n", kFunctions[i].name, text(answers[0][i]).c_str(),
                  text(answers[1][i]).c_str());
}

template <typename Type>
Type* zeros() {
  return reinterpret_cast<Type*>(memory[0]);
}
void nothing(void*) {}
void nothing_more(CUstream, CUresult, void*) {}

template <typename Call>
void initialised_by(const char* what, Call call) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    call();
    int count = 0;
    std::printf("%s: %d\n", what, int(cuDeviceGetCount(&count)));
    std::fflush(stdout);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
}
#define INITIALISED_BY(call) initialised_by(#call, [] { (void)call; })

CUcontext made() {
  CUcontext context = nullptr;
  cuInit(0);
  cuCtxCreate_v2(&context, 0, 0);
  return context;
}

}  // namespace

SECTION(before_cuInit) {
  ask_all([] {});
}
SECTION(without_context) {
  ask_all([] { cuInit(0); });
}
SECTION(destroyed) {
  ask_all([] { cuCtxDestroy_v2(made()); });
}
SECTION(destroyed_by_another_thread) {
  ask_all([] {
    CUcontext context = made();
    std::thread([&] { cuCtxDestroy_v2(context); }).join();
  });
}
// Which calls of the runtime initialise the driver.
SECTION(by_the_runtime) {
  INITIALISED_BY(0);
  INITIALISED_BY(cudaGetLastError());
  INITIALISED_BY(cudaPeekAtLastError());
  INITIALISED_BY(cudaGetErrorName(cudaSuccess));
  INITIALISED_BY(cudaRuntimeGetVersion(zeros<int>()));
  INITIALISED_BY(cudaDriverGetVersion(zeros<int>()));
  INITIALISED_BY(cudaGetDeviceCount(zeros<int>()));
  INITIALISED_BY(cudaGetDeviceCount(nullptr));
  INITIALISED_BY(cudaGetDevice(zeros<int>()));
  INITIALISED_BY(cudaSetDeviceFlags(0));
  INITIALISED_BY(cudaSetValidDevices(nullptr, 0));
  INITIALISED_BY(cudaInitDevice(0, 0, 0));
  INITIALISED_BY(cudaDeviceReset());
  INITIALISED_BY(cudaDeviceGetAttribute(zeros<int>(), cudaDevAttrMaxThreadsPerBlock, 0));
  INITIALISED_BY(cudaGetDeviceProperties(zeros<cudaDeviceProp>(), 0));
  INITIALISED_BY(cudaThreadExchangeStreamCaptureMode(zeros<cudaStreamCaptureMode>()));
  INITIALISED_BY(cudaGraphCreate(zeros<cudaGraph_t>(), 0));
  INITIALISED_BY(cudaUserObjectCreate(zeros<cudaUserObject_t>(), nullptr, nothing, 1, 1));
  INITIALISED_BY(cudaProfilerStart());
  INITIALISED_BY(cudaGetChannelDesc(zeros<cudaChannelFormatDesc>(), nullptr));
  INITIALISED_BY(cudaFree(nullptr));
  INITIALISED_BY(cudaFreeHost(nullptr));
  INITIALISED_BY(cudaMalloc(zeros<void*>(), 0));
  INITIALISED_BY(cudaStreamSynchronize(nullptr));
}

// What the runtime's choice of a device does to a context that is no primary one.
// Calls with handles of a context, by a thread that has left it.
SECTION(left) {
  static const char code[] =
      ".version 8.0\n.target sm_75\n.address_size 64\n.visible .global .u32 word;\n"
      ".visible .entry k() { ret; }";
  CUcontext context = made(), now = nullptr;
  CUstream stream, made_stream;
  CUevent event, earlier, made_event;
  CUmodule module, made_module;
  CUfunction function, made_function;
  CUlibrary library;
  CUkernel kernel;
  CUgraph graph, captured;
  CUgraphNode node;
  CUgraphExec exec, made_exec;
  CUmemoryPool pool;
  CUdeviceptr bytes, made_bytes = 0, base;
  CUarray array;
  void* host = nullptr;
  CALL(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CALL(cuEventCreate(&event, 0));
  CALL(cuEventCreate(&earlier, 0));
  CALL(cuEventRecord(earlier, stream));
  CALL(cuModuleLoadData(&module, code));
  CALL(cuModuleGetFunction(&function, module, "k"));
  CALL(cuLibraryLoadData(&library, code, nullptr, nullptr, 0, nullptr, nullptr, 0));
  CALL(cuLibraryGetKernel(&kernel, library, "k"));
  CALL(cuGraphCreate(&graph, 0));
  CALL(cuGraphAddEmptyNode(&node, graph, nullptr, 0));
  CALL(cuGraphInstantiateWithFlags(&exec, graph, 0));
  CUmemPoolProps properties = {};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CALL(cuMemPoolCreate(&pool, &properties));
  CALL(cuMemAlloc_v2(&bytes, kBytes));
  CALL(cuMemHostAlloc(&host, kBytes, 0));
  CUDA_ARRAY3D_DESCRIPTOR texels = {64, 64, 0, CU_AD_FORMAT_FLOAT, 1, 0};
  CALL(cuArray3DCreate_v2(&array, &texels));
  CALL(cuCtxPopCurrent_v2(&now));

  unsigned flags = 0;
  int number = 0;
  unsigned long long id = 0;
  size_t size = 0;
  float milliseconds = 0;
  CUstreamCaptureStatus status{};
  CUdevice device = 0;
  CALL(cuStreamQuery(stream));
  CALL(cuStreamSynchronize(stream));
  CALL(cuStreamGetFlags(stream, &flags));
  CALL(cuStreamGetPriority(stream, &number));
  CALL(cuStreamGetId(stream, &id));
  CALL(cuStreamGetDevice(stream, &device));
  CALL(cuStreamGetCtx(stream, &now));
  VALUE(now == context);
  CALL(cuStreamIsCapturing(stream, &status));
  CALL(cuStreamWaitEvent(stream, earlier, 0));
  CALL(cuEventRecord(event, stream));
  CALL(cuEventSynchronize(event));
  CALL(cuEventElapsedTime(&milliseconds, earlier, event));
  CALL(cuStreamAddCallback(stream, nothing_more, nullptr, 0));
  CALL(cuLaunchHostFunc(stream, nothing, nullptr));
  CALL(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr));
  CALL(cuLaunchKernel(CUfunction(kernel), 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr));
  CALL(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  CUlaunchConfig configuration = {1, 1, 1, 1, 1, 1, 0, stream, nullptr, 0};
  CALL(cuLaunchKernelEx(&configuration, function, nullptr, nullptr));
  CALL(cuMemcpyHtoDAsync_v2(bytes, host, 16, stream));
  CALL(cuMemcpyDtoHAsync_v2(host, bytes, 16, stream));
  CALL(cuMemcpyAsync(bytes, bytes + 16, 16, stream));
  CALL(cuMemcpyHtoD_v2(bytes, host, 16));
  CALL(cuMemcpyDtoH_v2(host, bytes, 16));
  CALL(cuMemcpy(bytes, bytes + 16, 16));
  CALL(cuMemsetD8Async(bytes, 0, 16, stream));
  CALL(cuMemsetD8_v2(bytes, 0, 16));
  CALL(cuMemAllocAsync(&made_bytes, 16, stream));
  CALL(cuMemAllocFromPoolAsync(&made_bytes, 16, pool, stream));
  CALL(cuMemFreeAsync(made_bytes, stream));
  CALL(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  CALL(cuStreamEndCapture(stream, &captured));
  CALL(cuGraphUpload(exec, stream));
  CALL(cuGraphLaunch(exec, stream));
  CALL(cuGraphInstantiateWithFlags(&made_exec, graph, 0));
  CALL(cuFuncGetAttribute(&number, CU_FUNC_ATTRIBUTE_NUM_REGS, function));
  CALL(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536));
  CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor(&number, function, 32, 0));
  CALL(cuModuleGetFunction(&made_function, module, "k"));
  CALL(cuModuleGetGlobal_v2(&base, &size, module, "word"));
  CALL(cuLibraryGetModule(&made_module, library));
  CALL(cuKernelGetFunction(&made_function, kernel));
  CALL(cuLibraryGetGlobal(&base, &size, library, "word"));
  CALL(cuPointerGetAttribute(&now, CU_POINTER_ATTRIBUTE_CONTEXT, bytes));
  CALL(cuMemGetAddressRange_v2(&base, &size, bytes));
  CALL(cuMemHostGetDevicePointer_v2(&base, host, 0));
  CALL(cuMemHostGetFlags(&flags, host));
  CUDA_ARRAY3D_DESCRIPTOR told = {};
  CALL(cuArray3DGetDescriptor_v2(&told, array));
  CALL(cuMemPoolTrimTo(pool, 0));
  CALL(cuStreamSynchronize(nullptr));
  CALL(cuStreamSynchronize(stream));
  CALL(cuEventCreate(&made_event, 0));
  CALL(cuStreamCreate(&made_stream, 0));
  CALL(cuModuleLoadData(&made_module, code));
  CALL(cuArrayDestroy(array));
  CALL(cuMemFreeHost(host));
  CALL(cuMemFree_v2(bytes));
  CALL(cuMemPoolDestroy(pool));
  CALL(cuGraphExecDestroy(exec));
  CALL(cuGraphDestroy(graph));
  CALL(cuEventDestroy_v2(event));
  CALL(cuStreamDestroy_v2(stream));
  CALL(cuLibraryUnload(library));
  CALL(cuModuleUnload(module));
  CALL(cuCtxDestroy_v2(context));
}

// The runtime in a thread whose context is gone.
SECTION(runtime_in_destroyed) {
  CUcontext context = made(), now = nullptr;
  void* bytes = nullptr;
  std::thread([&] { cuCtxDestroy_v2(context); }).join();
  CALL(cudaFree(nullptr));
  CALL(cudaMalloc(&bytes, 16));
  CALL(cudaDeviceSynchronize());
  CALL(cudaStreamSynchronize(nullptr));
  CALL(cuCtxGetCurrent(&now));
  VALUE(now == context);
  CALL(cudaSetDevice(0));
  CALL(cudaMalloc(&bytes, 16));
  CALL(cuCtxDestroy_v2(context));
}

// By the driver's own list of names.
SECTION(profiler_by_name) {
  void* found = nullptr;
  CUdriverProcAddressQueryResult how{};
  for (const int version : {3000, 4000, 12000}) {
    VALUE(version);
    CALL(cuGetProcAddress_v2("cuProfilerStart", &found, version, 0, &how));
    VALUE(found != nullptr);
    VALUE(how);
    CALL(cuGetProcAddress_v2("cuProfilerInitialize", &found, version, 0, &how));
    VALUE(found != nullptr);
    VALUE(how);
  }
}

SECTION(set_device_beside) {
  CUcontext own = made(), now = nullptr, primary = nullptr;
  CALL(cuDevicePrimaryCtxRetain(&primary, 0));
  CALL(cudaSetDevice(0));
  CALL(cuCtxGetCurrent(&now));
  VALUE(now == own);
  VALUE(now == primary);
  CALL(cuCtxPopCurrent_v2(&now));
  CALL(cuCtxGetCurrent(&now));
  VALUE(now == own);
  VALUE(now == nullptr);
  CALL(cudaFree(nullptr));
  CALL(cuCtxGetCurrent(&now));
  VALUE(now == own);
  VALUE(now == primary);
}

SECTION(reset_beside) {
  CUcontext own = made(), now = nullptr;
  CALL(cudaDeviceReset());
  CALL(cuCtxGetCurrent(&now));
  VALUE(now == own);
  VALUE(now == nullptr);
}

// A stack of three, destroyed from the middle and from its top.
SECTION(stack) {
  CUcontext first = made(), second = made(), third = made(), now = nullptr;
  CALL(cuCtxDestroy_v2(second));
  CALL(cuCtxGetCurrent(&now));
  VALUE(now == third);
  CALL(cuCtxDestroy_v2(third));
  CALL(cuCtxGetCurrent(&now));
  VALUE(now == second);
  VALUE(now == first);
  CALL(cuCtxSynchronize());
  CALL(cuCtxPopCurrent_v2(&now));
  VALUE(now == second);
  CALL(cuCtxGetCurrent(&now));
  VALUE(now == first);
  CALL(cuCtxSetCurrent(third));
  CALL(cuCtxGetCurrent(&now));
  VALUE(now == third);
  CALL(cuCtxSynchronize());
  CALL(cuCtxPushCurrent_v2(third));
  CALL(cuCtxSetCurrent(nullptr));
  CALL(cuCtxGetCurrent(&now));
  VALUE(now == nullptr);
  VALUE(now == first);
}
