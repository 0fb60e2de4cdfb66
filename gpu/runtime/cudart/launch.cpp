// Launching kernels, and what can be asked of and set on them.
#include <algorithm>
#include <vector>

#include "gpu/runtime/cudart/api.hpp"
#include "gpu/runtime/cudart/graphs.hpp"

namespace heddle::runtime {

namespace {

simulator::Dim3 dim(const abi::Dim3& given) { return {given.x, given.y, given.z}; }
abi::Dim3 whole(const simulator::Dim3& given) { return {given.x, given.y, given.z}; }

Error launch(const void* kernel, const LaunchShape& shape, void** arguments, abi::Handle stream,
             DefaultStream zero) {
  return on_function(kernel, [&](Context& context, Function& function) {
    const auto in = context.stream(stream, zero);
    if (!in) return Error::invalid_resource_handle;
    if (const Error refused = context.refuse_implicit(*in); refused != Error::success)
      return refused;
    const Error error = context.launch(function, shape, arguments, *in);
    if (error == Error::success && in->capture && !in->captured_last.empty()) {
      const abi::KernelNodeParams given{const_cast<void*>(kernel),
                                        whole(shape.grid),
                                        whole(shape.block),
                                        static_cast<unsigned>(shape.dynamic_shared_bytes),
                                        arguments,
                                        nullptr};
      const_cast<GraphNode*>(in->captured_last.front())->description =
          describe_kernel(function, given);
    }
    return error;
  });
}

// Events that an attribute names: recorded behind the launch, which is when all of it has begun
// too.
struct Extras {
  std::vector<abi::Handle> events;
};

Error apply(const abi::LaunchAttribute& attribute, LaunchShape& shape, Extras& extras) {
  switch (attribute.id) {
    case abi::kLaunchAttributeCooperative:
      shape.cooperative = attribute.value.cooperative != 0;
      break;
    case abi::kLaunchAttributeClusterDimension:
      if (const abi::Dim3& d = attribute.value.clusterDim; d.x != 0 || d.y != 0 || d.z != 0) {
        shape.cluster = dim(d);
        shape.explicit_cluster = true;
      }
      break;
    case abi::kLaunchAttributeCarveout:
      if (constexpr unsigned kMost = 100; attribute.value.carveout <= kMost)
        shape.preferred_carveout = static_cast<std::uint8_t>(attribute.value.carveout);
      break;
    case 7:   // programmatic event
    case 12:  // launch completion event
      extras.events.push_back(attribute.value.pointer);
      break;
    case 13:  // device-updatable kernel node
      return not_supported("cudaLaunchKernelExC with a graph node");
    case 3:
    case 15:
      return Error::invalid_value;
    default:  // hints: priority, cache policies, overlap with the kernel before
      return attribute.id < 0 || attribute.id > 16 ? Error::invalid_value : Error::success;
  }
  return Error::success;
}

}  // namespace

HEDDLE_STREAM_API(cudaLaunchKernel, _ptsz,
                  (const void* kernel, abi::Dim3 grid, abi::Dim3 block, void** arguments,
                   std::size_t shared_bytes, abi::Handle stream),
                  (kernel, grid, block, arguments, shared_bytes, stream)) {
  return launch(kernel, {dim(grid), dim(block), {1, 1, 1}, shared_bytes, false}, arguments, stream,
                kStreamZero);
}

HEDDLE_STREAM_API(__cudaLaunchKernel, _ptsz,
                  (abi::Handle kernel, abi::Dim3 grid, abi::Dim3 block, void** arguments,
                   std::size_t shared_bytes, abi::Handle stream),
                  (kernel, grid, block, arguments, shared_bytes, stream)) {
  return launch(kernel, {dim(grid), dim(block), {1, 1, 1}, shared_bytes, false}, arguments, stream,
                kStreamZero);
}

HEDDLE_STREAM_API(cudaLaunchCooperativeKernel, _ptsz,
                  (const void* kernel, abi::Dim3 grid, abi::Dim3 block, void** arguments,
                   std::size_t shared_bytes, abi::Handle stream),
                  (kernel, grid, block, arguments, shared_bytes, stream)) {
  return launch(kernel, {dim(grid), dim(block), {1, 1, 1}, shared_bytes, true}, arguments, stream,
                kStreamZero);
}

HEDDLE_STREAM_API(cudaLaunchKernelExC, _ptsz,
                  (const abi::LaunchConfig* config, const void* kernel, void** arguments),
                  (config, kernel, arguments)) {
  return api([&] {
    if (config == nullptr || (config->numAttrs != 0 && config->attrs == nullptr))
      return Error::invalid_value;
    LaunchShape shape{
        dim(config->gridDim), dim(config->blockDim), {1, 1, 1}, config->dynamicSmemBytes, false};
    Extras extras;
    for (unsigned i = 0; i < config->numAttrs; ++i)
      if (const Error error = apply(config->attrs[i], shape, extras); error != Error::success)
        return error;
    const Error error = launch(kernel, shape, arguments, config->stream, kStreamZero);
    if (error != Error::success || extras.events.empty()) return error;
    return on_stream(config->stream, kStreamZero, [&](Context& context, Stream& in) {
      for (const abi::Handle handle : extras.events) {
        const auto event = context.event(handle);
        if (!event) return Error::invalid_resource_handle;
        context.record(*event, in);
      }
      return Error::success;
    });
  });
}

HEDDLE_API Error cudaFuncGetAttributes(abi::FuncAttributes* attributes, const void* kernel) {
  return on_function(kernel, [&](Context& context, Function& function) {
    if (attributes == nullptr) return Error::invalid_value;
    const isa::Kernel& described = function.kernel;
    const simulator::GpuModel& model = context.model();
    *attributes = {};
    attributes->sharedSizeBytes = function.static_shared_bytes();
    attributes->constSizeBytes = function.module.constant_bank3().size();
    attributes->localSizeBytes = described.frame_bytes;
    attributes->numRegs = static_cast<int>(described.registers);
    attributes->ptxVersion = attributes->binaryVersion =
        isa::sm_number(function.module.cubin().arch);
    attributes->maxDynamicSharedSizeBytes = function.max_dynamic_shared_bytes;
    attributes->preferredShmemCarveout = function.preferred_carveout;
    attributes->nonPortableClusterSizeAllowed = function.non_portable_cluster_size;
    attributes->clusterSchedulingPolicyPreference = function.cluster_policy;
    attributes->clusterDimMustBeSet = described.cluster[0] != 0;
    int* const cluster[] = {&attributes->requiredClusterWidth, &attributes->requiredClusterHeight,
                            &attributes->requiredClusterDepth};
    for (unsigned i = 0; i < 3; ++i)
      *cluster[i] = described.cluster[0] != 0 ? static_cast<int>(described.cluster[i])
                                              : function.wanted_cluster[i].load();
    attributes->maxThreadsPerBlock = static_cast<int>(max_threads_per_block(model, described));
    return Error::success;
  });
}

static Error set_attribute(const Context& context, Function& function,
                           abi::FunctionAttribute attribute, int value) {
  switch (attribute) {
    case abi::FunctionAttribute::max_dynamic_shared_memory_size: {
      const auto most = static_cast<int>(context.model().shared_bytes_per_block_optin -
                                         function.static_shared_bytes());
      if (value < 0 || value > most) return Error::invalid_value;
      function.max_dynamic_shared_bytes = value;
      return Error::success;
    }
    case abi::FunctionAttribute::preferred_shared_memory_carveout:
      if (value < -1 || value > 100) return Error::invalid_value;
      function.preferred_carveout = value;
      return Error::success;
    case abi::FunctionAttribute::non_portable_cluster_size_allowed:
      function.non_portable_cluster_size = value;
      return Error::success;
    case abi::FunctionAttribute::required_cluster_width:
    case abi::FunctionAttribute::required_cluster_height:
    case abi::FunctionAttribute::required_cluster_depth:
      if (value < 0 || function.kernel.cluster[0] != 0) return Error::invalid_value;
      function.wanted_cluster[static_cast<std::size_t>(attribute) -
                              static_cast<std::size_t>(
                                  abi::FunctionAttribute::required_cluster_width)] = value;
      return Error::success;
    case abi::FunctionAttribute::cluster_scheduling_policy_preference:
      if (value < 0 || value > 2) return Error::invalid_value;
      function.cluster_policy = value;
      return Error::success;
    default:
      return Error::invalid_value;
  }
}

HEDDLE_API Error cudaFuncSetAttribute(const void* kernel, abi::FunctionAttribute attribute,
                                      int value) {
  return on_function(kernel, [&](Context& context, Function& function) {
    return set_attribute(context, function, attribute, value);
  });
}

HEDDLE_API Error cudaKernelSetAttributeForDevice(abi::Handle kernel,
                                                 abi::FunctionAttribute attribute, int value,
                                                 int device) {
  return on_gpu(device, [&](Context& context) {
    Function* function = nullptr;
    const Error error = Runtime::instance().function(kernel, context, function);
    return error == Error::success ? set_attribute(context, *function, attribute, value) : error;
  });
}

HEDDLE_API Error cudaFuncSetCacheConfig(const void* kernel, int config) {
  return on_function(kernel, [&](Context&, Function& function) {
    if (config < 0 || config > 3) return Error::invalid_value;
    function.preferred_cache = config;
    return Error::success;
  });
}

HEDDLE_API Error cudaFuncSetSharedMemConfig(const void* kernel, int) {
  return on_function(kernel, [](Context&, Function&) { return Error::success; });
}

HEDDLE_API Error cudaFuncGetName(const char** name, const void* kernel) {
  return on_function(kernel, [&](Context&, Function& function) {
    if (name == nullptr) return Error::invalid_value;
    *name = function.kernel.name.c_str();
    return Error::success;
  });
}

HEDDLE_API Error cudaFuncGetParamInfo(const void* kernel, std::size_t index, std::size_t* offset,
                                      std::size_t* size) {
  return on_function(kernel, [&](Context&, Function& function) {
    const auto& parameters = function.kernel.parameters;
    if (offset == nullptr || index >= parameters.size()) return Error::invalid_value;
    *offset = parameters[index].offset;
    if (size != nullptr) *size = parameters[index].size;
    return Error::success;
  });
}

HEDDLE_API Error cudaGetFuncBySymbol(abi::Handle* function, const void* symbol) {
  return on_function(symbol, [&](Context&, Function&) {
    if (function == nullptr) return Error::invalid_value;
    *function = Runtime::instance().kernel_by_stub(symbol);
    return Error::success;
  });
}

}  // namespace heddle::runtime
