#include "gpu/runtime/cudart/runtime.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "gpu/runtime/capsule_writer.hpp"
#include "gpu/runtime/cudart/api.hpp"
#include "gpu/runtime/cudart/process_record.hpp"
#include "gpu/runtime/cudart/refuse.hpp"
#include "gpu/runtime/losses.hpp"
#include "gpu/runtime/own_thread.hpp"
#include "gpu/runtime/progress_line.hpp"
#include "gpu/runtime/record_stream.hpp"
#include "gpu/runtime/trace_observer.hpp"
#include "isa/fat_binary.hpp"
#include "simulator/base/display_names.hpp"
#include "simulator/models/gpu_model.hpp"

namespace heddle::runtime {
namespace {

std::atomic<Runtime*> the_instance{nullptr};

constexpr int kHeddleFailed = 125;  // exit status, as of the `heddle` command

// None where there is no /proc.
std::vector<std::string> program_arguments() {
  constexpr const char* kPath = "/proc/self/cmdline";
  std::ifstream file(kPath, std::ios::binary);
  if (!file && errno != ENOENT)
    throw std::runtime_error(fmt::format("{}: cannot open: {}", kPath, std::strerror(errno)));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> arguments;
  for (std::size_t at = 0; at < text.size();) {
    arguments.emplace_back(text.c_str() + at);
    at += arguments.back().size() + 1;
  }
  return arguments;
}

// The fat binary in this process's memory, by the sizes in its header; empty when host code
// registered something else.
std::span<const std::byte> fat_binary_bytes(const abi::FatBinaryWrapper* wrapper) {
  if (wrapper == nullptr || wrapper->magic != abi::kFatBinaryWrapperMagic) return {};
  std::uint16_t header_bytes;
  std::uint64_t contents_bytes;
  std::memcpy(&header_bytes, wrapper->data + 6, sizeof header_bytes);
  std::memcpy(&contents_bytes, wrapper->data + 8, sizeof contents_bytes);
  return {wrapper->data, header_bytes + contents_bytes};
}

// Code without kernels, such as nvcc leaves of a file that has none, does not say for which GPU a
// program was made.
bool has_kernels(const isa::FatEntry& entry, const std::string& origin) {
  return entry.kind != isa::FatEntry::Kind::elf ||
         !isa::parse_cubin(entry.contents, origin).kernels.empty();
}

// Before the program changes its user or its root, or closes what it did not open.
[[gnu::constructor]] void share_losses_early() {
  if (const char* stream = getenv("HEDDLE_RECORD_STREAM")) share_losses(stream);
}

// What fails costs a result, and the program nothing.
template <typename Step>
void or_lose(Step step) {
  try {
    step();
  } catch (const std::exception& failure) {
    report_loss(failure.what());
  }
}

}  // namespace

Runtime& Runtime::instance() {
  static Runtime& runtime = *new Runtime;
  the_instance = &runtime;
  return runtime;
}

Runtime* Runtime::if_any() { return the_instance; }

ThreadState& Runtime::thread() {
  static thread_local ThreadState state;
  return state;
}

Runtime::Runtime() try {
  options_ = options_from_environment([](const char* name) -> const char* { return getenv(name); });
  for (unsigned gpu = 0; gpu < primary_.size(); ++gpu) {
    primary_[gpu].gpu = gpu;
    primary_[gpu].is_primary = true;
  }
  if (!options_.gpu.empty()) {
    use_model(on_own_thread([&] { return simulator::gpu_model(options_.gpu); }));
    if (model_->sketches_only())
      throw OptionsError(fmt::format("HEDDLE_GPU={}: this model runs only sketches", options_.gpu));
  }
  const auto arguments = program_arguments();
  program_ = arguments.empty() ? "the program" : arguments.front();
} catch (const std::exception& bad) {
  notice(bad.what());
  _exit(kHeddleFailed);
}

const simulator::GpuModel& Runtime::model() {
  std::lock_guard lock(registry_mutex_);
  if (!model_) use_model(on_own_thread([this] { return choose_model(); }));
  return *model_;
}

void Runtime::use_model(const simulator::GpuModel& chosen) {
  model_ = chosen;
  if (options_.max_memory != 0)
    model_->memory_bytes = std::min(model_->memory_bytes, options_.max_memory);
}

// The usual GPU's code is looked for first: to read all that a program carries for others can take
// seconds.
bool Runtime::has_usual_code() const {
  const isa::Arch usual = simulator::reference_model().arch;
  const auto is_usual = [&](const isa::FatEntry& entry) {
    return entry.kind == isa::FatEntry::Kind::elf &&
           isa::arch_from_sm(static_cast<int>(entry.sm)) == usual;
  };
  return std::ranges::any_of(binaries_, [&](const auto& each) {
    if (each.second->wrapper == nullptr) return false;
    try {
      const auto entries =
          isa::read_fat_binary(fat_binary_bytes(each.second->wrapper), program_, is_usual);
      return std::ranges::any_of(entries, [&](const isa::FatEntry& entry) {
        return is_usual(entry) && has_kernels(entry, program_);
      });
    } catch (const isa::CubinError&) {
      return false;  // what is wrong with it is said when it is used
    }
  });
}

const simulator::GpuModel& Runtime::choose_model() {
  if (has_usual_code()) return simulator::reference_model();
  std::vector<isa::FatEntry> all;
  for (const auto& [handle, binary] : binaries_) try {
      if (binary->wrapper == nullptr) continue;
      auto entries = isa::read_fat_binary(fat_binary_bytes(binary->wrapper), program_);
      std::erase_if(entries, [&](const auto& entry) { return !has_kernels(entry, program_); });
      std::ranges::move(entries, std::back_inserter(all));
    } catch (const isa::CubinError&) {
      // What is wrong with it is said when it is used.
    }
  const simulator::GpuModel& model = model_for(all);
  if (!model.is_reference)
    notice(
        fmt::format("{} has {}: it runs on the model of the {} (--gpu, or HEDDLE_GPU, chooses "
                    "another)",
                    program_, describe_entries(all), model.name));
  return model;
}

void Runtime::notice(const std::string& text) {
  const std::string lines = fmt::format("heddle: {}\n", simulator::visible_lines(text));
  std::fwrite(lines.data(), 1, lines.size(), stderr);
}

void Runtime::notice_once(const std::string& text) {
  {
    std::lock_guard lock(mutex_);
    if (!said_.insert(text).second) return;
  }
  notice(text);
}

std::shared_ptr<RecordStreamWriter>& process_record() {
  static auto& record = *new std::shared_ptr<RecordStreamWriter>;  // outlives every thread
  return record;
}

void Runtime::open_record_stream(const simulator::GpuModel& gpu) {
  const std::string path = expand_process(options_.record_stream, getpid());
  std::unique_ptr<simulator::StreamFile> file;
  if (!path.empty())
    file = std::make_unique<simulator::StreamFile>(path);
  else if (options_.record_fd >= 0)
    file = std::make_unique<simulator::StreamFile>(options_.record_fd, "HEDDLE_RECORD_FD");
  else
    return;
  record_ = std::make_shared<RecordStreamWriter>(
      std::move(file), gpu,
      RecordStreamOptions{getpid(), program_arguments(), options_.per_pc, options_.memory_digests});
  process_record() = record_;
  observers_.push_back(careful(record_));
}

void Runtime::open_capture() {
  if (options_.capture_directory.empty()) return;
  const std::string directory = expand_process(options_.capture_directory, getpid());
  observers_.push_back(
      careful(std::make_shared<CapsuleWriter>(directory, options_.capture_kernel)));
}

void Runtime::open_trace() {
  if (options_.trace.empty()) return;
  traces::TraceOptions wanted = traces::trace_options(traces::decode_trace_request(options_.trace));
  wanted.file = expand_process(wanted.file, getpid());
  observers_.push_back(careful(std::make_shared<TraceObserver>(traces::make_trace(wanted))));
}

ContextOptions Runtime::context_options() {
  ContextOptions options;
  options.settings = options_.launches;
  options.observers = observers_;
  options.print = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); };
  options.notice = [this](const std::string& text) { notice_once(text); };
  options.current = [] { return thread().contexts.current(); };
  return options;
}

