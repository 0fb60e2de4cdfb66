#include <algorithm>
#include <cstring>
#include <exception>
#include <new>

#include <fmt/format.h>

#include "gpu/runtime/context.hpp"
#include "gpu/runtime/launch_wait.hpp"
#include "gpu/runtime/ptx.hpp"
#include "isa/fat_binary.hpp"
#include "simulator/base/display_names.hpp"
#include "simulator/launch/device_launches.hpp"
#include "simulator/launch/launch_shape.hpp"
#include "simulator/run/prepared_launch.hpp"

namespace heddle::runtime {
namespace {

Error error_of(simulator::Fault::Kind kind) {
  using enum simulator::Fault::Kind;
  switch (kind) {
    case illegal_address:
      return Error::illegal_address;
    case misaligned_address:
      return Error::misaligned_address;
    case illegal_instruction:
    case unsupported_instruction:
      return Error::illegal_instruction;
    case assert_:
      return Error::assert_failed;
    case deadlock:  // a GPU would hang until its watchdog ends it
    case instruction_limit:
      return Error::launch_timeout;
    case stack_overflow:
      return Error::hardware_stack_error;
    case invalid_pc:
      return Error::invalid_pc;
    case trap:
    case launch_failure:
    case interrupted:
      break;
  }
  return Error::launch_failure;
}

std::string shown(const isa::Kernel& kernel) {
  return simulator::visible(simulator::display_name(kernel.name));
}

std::vector<std::byte> pack_parameters(const isa::Kernel& kernel, void* const* arguments) {
  std::vector<std::byte> packed(kernel.parameter_bytes);
  for (const isa::KernelParameter& parameter : kernel.parameters) {
    if (parameter.offset > packed.size() || parameter.size > packed.size() - parameter.offset)
      throw isa::CubinError(fmt::format("{}: parameter {} lies outside the parameters", kernel.name,
                                        parameter.ordinal));
    std::memcpy(packed.data() + parameter.offset, arguments[parameter.ordinal], parameter.size);
  }
  return packed;
}

// What an H200 says to a launch that cannot be (gpu/runtime/tests/answers/launching.cu).
Error error_of(const simulator::Refusal& refusal, const isa::Kernel& kernel,
               const LaunchShape& shape) {
  const Error error = error_by_name(refusal.cuda_error).value_or(Error::invalid_configuration);
  const bool beyond_bounds = kernel.max_threads != 0 && shape.block.count() > kernel.max_threads;
  if (error == Error::invalid_configuration ||
      (error == Error::launch_out_of_resources && beyond_bounds))
    return Error::invalid_value;
  return error;
}

// Clusters of more than eight blocks are for those who ask; what the code requires must be given.
bool cluster_allowed(const Function& function, const simulator::Dim3& cluster) {
  constexpr std::uint64_t kPortable = 8;
  const auto& required = function.kernel.cluster;
  const simulator::Dim3 none{1, 1, 1};
  if (cluster.count() == 0) return false;
  if (required[0] != 0 && !(cluster == none) &&
      !(cluster == simulator::Dim3{required[0], required[1], required[2]}))
    return false;
  return cluster.count() <= kPortable || function.non_portable_cluster_size != 0;
}

bool tells_of(const simulator::checks::Finding& finding, const simulator::Fault& fault) {
  if (finding.sides.empty()) return false;
  const simulator::checks::Side& side = finding.sides.front();
  return fault.kind == simulator::Fault::Kind::deadlock
             ? finding.kind == "deadlock"
             : side.function == fault.function && side.pc == fault.pc &&
                   side.block == fault.block_index && side.warp == fault.warp;
}

// A check that stopped where the launch did tells the rest when the program ends.
std::string report_of(const simulator::LaunchOutcome& outcome) {
  const simulator::Fault& fault = *outcome.fault;
  std::string text = fault.message();
  for (const simulator::checks::Finding& finding : outcome.findings)
    if (tells_of(finding, fault))
      return text.substr(0, text.find('\n')) +
             fmt::format("; the report of --check {} follows at the end", finding.check);
  return text;
}

}  // namespace

std::function<Error(Context&, Stream&)> launch_later(const Function& function,
                                                     const LaunchShape& shape,
                                                     void* const* arguments) {
  std::vector<std::vector<std::byte>> values(function.kernel.parameters.size());
  for (const isa::KernelParameter& parameter : function.kernel.parameters) {
    const auto* from = static_cast<const std::byte*>(arguments[parameter.ordinal]);
    values.at(parameter.ordinal).assign(from, from + parameter.size);
  }
  return [&function, shape, values](Context& context, Stream& stream) mutable {
    std::vector<void*> pointers;
    for (auto& value : values) pointers.push_back(value.data());
    return context.home_of(function).launch(function, shape, pointers.data(), stream);
  };
}

Context& Context::home_of(const Function& function) {
  Context* const home = function.gpu == gpu() ? this : system_->context(function.gpu);
  return home == nullptr ? *this : *home;
}

Error Context::load(std::span<const std::byte> binary, const std::string& origin, CodeImage*& image,
                    std::string& why, const CodeImage* elsewhere) try {
  const auto nothing = [](const isa::FatEntry&) { return false; };
  const auto fitting = entries_for(model().arch, isa::read_fat_binary(binary, origin, nothing));
  const auto may_run = [&](const isa::FatEntry& entry) {
    return fitting.empty() ? entry.kind == isa::FatEntry::Kind::ptx
                           : entry.kind == fitting.front().kind && entry.sm == fitting.front().sm;
  };
  return load(isa::read_fat_binary(binary, origin, may_run), origin, image, why, {}, elsewhere);
} catch (const isa::CubinError& bad) {
  image = nullptr;
  why = bad.what();
  return Error::invalid_kernel_image;
}

Error Context::load(std::vector<isa::FatEntry> entries, const std::string& origin,
                    CodeImage*& image, std::string& why, const JitOptions& options,
                    const CodeImage* elsewhere) {
  image = nullptr;
  try {
    const std::string found = describe_entries(entries);
    const auto ptx = ptx_for(model().arch, entries);
    auto cubins = entries_for(model().arch, std::move(entries));
    if (cubins.empty() && !ptx.empty()) cubins = compile_ptx(model().arch, ptx, origin, options);
    if (cubins.empty()) {
      why = fmt::format("{} has {}, none of which {} ({}) runs; build it with -arch={}", origin,
                        found, model().name, isa::name(model().arch), isa::name(model().arch));
      return Error::no_kernel_image_for_device;
    }
    std::unique_ptr<CodeImage> loaded;
    std::exception_ptr failure;
    const Error error = run_here([&](Ticket) {
      try {
        loaded = std::make_unique<CodeImage>(std::move(cubins), origin, device_.memory(),
                                             model().shared_bytes_per_block, gpu(), elsewhere);
        register_variables(*loaded);
      } catch (...) {
        failure = std::current_exception();
      }
    });
    if (failure) std::rethrow_exception(failure);
    if (error != Error::success) return error;
    std::lock_guard lock(mutex_);
    image = loaded.get();
    images_.emplace(image, std::move(loaded));
    return Error::success;
  } catch (const isa::CubinError& bad) {
    why = bad.what();
    return Error::invalid_kernel_image;
  } catch (const PtxError& bad) {
    why = bad.what();
    return bad.error;
  } catch (const std::bad_alloc&) {
    why = fmt::format("{}: its variables do not fit in device memory", origin);
    return Error::memory_allocation;
  }
}

// Inside an action. Only what these modules have allocated: other memory that the table lacks is
// the program's, which has freed it in a stream that has not come so far.
void Context::register_variables(const CodeImage& image) {
  for (const auto& module : image.modules())
    for (const std::uint64_t address : module->global_allocations()) {
      const simulator::Allocation& allocation = *device_.memory().find(address);
      const MemoryKind kind = allocation.host_mapped ? MemoryKind::managed : MemoryKind::device;
      add_block({address, allocation.bytes, allocation.data, kind, 0, true});
    }
}

void Context::unload(CodeImage* image) {
  engine_.run([&](Ticket) {
    std::unique_ptr<CodeImage> doomed;
    {
      std::lock_guard lock(mutex_);
      const auto found = images_.find(image);
      if (found == images_.end()) return;
      doomed = std::move(found->second);
      images_.erase(found);
    }
    tell_of_unloading(*doomed);
    for (const auto& module : doomed->modules())
      for (const std::uint64_t address : module->global_allocations()) {
        const auto block = memory_.find(address);
        if (!block || block->gpu != gpu()) continue;  // managed, and first loaded elsewhere
        memory_.remove(address);
        system_->for_others(*this, [&](Context& other) { other.unmap(address); });
      }
  });
}

std::optional<MemoryBlock> Context::variable(const CodeImage& image, std::string_view name) const {
  const auto found = image.variable(name);
  if (!found) return std::nullopt;
  const std::uint64_t address = found->address, bytes = found->bytes;
  auto block = memory_.find(address);
  if (!block || bytes > block->bytes - (address - block->address)) return std::nullopt;
  block->data += address - block->address;
  block->address = address;
  block->bytes = bytes;
  return block;
}

Error Context::prepare_launch(const Function& function, const LaunchShape& shape,
                              void* const* arguments, simulator::LaunchRequest& request) {
  if (arguments == nullptr && !function.kernel.parameters.empty()) return Error::invalid_value;
  if (shape.dynamic_shared_bytes > static_cast<std::size_t>(function.max_dynamic_shared_bytes)) {
    options_.notice(fmt::format(
        "{}: {} bytes of dynamic shared memory, but {} are allowed: raise "
        "cudaFuncAttributeMaxDynamicSharedMemorySize with cudaFuncSetAttribute (at most {} on {})",
        shown(function.kernel), shape.dynamic_shared_bytes,
        function.max_dynamic_shared_bytes.load(),
        model().shared_bytes_per_block_optin - function.static_shared_bytes(), model().name));
    return shape.cooperative ? Error::cooperative_launch_too_large : Error::invalid_value;
  }
  if (!cluster_allowed(function, shape.cluster)) {
    options_.notice(fmt::format("{}: a cluster of {} × {} × {} blocks", shown(function.kernel),
                                shape.cluster.x, shape.cluster.y, shape.cluster.z));
    return Error::invalid_cluster_size;
  }
  const std::uint32_t stack =
      std::max(function.kernel.frame_bytes, function.kernel.min_stack_bytes);
  if (stack > kMostLocalBytes) {
    options_.notice(fmt::format("{}: a stack of {} bytes; a thread has at most {}",
                                shown(function.kernel), stack, kMostLocalBytes));
    return Error::launch_out_of_resources;
  }
  request.module = &function.module;
  request.kernel = &function.kernel;
  request.grid = shape.grid;
  request.block = shape.block;
  request.cluster = shape.cluster;
  request.explicit_cluster = shape.explicit_cluster;
  request.dynamic_shared_bytes = static_cast<std::uint32_t>(shape.dynamic_shared_bytes);
  request.cooperative = shape.cooperative;
  request.preferred_carveout =
      shape.preferred_carveout ? shape.preferred_carveout : function.carveout();
  request.parameters = pack_parameters(function.kernel, arguments);
  if (const auto refusal = device_.check(request)) {
    options_.notice(fmt::format("{}: {}", shown(function.kernel), refusal->why));
    return error_of(*refusal, function.kernel, shape);
  }
  return Error::success;
}

Error Context::launch(const Function& function, const LaunchShape& shape, void* const* arguments,
                      Stream& stream) {
  simulator::LaunchRequest request;
  const Error error = prepare_launch(function, shape, arguments, request);
  if (stream.capture) {
    if (error != Error::success) stream.capture->invalidated = true;
    if (stream.capture->invalidated)
      return error != Error::success ? error : Error::stream_capture_invalidated;
    stream.add_to_capture(NodeType::kernel, launch_later(function, shape, arguments));
    return Error::success;
  }
  if (error != Error::success) return error;
  submit(
      stream,
      [this, request = std::move(request), order = order_of(stream)](Ticket ticket) {
        if (!lost()) carry_out(request, order, ticket);
      },
      Engine::Length::unbounded);
  return Error::success;
}

// A grid has ended when all that it launched has: its children in the order of launching, one after
// another, then those that were to wait for its end. CUDA allows that order, whatever streams they
// were launched into.
void Context::carry_out(const simulator::LaunchRequest& request, const StreamOrder& stream,
                        Ticket ticket) {
  struct Pending {
    simulator::LaunchRequest request;
    unsigned nesting;  // grids that launched one another before it
    unsigned depth;    // the same, but for those that it was to wait for
  };
  std::vector<Pending> pending{{request, 0, 0}};  // the next one last
  for (std::uint64_t grids = 0; !pending.empty() && !lost(); ++grids) {
    if (grids == options_.most_grids) {
      fail(ticket, Error::launch_timeout,
           fmt::format(
               "{} and the grids that it launches exceed {} grids: stopped here. On a GPU most "
               "such launches fail, because few may be pending "
               "(cudaLimitDevRuntimePendingLaunchCount)",
               shown(*request.kernel), options_.most_grids));
      return;
    }
    const Pending next = std::move(pending.back());
    pending.pop_back();
    if (next.depth != 0) simulator::DeviceLaunches::set_nesting(device_.memory(), next.depth);
    execute(next.request, next.nesting, stream, ticket);
    auto children = simulator::DeviceLaunches(device_.memory()).take(*next.request.module);
    std::stable_partition(children.begin(), children.end(),
                          [](const auto& child) { return !child.tail; });
    for (auto child = children.rbegin(); child != children.rend(); ++child)
      pending.push_back(
          {std::move(child->request), next.nesting + 1, next.depth + (child->tail ? 0 : 1)});
  }
}

// Once of each kernel.
void Context::tell_of_accesses_outside(const isa::Kernel& kernel) {
  const std::uint64_t count = device_.memory().accesses_outside();
  if (count != 0 && outside_.insert(kernel.name).second)
    options_.notice(
        fmt::format("{}: {} accesses outside of allocations, in memory that a GPU has mapped there "
                    "too; heddle run --check memory locates them",
                    shown(kernel), count));
}

void Context::execute(const simulator::LaunchRequest& request, unsigned nesting,
                      const StreamOrder& stream, Ticket ticket) try {
  std::string text;
  LaunchWait wait{.place = {stream.id, stream.is_legacy, stream.is_blocking, {}, gpu()}};
  simulator::LaunchOptions options{
      .settings = options_.settings,
      .print = [&text](std::string_view more) { text += more; },
      .watch =
          [this](const simulator::LaunchProgress& progress) {
            bool go_on = true;
            for (const auto& observer : options_.observers) go_on &= observer->during(progress);
            return go_on;
          },
      .wait = [&](const simulator::Standstill& at) { return wait_for_others(at, wait); },
      .checks = checks_.get(),
  };
  device_.memory().accesses_outside() = 0;
  device_.prepare(*request.module);
  for (const auto& observer : options_.observers) {
    if (nesting != 0) observer->nested(nesting);
    observer->before(device_, request);
  }
  for (const auto& observer : options_.observers)
    if (options.observer == nullptr) options.observer = observer->instructions();
  const simulator::LaunchOutcome outcome = device_.launch(request, options);
  ++progress_.actions;
  progress_.warp_instructions += outcome.counts.executed();
  if (outcome.timing) {
    constexpr double kNano = 1e9;
    const auto resident = static_cast<double>(
        std::max<std::uint64_t>(1, simulator::resident_blocks(model(), request)));
    StreamWork kernel;
    kernel.nanoseconds =
        kNano * static_cast<double>(outcome.timing->elapsed) / outcome.timing->clock_hz;
    kernel.share = std::min(1.0, static_cast<double>(request.grid.count()) / resident);
    work(request.kernel->name, stream, kernel);
  }
  for (const auto& observer : options_.observers) observer->after(device_, request, outcome);
  keep_output(ticket, std::move(text));
  if (outcome.printed_calls_lost != 0)
    options_.notice(fmt::format(
        "{}: device printf lost its first {} calls, as on a GPU: the buffer is full at {} bytes. "
        "Raise cudaLimitPrintfFifoSize with cudaDeviceSetLimit",
        request.kernel->name, outcome.printed_calls_lost, device_.printf_bytes));
  tell_of_accesses_outside(*request.kernel);
  if (outcome.fault)
    fail(ticket, error_of(outcome.fault->kind),
         report_of(outcome) + missing_access(*outcome.fault));
} catch (const std::exception& failure) {
  fail(ticket, Error::unknown, fmt::format("{}: {}", shown(*request.kernel), failure.what()));
}

}  // namespace heddle::runtime
