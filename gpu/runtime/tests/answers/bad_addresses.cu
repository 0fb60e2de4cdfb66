// Addresses that are none of the kind a call asks for: freed, the host's, of nothing at all, and
// ranges that end beyond their allocation. A call that crashes ends its process; the next one goes
// on.
#include <sys/mman.h>

#include <functional>

#include "answers.hpp"

namespace {

using Address = CUdeviceptr;
constexpr std::size_t kBytes = 256, kAllocated = 1 << 16, kFreed = 64 << 20;

char on_host[kAllocated];
Address device, freed, pinned, managed;
const Address nowhere = 0x12340000, of_host = reinterpret_cast<Address>(on_host);
CUstream stream;

void* pointer(Address address) { return reinterpret_cast<void*>(address); }

void set_up() {
  CUdevice gpu;
  CUcontext context;
  cuInit(0);
  cuDeviceGet(&gpu, 0);
  cuDevicePrimaryCtxRetain(&context, gpu);
  cuCtxSetCurrent(context);
  void* host = nullptr;
  cuMemAlloc(&device, kAllocated);
  cuMemAlloc(&freed, kFreed);
  cuMemFree(freed);
  cuMemHostAlloc(&host, kAllocated, 0);
  pinned = reinterpret_cast<Address>(host);
  cuMemAllocManaged(&managed, kAllocated, CU_MEM_ATTACH_GLOBAL);
  cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
}

struct Question {
  std::string what;
  std::function<std::string()> ask;
};
std::vector<Question> questions;

std::string name_of(CUresult result) {
  const char* name = nullptr;
  cuGetErrorName(result, &name);
  return name == nullptr ? "?" : name;
}
std::string name_of(cudaError_t error) {
  cudaGetLastError();
  return cudaGetErrorName(error);
}
template <typename Call>
void question(const std::string& what, Call call) {
  questions.push_back({what, [call] { return name_of(call()); }});
}

// In processes of their own, each for as long as its context is of use.
void ask_all() {
  alarm(60);
  auto* const next = static_cast<std::size_t*>(mmap(
      nullptr, sizeof(std::size_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  while (*next < questions.size()) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      set_up();
      while (*next < questions.size()) {
        const Question& question = questions[(*next)++];
        std::printf("%s: ", question.what.c_str());
        std::fflush(stdout);
        const std::string answer = question.ask();
        const CUresult later = cuCtxSynchronize();
        std::printf("%s%s%s\n", answer.c_str(), later == CUDA_SUCCESS ? "" : ", then ",
                    later == CUDA_SUCCESS ? "" : name_of(later).c_str());
        std::fflush(stdout);
        if (later != CUDA_SUCCESS) break;
      }
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) std::printf("signal %d\n", WTERMSIG(status));
  }
}

struct Place {
  const char* name;
  const Address& address;
  std::size_t bytes;
};
const Place places[] = {
    {"device", device, kBytes},     {"pinned", pinned, kBytes}, {"managed", managed, kBytes},
    {"host", of_host, kBytes},      {"freed", freed, kBytes},   {"nowhere", nowhere, kBytes},
    {"too long", device, 48 << 20},
};

// `call(address, bytes)` for every place.
template <typename Call>
void everywhere(const std::string& what, Call call) {
  for (const Place& place : places)
    question(what + " " + place.name, [&place, call] { return call(place.address, place.bytes); });
}

std::vector<char> large_host(std::size_t bytes) { return std::vector<char>(bytes); }

CUDA_MEMCPY3D box(CUmemorytype from, Address source, CUmemorytype to, Address destination,
                  std::size_t bytes) {
  CUDA_MEMCPY3D made{};
  made.srcMemoryType = from, made.dstMemoryType = to;
  made.srcDevice = source, made.dstDevice = destination;
  made.srcHost = pointer(source), made.dstHost = pointer(destination);
  made.srcPitch = made.dstPitch = bytes / 2;
  made.srcHeight = made.dstHeight = 2;
  made.WidthInBytes = bytes / 2, made.Height = 2, made.Depth = 1;
  return made;
}
CUDA_MEMCPY2D flat(const CUDA_MEMCPY3D& whole) {
  CUDA_MEMCPY2D made{};
  made.srcMemoryType = whole.srcMemoryType, made.dstMemoryType = whole.dstMemoryType;
  made.srcDevice = whole.srcDevice, made.dstDevice = whole.dstDevice;
  made.srcHost = whole.srcHost, made.dstHost = whole.dstHost;
  made.srcPitch = whole.srcPitch, made.dstPitch = whole.dstPitch;
  made.WidthInBytes = whole.WidthInBytes, made.Height = whole.Height;
  return made;
}

}  // namespace

SECTION(linear) {
  everywhere("HtoD to", [](Address to, std::size_t bytes) {
    return cuMemcpyHtoD(to, large_host(bytes).data(), bytes);
  });
  everywhere("DtoH from", [](Address from, std::size_t bytes) {
    return cuMemcpyDtoH(large_host(bytes).data(), from, bytes);
  });
  everywhere("DtoD to",
             [](Address to, std::size_t bytes) { return cuMemcpyDtoD(to, device, bytes); });
  everywhere("DtoD from",
             [](Address from, std::size_t bytes) { return cuMemcpyDtoD(device, from, bytes); });
  everywhere("HtoD from", [](Address from, std::size_t bytes) {
    return cuMemcpyHtoD(device, pointer(from), bytes);
  });
  everywhere("DtoH to", [](Address to, std::size_t bytes) {
    return cuMemcpyDtoH(pointer(to), device, bytes);
  });
  everywhere("cuMemcpy to",
             [](Address to, std::size_t bytes) { return cuMemcpy(to, device, bytes); });
  everywhere("cuMemcpy from",
             [](Address from, std::size_t bytes) { return cuMemcpy(device, from, bytes); });
  everywhere("HtoDAsync to", [](Address to, std::size_t bytes) {
    return cuMemcpyHtoDAsync(to, on_host, std::min(bytes, kBytes), stream);
  });
  everywhere("DtoHAsync from", [](Address from, std::size_t bytes) {
    return cuMemcpyDtoHAsync(on_host, from, std::min(bytes, kBytes), stream);
  });
  everywhere("DtoDAsync to", [](Address to, std::size_t bytes) {
    return cuMemcpyDtoDAsync(to, device, bytes, stream);
  });
  everywhere("DtoDAsync from", [](Address from, std::size_t bytes) {
    return cuMemcpyDtoDAsync(device, from, bytes, stream);
  });
  everywhere("cuMemcpyAsync to", [](Address to, std::size_t bytes) {
    return cuMemcpyAsync(to, device, bytes, stream);
  });
  everywhere("cuMemcpyAsync from", [](Address from, std::size_t bytes) {
    return cuMemcpyAsync(device, from, bytes, stream);
  });
  ask_all();
}

SECTION(boxes) {
  for (const auto type : {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_UNIFIED, CU_MEMORYTYPE_HOST}) {
    const std::string of = " of type " + std::to_string(type);
    const auto to = [type](Address address, std::size_t bytes) {
      return box(CU_MEMORYTYPE_DEVICE, device, type, address, bytes);
    };
    const auto from = [type](Address address, std::size_t bytes) {
      return box(type, address, CU_MEMORYTYPE_DEVICE, device, bytes);
    };
    everywhere("2D to" + of, [to](Address address, std::size_t bytes) {
      const CUDA_MEMCPY2D copy = flat(to(address, bytes));
      return cuMemcpy2D(&copy);
    });
    everywhere("2D from" + of, [from](Address address, std::size_t bytes) {
      const CUDA_MEMCPY2D copy = flat(from(address, bytes));
      return cuMemcpy2D(&copy);
    });
    everywhere("2DUnaligned to" + of, [to](Address address, std::size_t bytes) {
      const CUDA_MEMCPY2D copy = flat(to(address, bytes));
      return cuMemcpy2DUnaligned(&copy);
    });
    everywhere("2DAsync to" + of, [to](Address address, std::size_t bytes) {
      const CUDA_MEMCPY2D copy = flat(to(address, bytes));
      return cuMemcpy2DAsync(&copy, stream);
    });
    everywhere("3D to" + of, [to](Address address, std::size_t bytes) {
      const CUDA_MEMCPY3D copy = to(address, bytes);
      return cuMemcpy3D(&copy);
    });
    everywhere("3D from" + of, [from](Address address, std::size_t bytes) {
      const CUDA_MEMCPY3D copy = from(address, bytes);
      return cuMemcpy3D(&copy);
    });
    everywhere("3DAsync from" + of, [from](Address address, std::size_t bytes) {
      const CUDA_MEMCPY3D copy = from(address, bytes);
      return cuMemcpy3DAsync(&copy, stream);
    });
  }
  for (const int type : {0, 5, -1})
    question("2D to type " + std::to_string(type), [type] {
      const CUDA_MEMCPY2D copy =
          flat(box(CU_MEMORYTYPE_DEVICE, device, static_cast<CUmemorytype>(type), pinned, kBytes));
      return cuMemcpy2D(&copy);
    });
  everywhere("cuMemcpyPeer to", [](Address to, std::size_t bytes) {
    CUcontext here;
    cuCtxGetCurrent(&here);
    return cuMemcpyPeer(to, here, device, here, bytes);
  });
  everywhere("3DPeer to", [](Address to, std::size_t bytes) {
    const CUDA_MEMCPY3D same = box(CU_MEMORYTYPE_DEVICE, device, CU_MEMORYTYPE_DEVICE, to, bytes);
    CUDA_MEMCPY3D_PEER copy{};
    copy.srcMemoryType = same.srcMemoryType, copy.dstMemoryType = same.dstMemoryType;
    copy.srcDevice = same.srcDevice, copy.dstDevice = same.dstDevice;
    copy.srcPitch = same.srcPitch, copy.dstPitch = same.dstPitch;
    copy.srcHeight = same.srcHeight, copy.dstHeight = same.dstHeight;
    copy.WidthInBytes = same.WidthInBytes, copy.Height = same.Height, copy.Depth = same.Depth;
    cuCtxGetCurrent(&copy.srcContext);
    copy.dstContext = copy.srcContext;
    return cuMemcpy3DPeer(&copy);
  });
  ask_all();
}

SECTION(fills) {
  everywhere("D8", [](Address to, std::size_t bytes) { return cuMemsetD8(to, 1, bytes); });
  everywhere("D32Async", [](Address to, std::size_t bytes) {
    return cuMemsetD32Async(to, 1, bytes / 4, stream);
  });
  everywhere("D2D8", [](Address to, std::size_t bytes) {
    return cuMemsetD2D8(to, bytes / 2, 1, bytes / 2, 2);
  });
  everywhere("D2D32Async", [](Address to, std::size_t bytes) {
    return cuMemsetD2D32Async(to, bytes / 2, 1, bytes / 8, 2, stream);
  });
  ask_all();
}

SECTION(told) {
  everywhere("prefetch", [](Address address, std::size_t bytes) {
    return cuMemPrefetchAsync(address, bytes, {CU_MEM_LOCATION_TYPE_DEVICE, 0}, 0, stream);
  });
  everywhere("advise", [](Address address, std::size_t bytes) {
    return cuMemAdvise(address, bytes, CU_MEM_ADVISE_SET_READ_MOSTLY,
                       {CU_MEM_LOCATION_TYPE_DEVICE, 0});
  });
  everywhere("memory type", [](Address address, std::size_t) {
    unsigned type = 0;
    return cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address);
  });
  everywhere("range", [](Address address, std::size_t) {
    Address base;
    std::size_t size;
    return cuMemGetAddressRange(&base, &size, address);
  });
  everywhere("range's attribute", [](Address address, std::size_t bytes) {
    int value = 0;
    return cuMemRangeGetAttribute(&value, sizeof value, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, address,
                                  bytes);
  });
  ask_all();
}