std::shared_ptr<Context> Runtime::context(unsigned gpu) {
  // First, and without registry_mutex_: a thread that holds that may wait for this one's work.
  if (auto known = context_if_any(gpu)) return known;
  const simulator::GpuModel& model = this->model();
  std::lock_guard one_at_a_time(creating_);
  std::shared_ptr<System> system;
  {
    std::lock_guard lock(mutex_);
    if (shut_down_ || (system_ && process_ != getpid())) return nullptr;
    if (contexts_.at(gpu)) return contexts_[gpu];
    prepare_process(model);
    if (!system_) system_ = std::make_shared<System>(gpus());
    system = system_;
  }
  // It waits for what other GPUs have to do, which may need mutex_.
  try {
    auto made = std::make_shared<Context>(model, context_options(), std::move(system), gpu);
    std::lock_guard lock(mutex_);
    return contexts_[gpu] = std::move(made);
  } catch (const std::exception& bad) {
    notice(bad.what());
    _exit(kHeddleFailed);
  }
}

// With mutex_: what a process opens before its first context.
void Runtime::prepare_process(const simulator::GpuModel& model) {
  if (process_ == 0) {
    or_lose([&] { open_record_stream(model); });
    or_lose([&] { open_capture(); });
    if (options_.progress) observers_.push_back(progress_on_stderr(options_.launches));
    or_lose([&] { open_trace(); });
  }
  process_ = getpid();
}

