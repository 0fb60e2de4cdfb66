// The library the driver loads into the measured program (CUDA_INJECTION64_PATH): it listens to
// launches, allocations and modules through CUPTI's callbacks and hands each launch to one mode.
// The program is not changed and does not know. Every failure is reported on stderr and
// ends measuring, not the program.
#include <cuda.h>
#include <cupti.h>

#include <cstdlib>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "gpu/cupti/check.hpp"
#include "gpu/cupti/cubin.hpp"
#include "gpu/cupti/memory_calls.hpp"
#include "gpu/cupti/mode.hpp"
#include "gpu/cupti/provenance.hpp"

namespace heddle::cupti {
namespace {

// Driver calls made while measuring call back too; they are ours and not the program's. Modules
// they load are the program's all the same.
thread_local bool inside = false;

class Measurement {
 public:
  // `only`: the one launch to measure; `first`: how many of the first launches to measure. The
  // others are counted.
  Measurement(std::string mode_name, std::unique_ptr<Mode> mode, const std::string& path,
              std::optional<std::uint64_t> only, std::optional<std::uint64_t> first)
      : mode_name_(std::move(mode_name)), mode_(std::move(mode)), only_(only), first_(first) {
    if (!file_.create(path))
      throw std::runtime_error(path + " exists or cannot be made; not measured");
  }

  void api_call(CUpti_CallbackId id, const CUpti_CallbackData& data) {
    const bool enters = data.callbackSite == CUPTI_API_ENTER;
    if (const auto launch = launch_of(id, data))
      return enters ? launch_enters(*launch) : launch_exits(*launch, data);
    if (enters || *static_cast<CUresult*>(data.functionReturnValue) != CUDA_SUCCESS) return;
    const std::lock_guard lock(mutex_);
    track_memory(id, data.functionParams, allocations_);
  }

  void resource(CUpti_CallbackId id, const CUpti_ResourceData& data) {
    const std::lock_guard lock(mutex_);
    if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED) {
      const auto& module = *static_cast<const CUpti_ModuleResourceData*>(data.resourceDescriptor);
      cubins_.emplace_back(module.pCubin, module.cubinSize);
    } else if (id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) {
      allocations_.clear();
      globals_.clear();
      mode_->context_ends(data.context);
    }
  }

  void program_ends() {
    const std::lock_guard lock(mutex_);
    if (failed_) return;
    if (!started_)
      file_.header(mode_name_, provenance(0), {});  // a program without launches has a record too
    file_.end(launches_);
    failed_ = true;
  }

  void fail(const std::exception& error) {
    if (!failed_)
      std::fprintf(stderr, "heddle measure (%s): %s\n", mode_name_.c_str(), error.what());
    failed_ = true;
  }

 private:
  // Launches of several host threads are measured one after another: the lock is held from enter to
  // exit.
  void launch_enters(const Launch& launch) {
    mutex_.lock();
    if (failed_ || launch.capturing()) return;
    counting_ = true;
    if ((only_ && *only_ != launches_) || (first_ && launches_ >= *first_)) return;
    HEDDLE_CALL(cuCtxSynchronize());
    if (!started_) start();
    const Members attributes = launch.attributes();  // loads the module if it is not yet
    const Cubin* cubin = cubin_of(launch.kernel);
    globals_ = cubin != nullptr ? globals_of(*cubin, launch) : std::vector<Global>{};
    fragment_ = {};
    fragment_.index = launches_;
    identify(launch, attributes, cubin);
    measuring_ = true;
    mode_->before(launch, {allocations_, globals_}, fragment_);
  }

  void launch_exits(const Launch& launch, const CUpti_CallbackData& data) {
    const std::unique_lock lock(mutex_, std::adopt_lock);
    const bool counting = std::exchange(counting_, false),
               measuring = std::exchange(measuring_, false);
    if (!counting || failed_ || *static_cast<CUresult*>(data.functionReturnValue) != CUDA_SUCCESS)
      return;
    ++launches_;
    if (!measuring) return;
    const CUresult end = cuCtxSynchronize();
    if (end == CUDA_SUCCESS) {
      mode_->after(launch, {allocations_, globals_}, fragment_);
    } else if (!only_) {  // said once, by the run that measures all launches
      const char* name = "";
      cuGetErrorName(end, &name);
      fragment_.other.add("fault", name);
    }
    file_.launch(fragment_);
    if (!only_) return;
    // What this run was for is done. The program is run for its other launches too, and to its end,
    // in other runs; and CUPTI 13.0 crashes at exit when a context whose launch it patched was
    // destroyed before.
    file_.end(launches_);
    std::_Exit(0);
  }

  void start() {
    CUdevice device = 0;
    HEDDLE_CALL(cuCtxGetDevice(&device));
    const Members own = mode_->header(device);
    file_.header(mode_name_, provenance(device), own);
    started_ = true;
  }

