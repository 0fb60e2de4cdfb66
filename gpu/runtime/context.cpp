#include "gpu/runtime/context.hpp"
#include "simulator/launch/device_launches.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>
#include <thread>

#include "gpu/runtime/losses.hpp"

namespace heddle::runtime {
namespace {

// What an H200 makes of a limit that is asked for (gpu/runtime/tests/answers/device.cu); nothing
// where it refuses.
constexpr unsigned kPersistingParts = 16;
std::optional<std::uint64_t> accepted(const simulator::GpuModel& model, abi::Limit limit,
                                      std::uint64_t value) {
  const auto in_units = [](std::uint64_t asked, std::uint64_t unit) {
    return asked / unit * unit + (asked % unit == 0 ? 0 : unit);
  };
  switch (limit) {
    case abi::Limit::stack_size:
      return value > kMostLocalBytes ? std::nullopt : std::optional(in_units(value, 16));
    case abi::Limit::printf_fifo_size:
      return std::max<std::uint64_t>(512 << 10, in_units(value, 512));
    case abi::Limit::malloc_heap_size:
      return std::max<std::uint64_t>(4 << 20, in_units(value, 64 << 10));
    case abi::Limit::dev_runtime_pending_launch_count:
      return std::max<std::uint64_t>(32, value);
    case abi::Limit::max_l2_fetch_granularity:
      return value > 128 ? std::nullopt : std::optional(value);
    case abi::Limit::persisting_l2_cache_size: {
      const std::uint64_t part = model.l2_bytes / kPersistingParts;
      return value > 10 * part ? std::nullopt : std::optional(in_units(value, part));
    }
    default:
      return value;
  }
}

}  // namespace

Context::Context(const simulator::GpuModel& model, ContextOptions options,
                 std::shared_ptr<System> system, unsigned gpu)
    : options_(std::move(options)),
      system_(system != nullptr ? std::move(system) : std::make_shared<System>()),
      device_(model, {gpu, system_->gpus()}),
      memory_(system_->memory()),
      limits_{{abi::Limit::stack_size, 1024},
              {abi::Limit::printf_fifo_size, device_.printf_bytes},
              {abi::Limit::malloc_heap_size, 8 << 20},
              {abi::Limit::dev_runtime_pending_launch_count, 2048},
              {abi::Limit::max_l2_fetch_granularity, 64},
              {abi::Limit::persisting_l2_cache_size, 3 * (model.l2_bytes / kPersistingParts)},
              {abi::Limit::shared_memory_size, model.shared_bytes_per_block_optin},
              {abi::Limit::confidential, 0}},
      engine_(system_->engine()) {
  if (options_.settings.checks.any())
    checks_ =
        std::make_unique<simulator::checks::Checks>(options_.settings.checks, device_.memory());
  legacy_->id = 1;
  legacy_->gpu = gpu;
  constexpr int kPinned = 1, kOnDevice = 1;
  default_pool_ = current_pool_ =
      create_pool({kPinned, 0, {kOnDevice, static_cast<int>(gpu)}, nullptr, 0, 0, {}});
  join_system();
}

Context::~Context() {
  ending_ = true;
  const auto leave = [this](Ticket) {
    try {
      leave_system();
      std::lock_guard lock(mutex_);
      for (const auto& [address, image] : images_) tell_of_unloading(*image);
      images_.clear();  // modules give their variables back while the device is there
    } catch (const std::bad_alloc&) {
      end_without_memory();
    }
  };
  try {
    engine_.run(leave);  // all that was submitted has been carried out then
  } catch (const std::bad_alloc&) {
    end_without_memory();
  }
}

void Context::tell_of_unloading(const CodeImage& image) {
  for (const auto& module : image.modules())
    for (const auto& observer : options_.observers) observer->unloading(*module);
}

std::size_t Context::finish() {
  ending_ = true;
  engine_.wait(engine_.last_submitted());
  std::lock_guard lock(mutex_);
  std::size_t bytes = 0;
  for (const Output& output : output_) bytes += output.text.size();
  return bytes;
}

Error Context::wait_for(Ticket ticket) {
  engine_.wait(ticket);
  std::vector<Output> shown;
  std::lock_guard showing(showing_);
  {
    std::lock_guard lock(mutex_);
    // A launch that waits for others lets later ones print before it.
    const auto later =
        std::stable_partition(output_.begin(), output_.end(),
                              [ticket](const Output& output) { return output.ticket <= ticket; });
    shown.assign(std::move_iterator(output_.begin()), std::move_iterator(later));
    output_.erase(output_.begin(), later);
    for (const Output& output : shown) output_bytes_ -= output.text.size();
  }
  for (const Output& output : shown) options_.print(output.text);
  if (lost() && fault_ticket_ <= ticket) observed_ = fault_.load();
  return observed_;
}

// CUDA shows at the beginning of a launch what those before it have printed. Here that waits for
// the thread that waits for them, so that the order is the same each time; unless there is no room
// for it.
void Context::keep_output(Ticket ticket, std::string text) {
  if (text.empty()) return;
  std::vector<Output> shown;
  std::lock_guard showing(showing_);
  {
    std::lock_guard lock(mutex_);
    if (output_bytes_ + text.size() > device_.printf_bytes) {
      shown.swap(output_);
      output_bytes_ = 0;
    }
    output_bytes_ += text.size();
    output_.push_back({ticket, std::move(text)});
  }
  for (const Output& output : shown) options_.print(output.text);
}

Error Context::run(Engine::Action action) {
  return wait_for(engine_.run(after_host_waits(std::move(action))));
}

Error Context::run_here(Engine::Action action) {
  return wait_for(engine_.run(after_host_waits(std::move(action)), {.gpu = gpu()}));
}

StreamOrder Context::order_of(const Stream& stream) const {
  return {stream.id, &stream == legacy_.get(), stream.ordered_with_legacy()};
}

Engine::Place Context::place_of(const Stream& stream) const {
  const StreamOrder order = order_of(stream);
  Engine::Place place{order.id, order.is_legacy, order.is_blocking, {}, stream.gpu};
  std::lock_guard lock(mutex_);
  for (const Ticket each : stream.waits)
    if (!engine_.done(each)) place.after.push_back(each);
  return place;
}

void Context::wait_in(const Engine::Place& place, const std::function<bool()>& reached) {
  constexpr std::chrono::microseconds kPause{50};
  while (!lost() && !reached())
    if (!engine_.carry_out_another(place, reached)) std::this_thread::sleep_for(kPause);
}

void Context::host_waited(HostWait wait) {
  if (!timed()) return;
  std::lock_guard lock(mutex_);
  host_waits_.push_back(std::move(wait));
}

// What an action throws (this machine is out of memory) loses the context, as a fault does: the
// engine has nobody to pass it on to.
Engine::Action Context::after_host_waits(Engine::Action action) {
  std::vector<HostWait> waits;
  if (timed()) {
    std::lock_guard lock(mutex_);
    waits.swap(host_waits_);
  }
  return [this, waits = std::move(waits), action = std::move(action)](Ticket ticket) {
    try {
      for (const HostWait& wait : waits) timeline_.host_waits(wait(timeline_));
      action(ticket);
    } catch (const std::bad_alloc&) {
      try {
        fail(ticket, Error::memory_allocation, "out of memory");  // short: it is not allocated
      } catch (const std::exception&) {                           // it could not be said
      }
    } catch (const std::exception& failure) {
      fail(ticket, Error::unknown, failure.what());
    }
  };
}

void Context::work(std::string name, const StreamOrder& stream, const StreamWork& work) {
  if (!timed()) return;
  const StreamEvent event{std::move(name), stream, work, timeline_.add(stream, work)};
  for (const auto& observer : options_.observers) observer->worked(event);
}

Ticket Context::enqueue(Engine::Action action, Engine::Length length, Stream& stream) {
  constexpr std::size_t kFew = 256;
  std::list<Ticket> mine{0};  // what may throw comes before the submission
  const Ticket ticket = engine_.submit(std::move(action), length, place_of(stream), &stream.last);
  std::lock_guard lock(mutex_);
  if (open_.size() >= most_open_) {
    std::erase_if(open_, [this](Ticket each) { return engine_.done(each); });
    most_open_ = std::max(kFew, 2 * open_.size());
  }
  mine.front() = ticket;
  open_.splice(open_.end(), mine);
  last_ = std::max(last_, ticket);
  return ticket;
}

void Context::submit(Stream& stream, Engine::Action action, Engine::Length length) {
  enqueue(after_host_waits(std::move(action)), length, stream);
}

Error Context::submit(Stream& stream, Engine::Action action, bool wait) {
  if (wait) return wait_for(engine_.run(after_host_waits(std::move(action)), place_of(stream)));
  submit(stream, std::move(action), Engine::Length::brief);
  return Error::success;
}

void Context::fail(Ticket ticket, Error error, const std::string& why) {
  if (!lost()) {
    fault_ticket_ = ticket;
    fault_ = error;
  }
  options_.notice(why);
}

Error Context::set_limit(abi::Limit limit, std::uint64_t value) {
  {
    std::lock_guard lock(mutex_);
    const auto found = limits_.find(limit);
    if (found == limits_.end()) return Error::unsupported_limit;
    if (limit >= abi::Limit::shared_memory_size) return Error::not_permitted;  // only asked for
    const auto given = accepted(model(), limit, value);
    if (!given) return Error::invalid_value;
    value = found->second = *given;
  }
  return run([this, limit, value](Ticket) {
    if (limit == abi::Limit::stack_size) device_.stack_limit = value;
    if (limit == abi::Limit::printf_fifo_size) device_.printf_bytes = value;
    if (limit == abi::Limit::malloc_heap_size) device_.heap_bytes = value;
    if (limit == abi::Limit::dev_runtime_pending_launch_count)
      simulator::DeviceLaunches::limit_pending(device_.memory(), value);
  });
}

Error Context::limit(abi::Limit limit, std::uint64_t& value) const {
  std::lock_guard lock(mutex_);
  const auto found = limits_.find(limit);
  if (found == limits_.end()) return Error::unsupported_limit;
  value = found->second;
  return Error::success;
}

}  // namespace heddle::runtime