std::shared_ptr<Context> Runtime::context_if_any(unsigned gpu) const {
  std::lock_guard lock(mutex_);
  return process_ == getpid() ? contexts_.at(gpu) : nullptr;
}

bool Runtime::has_context() const {
  std::lock_guard lock(mutex_);
  return std::ranges::any_of(contexts_, [](const auto& each) { return each != nullptr; });
}

std::vector<std::shared_ptr<Context>> Runtime::take_contexts() {
  std::vector<std::shared_ptr<Context>> taken;
  for (auto& each : contexts_)
    if (each) taken.push_back(std::exchange(each, nullptr));
  system_ = nullptr;
  return taken;
}

bool Runtime::work_in_context() {
  ThreadContexts& mine = thread().contexts;
  if (mine.driver_calls != 0) return true;
  if (mine.depth == 0) mine.push(&primary(mine.gpu));
  CudaContext& current = *mine.current();
  if (current.is_primary)
    current.is_active.store(true, std::memory_order_relaxed);  // in every call
  return !current.is_destroyed.load(std::memory_order_relaxed);
}

void Runtime::initialise_driver() {
  if (!is_initialised.load(std::memory_order_relaxed) && thread().contexts.driver_calls == 0)
    is_initialised.store(true, std::memory_order_relaxed);
}

Error Runtime::reset() {
  const unsigned gpu = thread().contexts.gpu;
  primary(gpu).is_active = false;
  primary(gpu).cache_preference = 0;
  std::shared_ptr<Context> doomed;
  {
    std::scoped_lock lock(registry_mutex_, mutex_);
    doomed = std::exchange(contexts_[gpu], nullptr);
    if (std::ranges::none_of(contexts_, [](const auto& each) { return each != nullptr; }))
      system_ = nullptr;
    for (auto& [handle, binary] : binaries_) {
      binary->images[gpu] = nullptr;
      binary->load_errors[gpu] = Error::success;
    }
  }
  if (doomed && doomed->status() == Error::success) doomed->synchronize();
  return Error::success;
}

void Runtime::shut_down() {
  const simulator::lanes::DefaultEnvironment environment;
  std::vector<std::shared_ptr<Context>> doomed;
  {
    std::lock_guard lock(mutex_);
    if (shut_down_) return;
    shut_down_ = true;
    doomed = take_contexts();
    if (process_ != getpid() || (!doomed.empty() && doomed.front()->inside_action())) {
      // Forked from a process that used the device: its threads are not here. Or ended by a host
      // function in a stream: what comes after it waits for it. Nothing can be brought to an end.
      static auto& abandoned = *new std::vector<std::shared_ptr<Context>>;
      abandoned = std::move(doomed);
      abandoned_ = true;
      return;
    }
  }
  std::size_t bytes = 0;
  for (const auto& context : doomed) bytes += context->finish();
  if (bytes != 0)
    notice(
        fmt::format("{} bytes that kernels printed were not shown, as on a GPU: the program "
                    "ended without waiting for them (cudaDeviceSynchronize)",
                    bytes));
}

void Runtime::end() {
  try {
    shut_down();
  } catch (const std::bad_alloc&) {
    end_without_memory();
  }
  if (record_ && !abandoned_ && process_ == getpid()) or_lose([&] { record_->complete(); });
}