SECTION(batches) {
  const auto batch = [](Address to, Address from, std::size_t bytes) {
    CUmemcpyAttributes attributes{};
    attributes.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    std::size_t first = 0;
    return cuMemcpyBatchAsync(&to, &from, &bytes, 1, &attributes, &first, 1, stream);
  };
  everywhere("batch to",
             [batch](Address to, std::size_t bytes) { return batch(to, device, bytes); });
  everywhere("batch from",
             [batch](Address from, std::size_t bytes) { return batch(device, from, bytes); });
  ask_all();
}

SECTION(graphs) {
  const auto add = [](const CUDA_MEMCPY3D& copy) {
    CUgraph graph;
    CUgraphNode node;
    CUcontext here;
    cuCtxGetCurrent(&here);
    cuGraphCreate(&graph, 0);
    return cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &copy, here);
  };
  for (const auto type : {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_UNIFIED, CU_MEMORYTYPE_HOST}) {
    const std::string of = " of type " + std::to_string(type);
    everywhere("copy to" + of, [type, add](Address to, std::size_t bytes) {
      return add(box(CU_MEMORYTYPE_DEVICE, device, type, to, bytes));
    });
    everywhere("copy from" + of, [type, add](Address from, std::size_t bytes) {
      return add(box(type, from, CU_MEMORYTYPE_DEVICE, device, bytes));
    });
  }
  everywhere("fill", [](Address to, std::size_t bytes) {
    CUgraph graph;
    CUgraphNode node;
    CUcontext here;
    cuCtxGetCurrent(&here);
    cuGraphCreate(&graph, 0);
    const CUDA_MEMSET_NODE_PARAMS params{to, 0, 1, 1, bytes, 1};
    return cuGraphAddMemsetNode(&node, graph, nullptr, 0, &params, here);
  });
  ask_all();
}