  void identify(const Launch& launch, const Members& attributes, const Cubin* cubin) {
    const auto dimensions = [](const std::array<std::uint32_t, 3>& d) {
      return json_array({std::to_string(d[0]), std::to_string(d[1]), std::to_string(d[2])});
    };
    Members& m = fragment_.identity;
    m.add("kernel", launch.kernel)
        .add_raw("grid", dimensions(launch.grid))
        .add_raw("block", dimensions(launch.block));
    m.add("dynamic_shared_bytes", launch.dynamic_shared_bytes);
    m.add_members(attributes.text());
    if (cubin != nullptr) m.add("code_sha256", cubin->code_sha256());
  }

  // The module loaded last that has the kernel.
  const Cubin* cubin_of(const char* kernel) const {
    for (auto cubin = cubins_.rbegin(); cubin != cubins_.rend(); ++cubin)
      if (cubin->has_function(kernel)) return &*cubin;
    return nullptr;
  }

  static std::vector<Global> globals_of(const Cubin& cubin, const Launch& launch) {
    std::vector<Global> out;
    const CUmodule module = launch.module();
    for (const GlobalVariable& variable : cubin.global_variables()) {
      Global global{variable.name, 0, 0, variable.function_pointers};
      // A variable the linker removed has no address to be had.
      const CUresult found =
          cuModuleGetGlobal(&global.address, &global.bytes, module, variable.name.c_str());
      if (found == CUDA_SUCCESS && global.bytes != 0) out.push_back(std::move(global));
    }
    return out;
  }

  std::string mode_name_;
  std::unique_ptr<Mode> mode_;
  FragmentFile file_;
  std::recursive_mutex mutex_;  // modules may be loaded by a launch that is being measured
  Allocations allocations_;
  std::deque<Cubin> cubins_;  // in order of loading
  std::vector<Global> globals_;
  LaunchFragment fragment_;
  std::uint64_t launches_ = 0;
  std::optional<std::uint64_t> only_, first_;
  bool started_ = false, failed_ = false;
  bool counting_ = false, measuring_ = false;  // between the enter and the exit of a launch
};

// Lives until the process ends: callbacks may come from any thread until then.
Measurement* measurement = nullptr;

void CUPTIAPI on_callback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                          const void* data) {
  const bool nested = std::exchange(inside, true);
  try {
    if (domain == CUPTI_CB_DOMAIN_RESOURCE)
      measurement->resource(id, *static_cast<const CUpti_ResourceData*>(data));
    else if (!nested)
      measurement->api_call(id, *static_cast<const CUpti_CallbackData*>(data));
  } catch (const std::exception& error) {
    measurement->fail(error);
  }
  inside = nested;
}

void subscribe() {
  CUpti_SubscriberHandle subscriber = nullptr;
  HEDDLE_CALL(
      cuptiSubscribe(&subscriber, reinterpret_cast<CUpti_CallbackFunc>(on_callback), nullptr));
  for (const CUpti_CallbackId id : kLaunchEntries)
    HEDDLE_CALL(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, id));
  for (const CUpti_CallbackId id : kMemoryCalls)
    HEDDLE_CALL(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, id));
  for (const CUpti_CallbackId id :
       {CUPTI_CBID_RESOURCE_MODULE_LOADED, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING})
    HEDDLE_CALL(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, id));
}

std::unique_ptr<Mode> make_mode(const std::string& name) {
  if (name == "sass") return make_sass_mode();
  if (name == "counters") return make_counters_mode();
  if (name == "memory") return make_memory_mode();
  if (name == "launches") return make_launches_mode();
  if (name == "timing") return make_timing_mode();
  if (name == "sampling") return make_sampling_mode();
  throw std::runtime_error(
      "HEDDLE_MEASURE_MODE must be sass, counters, memory, launches, timing or sampling");
}

std::string required(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr) throw std::runtime_error(std::string(variable) + " is not set");
  return value;
}

std::optional<std::uint64_t> number(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? std::nullopt : std::optional<std::uint64_t>(std::stoull(text));
}

}  // namespace
}  // namespace heddle::cupti

// Called by the driver once it has loaded the library; anything but 0 means success.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  using namespace heddle::cupti;
  if (measurement != nullptr) return 1;
  try {
    const std::string mode = required("HEDDLE_MEASURE_MODE");
    measurement = new Measurement(mode, make_mode(mode), required("HEDDLE_MEASURE_OUT"),
                                  number("HEDDLE_MEASURE_ONLY"), number("HEDDLE_MEASURE_FIRST"));
    subscribe();
    std::atexit([] {
      try {
        measurement->program_ends();
      } catch (const std::exception& error) {
        measurement->fail(error);
      }
    });
  } catch (const std::exception& error) {
    std::fprintf(stderr, "heddle measure: %s\n", error.what());
  }
  return 1;
}