RegisteredBinary* Runtime::register_binary(const void* wrapper) {
  auto binary = std::make_unique<RegisteredBinary>();
  binary->wrapper = static_cast<const abi::FatBinaryWrapper*>(wrapper);
  std::scoped_lock lock(registry_mutex_, mutex_);
  if (!abandoned_) shut_down_ = false;  // code is loaded again after all was unloaded
  RegisteredBinary* handle = binary.get();
  binaries_[handle] = std::move(binary);
  return handle;
}

void Runtime::unregister_binary(RegisteredBinary* handle) {
  bool last = false;
  {
    std::lock_guard lock(registry_mutex_);
    const auto found = binaries_.find(handle);
    if (found == binaries_.end()) return;
    if (binaries_.size() > 1) unload(*handle);
    forget_names(*handle);
    binaries_.erase(found);
    last = binaries_.empty();
  }
  if (last) shut_down();
}

void Runtime::unload(RegisteredBinary& binary) {
  for (unsigned gpu = 0; gpu < gpus(); ++gpu)
    if (const auto context = context_if_any(gpu); context && binary.images[gpu] != nullptr)
      context->unload(std::exchange(binary.images[gpu], nullptr));
}

const CodeImage* RegisteredBinary::image_elsewhere(unsigned but) const {
  for (unsigned gpu = 0; gpu < images.size(); ++gpu)
    if (gpu != but && images[gpu] != nullptr) return images[gpu];
  return nullptr;
}

void Runtime::register_kernel(RegisteredBinary* binary, const void* stub, const char* name) {
  std::lock_guard lock(registry_mutex_);
  add_kernel(*binary, stub, name);
}

RegisteredKernel& Runtime::add_kernel(RegisteredBinary& binary, const void* stub,
                                      std::string name) {
  RegisteredKernel& kernel = *binary.kernels.emplace_back(
      std::make_unique<RegisteredKernel>(RegisteredKernel{&binary, std::move(name), stub}));
  if (stub == nullptr) kernel.stub = &kernel;
  kernel_handles_[&kernel] = &kernel;
  kernels_[kernel.stub] = &kernel;
  return kernel;
}

void Runtime::forget_names(const RegisteredBinary& binary) {
  for (const auto& kernel : binary.kernels) {
    kernel_handles_.erase(kernel.get());
    const auto by_stub = kernels_.find(kernel->stub);
    if (by_stub != kernels_.end() && by_stub->second == kernel.get()) kernels_.erase(by_stub);
  }
  for (const void* const shadow : binary.variables) {
    const auto variable = variables_.find(shadow);
    if (variable != variables_.end() && variable->second.binary == &binary)
      variables_.erase(variable);
  }
}

void Runtime::register_variable(RegisteredBinary* binary, const void* shadow, const char* name,
                                void** managed_pointer) {
  std::lock_guard lock(registry_mutex_);
  variables_[shadow] = {binary, name, managed_pointer};
  binary->variables.push_back(shadow);
}

Error Runtime::initialize_managed(RegisteredBinary* binary, Context& context) {
  std::lock_guard lock(registry_mutex_);
  for (auto& [shadow, variable] : variables_) {
    if (variable.binary != binary || variable.managed_pointer == nullptr) continue;
    if (const Error error = load(*binary, context); error != Error::success) return error;
    const auto block = context.variable(*binary->images[context.gpu()], variable.name);
    if (!block) return Error::invalid_symbol;
    *variable.managed_pointer = reinterpret_cast<void*>(block->address);
  }
  return Error::success;
}

Error Runtime::load_library(std::vector<isa::FatEntry> code, const std::string& origin,
                            Context& context, RegisteredBinary*& library, const JitOptions& options,
                            std::string& why) {
  auto binary = std::make_unique<RegisteredBinary>();
  if (gpus() > 1) {  // another GPU may use it
    binary->code = code;
    binary->origin = origin;
    binary->jit = options;
  }
  const Error error =
      context.load(std::move(code), origin, binary->images[context.gpu()], why, options);
  if (!why.empty()) notice_once(why);
  if (error != Error::success) return error;
  std::lock_guard lock(registry_mutex_);
  library = binary.get();
  binaries_[library] = std::move(binary);
  return Error::success;
}

RegisteredBinary* Runtime::library_of(const void* kernel) {
  std::lock_guard lock(registry_mutex_);
  const auto found = kernel_handles_.find(kernel);
  if (found == kernel_handles_.end()) return nullptr;
  RegisteredBinary* const binary = found->second->binary;
  return binary->wrapper == nullptr ? binary : nullptr;
}