SECTION(runtime) {
  for (int kind = 0; kind <= 4; ++kind) {
    const auto as = static_cast<cudaMemcpyKind>(kind);
    const std::string of = " of kind " + std::to_string(kind);
    everywhere("cudaMemcpy to" + of, [as](Address to, std::size_t bytes) {
      return cudaMemcpy(pointer(to), pointer(device), bytes, as);
    });
    everywhere("cudaMemcpy from" + of, [as](Address from, std::size_t bytes) {
      return cudaMemcpy(pointer(device), pointer(from), bytes, as);
    });
    everywhere("cudaMemcpy host to" + of, [as](Address to, std::size_t bytes) {
      return cudaMemcpy(pointer(to), large_host(bytes).data(), bytes, as);
    });
    everywhere("cudaMemcpy2DAsync to" + of, [as](Address to, std::size_t bytes) {
      return cudaMemcpy2DAsync(pointer(to), bytes / 2, pointer(device), bytes / 2, bytes / 2, 2, as,
                               stream);
    });
    everywhere("cudaMemcpy3D from" + of, [as](Address from, std::size_t bytes) {
      cudaMemcpy3DParms copy{};
      copy.srcPtr = make_cudaPitchedPtr(pointer(from), bytes / 2, bytes / 2, 2);
      copy.dstPtr = make_cudaPitchedPtr(pointer(device), bytes / 2, bytes / 2, 2);
      copy.extent = make_cudaExtent(bytes / 2, 2, 1);
      copy.kind = as;
      return cudaMemcpy3D(&copy);
    });
  }
  everywhere("cudaMemcpyPeer to", [](Address to, std::size_t bytes) {
    return cudaMemcpyPeer(pointer(to), 0, pointer(device), 0, bytes);
  });
  everywhere("cudaMemcpy3DPeer to", [](Address to, std::size_t bytes) {
    cudaMemcpy3DPeerParms copy{};
    copy.srcPtr = make_cudaPitchedPtr(pointer(device), bytes / 2, bytes / 2, 2);
    copy.dstPtr = make_cudaPitchedPtr(pointer(to), bytes / 2, bytes / 2, 2);
    copy.extent = make_cudaExtent(bytes / 2, 2, 1);
    return cudaMemcpy3DPeer(&copy);
  });
  everywhere("cudaMemset",
             [](Address to, std::size_t bytes) { return cudaMemset(pointer(to), 1, bytes); });
  everywhere("cudaMemset2DAsync", [](Address to, std::size_t bytes) {
    return cudaMemset2DAsync(pointer(to), bytes / 2, 1, bytes / 2, 2, stream);
  });
  everywhere("cudaGraphAddMemcpyNode1D to", [](Address to, std::size_t bytes) {
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphCreate(&graph, 0);
    return cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, pointer(to), pointer(device), bytes,
                                    cudaMemcpyDeviceToDevice);
  });
  ask_all();
}
