// The one process-wide instance behind libcudart.so.13: what the program registered, its context,
// and each thread's last error. Everything else lives in the core.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gpu/runtime/context.hpp"
#include "gpu/runtime/driver_support.hpp"
#include "gpu/runtime/options.hpp"

namespace heddle::runtime {

class RecordStreamWriter;

struct RegisteredBinary;

// What host code launches by its stub's address; the program's cudaKernel_t points to one.
struct RegisteredKernel {
  RegisteredBinary* binary = nullptr;
  std::string name;            // mangled
  const void* stub = nullptr;  // of a library: the kernel itself
};

// A fat binary that host code registered. Its code is loaded when something in it is first used.
struct RegisteredBinary {
  const abi::FatBinaryWrapper* wrapper = nullptr;  // null: of a library, which is loaded at once
  // In each GPU's present context, and why there is none.
  std::array<CodeImage*, System::kMostGpus> images{};
  std::array<Error, System::kMostGpus> load_errors{};
  // Of code for another GPU than `but`, which has been loaded there; null: none has.
  const CodeImage* image_elsewhere(unsigned but) const;
  // Of a library: what it was made of, to be loaded for other GPUs.
  std::vector<isa::FatEntry> code;
  std::string origin;
  JitOptions jit;
  std::vector<std::unique_ptr<RegisteredKernel>> kernels;
  std::map<std::string_view, RegisteredKernel*> kernel_of_name;  // of a library: those asked for
  std::vector<const void*> variables;                            // their shadows
};

struct RegisteredVariable {
  RegisteredBinary* binary = nullptr;
  std::string name;
  void** managed_pointer = nullptr;  // managed: where host code keeps its address
};

struct LaunchConfiguration {
  abi::Dim3 grid, block;
  std::size_t shared_bytes;
  abi::Handle stream;
};

// Of one host thread. Trivial, so that it outlives every other destructor of its thread.
struct ThreadState {
  static constexpr unsigned kMaxNesting = 64;
  Error last_error = Error::success;
  ThreadContexts contexts;
  CaptureMode capture_mode = CaptureMode::global;
  unsigned configurations = 0;
  LaunchConfiguration configuration[kMaxNesting];
};

class Runtime {
 public:
  static Runtime& instance();  // never destroyed: programs unregister their code very late
  static Runtime* if_any();    // null in a process that has called nothing
  static ThreadState& thread();

  // Chosen by the user, or when it is first asked for, by the code that is registered then.
  const simulator::GpuModel& model();
  // A line for the user on stderr. `once`: not if this text was printed before.
  void notice(const std::string& text);
  void notice_once(const std::string& text);

  // The GPUs that the program sees; all are of one model.
  unsigned gpus() const { return options_.gpus; }
  bool has_gpu(int number) const { return number >= 0 && static_cast<unsigned>(number) < gpus(); }
  // The context of a GPU, or of the calling thread's: created by the first call that needs it. Null
  // after shut_down, or in a process forked since.
  std::shared_ptr<Context> context(unsigned gpu);
  std::shared_ptr<Context> context() { return context(thread().contexts.gpu); }
  std::shared_ptr<Context> context_if_any(unsigned gpu) const;
  bool has_context() const;  // of any GPU
  // A call of the runtime that needs the device makes its primary context current, if none is.
  // False: the thread works in a context that is destroyed.
  bool work_in_context();
  CudaContext& primary(unsigned gpu) { return primary_.at(gpu); }
  // Any call of the program's, but a few, initialises the driver (tests/answers/driver_states.cu).
  static void initialise_driver();
  static inline std::atomic<bool> is_initialised{false};
  Error reset();  // cudaDeviceReset
  // Finishes the work; no context until code is registered again.
  void shut_down();
  void end();  // of the process: shuts down, and ends the record

  RegisteredBinary* register_binary(const void* wrapper);
  void unregister_binary(RegisteredBinary* binary);
  void register_kernel(RegisteredBinary* binary, const void* stub, const char* name);
  void register_variable(RegisteredBinary* binary, const void* shadow, const char* name,
                         void** managed_pointer);
  // Sets the pointers through which host code reaches the managed variables of `binary`.
  Error initialize_managed(RegisteredBinary* binary, Context& context);

  // Libraries: code that the program loads itself (cudaLibraryLoadData, cuModuleLoadData).
  Error load_library(std::vector<isa::FatEntry> code, const std::string& origin, Context& context,
                     RegisteredBinary*& library, const JitOptions& options, std::string& why);
  // The library that a kernel is of; null: no such kernel, or it came with the program.
  RegisteredBinary* library_of(const void* kernel);
  Error unload_library(RegisteredBinary* library);
  // The library's code in this context; null: no such library.
  CodeImage* library_image(RegisteredBinary* library, Context& context);
  // Null: it has no such kernel. The same handle each time.
  RegisteredKernel* library_kernel(RegisteredBinary* library, Context& context,
                                   std::string_view name);

  RegisteredKernel* kernel_by_stub(const void* stub);
  // `handle`: a stub's address or a RegisteredKernel.
  Error function(const void* handle, Context& context, Function*& function);
  Error variable(const void* shadow, Context& context, MemoryBlock& block);

 private:
  Runtime();
  ContextOptions context_options();
  void open_record_stream(const simulator::GpuModel& gpu);
  void prepare_process(const simulator::GpuModel& model);
  void open_capture();
  void open_trace();
  Error load(RegisteredBinary& binary, Context& context);
  void unload(RegisteredBinary& binary);                  // from all GPUs
  std::vector<std::shared_ptr<Context>> take_contexts();  // with mutex_
  RegisteredKernel& add_kernel(RegisteredBinary& binary, const void* stub, std::string name);
  void forget_names(const RegisteredBinary& binary);  // of its kernels and variables

  bool has_usual_code() const;
  const simulator::GpuModel& choose_model();
  void use_model(const simulator::GpuModel& chosen);

  Options options_;
  std::string program_;
  std::vector<std::shared_ptr<LaunchObserver>> observers_;
  std::shared_ptr<RecordStreamWriter> record_;

  std::mutex creating_;  // of contexts; taken before mutex_
  mutable std::mutex mutex_;
  std::shared_ptr<System> system_;
  std::array<std::shared_ptr<Context>, System::kMostGpus> contexts_;
  pid_t process_ = 0;  // that created the context
  bool shut_down_ = false;
  std::array<CudaContext, System::kMostGpus> primary_;
  bool abandoned_ = false;  // with work that can no longer be brought to an end
  std::set<std::string> said_;

  std::recursive_mutex registry_mutex_;  // of what follows; taken before mutex_ where both are
  std::optional<simulator::GpuModel> model_;
  std::map<RegisteredBinary*, std::unique_ptr<RegisteredBinary>> binaries_;
  std::map<const void*, RegisteredKernel*> kernels_;  // by stub
  std::map<const void*, RegisteredKernel*> kernel_handles_;
  std::map<const void*, RegisteredVariable> variables_;  // by shadow
};

}  // namespace heddle::runtime