Error Runtime::unload_library(RegisteredBinary* library) {
  std::unique_ptr<RegisteredBinary> doomed;
  {
    std::lock_guard lock(registry_mutex_);
    const auto found = binaries_.find(library);
    if (found == binaries_.end() || library->wrapper != nullptr)
      return Error::invalid_resource_handle;
    forget_names(*library);
    doomed = std::move(found->second);
    binaries_.erase(found);
  }
  for (unsigned gpu = 0; gpu < gpus(); ++gpu)  // what it launched; other threads may launch more
    if (const auto context = context_if_any(gpu); context && doomed->images[gpu] != nullptr)
      context->synchronize();
  unload(*doomed);
  return Error::success;
}

CodeImage* Runtime::library_image(RegisteredBinary* library, Context& context) {
  std::lock_guard lock(registry_mutex_);
  if (!binaries_.contains(library)) return nullptr;
  CodeImage*& image = library->images[context.gpu()];
  if (image == nullptr && gpus() > 1 && !library->code.empty()) load(*library, context);
  return image;
}

RegisteredKernel* Runtime::library_kernel(RegisteredBinary* library, Context& context,
                                          std::string_view name) {
  std::lock_guard lock(registry_mutex_);
  CodeImage* const image = library_image(library, context);
  if (image == nullptr || image->function(name) == nullptr) return nullptr;
  const auto known = library->kernel_of_name.find(name);
  if (known != library->kernel_of_name.end()) return known->second;
  RegisteredKernel& kernel = add_kernel(*library, nullptr, std::string(name));
  library->kernel_of_name[kernel.name] = &kernel;
  return &kernel;
}

RegisteredKernel* Runtime::kernel_by_stub(const void* stub) {
  std::lock_guard lock(registry_mutex_);
  const auto found = kernels_.find(stub);
  return found == kernels_.end() ? nullptr : found->second;
}

Error Runtime::load(RegisteredBinary& binary, Context& context) {
  const unsigned gpu = context.gpu();
  CodeImage*& image = binary.images[gpu];
  Error& error = binary.load_errors[gpu];
  if (image != nullptr) return Error::success;
  if (error != Error::success) return error;
  std::string why;
  const CodeImage* const elsewhere = binary.image_elsewhere(gpu);
  error = !binary.code.empty()
              ? context.load(binary.code, binary.origin, image, why, binary.jit, elsewhere)
              : context.load(fat_binary_bytes(binary.wrapper), program_, image, why, elsewhere);
  if (!why.empty()) notice_once(why);
  return error;
}

Error Runtime::function(const void* handle, Context& context, Function*& function) {
  std::lock_guard lock(registry_mutex_);
  RegisteredKernel* kernel = kernel_by_stub(handle);
  if (kernel == nullptr) {
    const auto found = kernel_handles_.find(handle);
    if (found == kernel_handles_.end())
      return handle == nullptr ? Error::invalid_device_function : Error::invalid_resource_handle;
    kernel = found->second;
  }
  if (const Error error = load(*kernel->binary, context); error != Error::success) return error;
  function = kernel->binary->images[context.gpu()]->function(kernel->name);
  return function != nullptr ? Error::success : Error::invalid_device_function;
}

Error Runtime::variable(const void* shadow, Context& context, MemoryBlock& block) {
  std::lock_guard lock(registry_mutex_);
  auto found = variables_.find(shadow);
  if (found == variables_.end())  // a managed variable is named by its own address
    found = std::ranges::find_if(variables_, [shadow](const auto& entry) {
      return entry.second.managed_pointer != nullptr && *entry.second.managed_pointer == shadow;
    });
  if (found == variables_.end()) return Error::invalid_symbol;
  const RegisteredVariable& variable = found->second;
  if (const Error error = load(*variable.binary, context); error != Error::success) return error;
  const auto at = context.variable(*variable.binary->images[context.gpu()], variable.name);
  if (!at) return Error::invalid_symbol;
  block = *at;
  return Error::success;
}

Error not_supported(const char* name) {
  Runtime::instance().notice_once(
      fmt::format("{} is not supported: it returns {}", name, error_name(Error::not_supported)));
  return Error::not_supported;
}

Error refuse(const char* name) noexcept {
  return api([name] { return not_supported(name); });
}

}  // namespace heddle::runtime
