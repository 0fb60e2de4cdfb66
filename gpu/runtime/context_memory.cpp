#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>

#include "gpu/runtime/context.hpp"
#include "gpu/runtime/crash_report.hpp"
#include "gpu/runtime/host_memory.hpp"
#include "simulator/base/big_pages.hpp"
#include "simulator/timing/launch.hpp"

namespace heddle::runtime {
namespace {

constexpr unsigned kRegisterReadOnly = 8;  // cudaHostRegisterReadOnly

enum class Expected { device, either };

// One end of a copy, looked up.
struct Side {
  std::byte* data = nullptr;
  bool on_device = false;
  bool pageable = false;  // host memory that the driver would have to stage
  bool shared = false;    // with other processes
  bool read_only = false;
};

std::optional<Side> resolve(const MemoryTable& memory, const Placed& placed, const Box& box,
                            Expected expected) {
  if (placed.address == 0) return std::nullopt;
  if (box.height > 1 && placed.pitch < box.width) return std::nullopt;
  const auto block = memory.find(placed.address);
  if (!block) {
    if (expected == Expected::device) return std::nullopt;
    return Side{reinterpret_cast<std::byte*>(placed.address), false, true, false, false};
  }
  const std::uint64_t offset = placed.address - block->address;
  if (span_of(placed, box) > block->bytes - offset) return std::nullopt;
  const bool read_only =
      block->kind == MemoryKind::registered && (block->flags & kRegisterReadOnly) != 0;
  return Side{block->data + offset, block->on_device(), false, block->shared, read_only};
}

// A side that the kind calls the device's must be there. The host's may be anywhere, as on a GPU:
// an H200 copies between two allocations of the device as device-to-host (of host-to-device it was
// not asked), and as host-to-host in any direction.
std::pair<Expected, Expected> expected_sides(abi::MemcpyKind kind) {
  using enum abi::MemcpyKind;
  const auto side = [kind](abi::MemcpyKind one) {
    return kind == one || kind == device_to_device ? Expected::device : Expected::either;
  };
  return {side(host_to_device), side(device_to_host)};
}

// Memory for a copy. The C library gives much back to the system at once, which then clears it page
// by page for the next copy.
std::shared_ptr<std::byte[]> staging_memory(std::uint64_t bytes) {
  constexpr std::uint64_t kMuch = 128 << 10;
  if (bytes < kMuch) return std::make_shared_for_overwrite<std::byte[]>(bytes);
  return {
      static_cast<std::byte*>(simulator::take_from_big_pages(bytes, simulator::Fresh::anything)),
      simulator::give_back_to_big_pages};
}

// The bytes of a pageable source as they are now, packed.
std::shared_ptr<std::byte[]> staged(const std::byte* source, const Placed& from, const Box& box) {
  auto copy = staging_memory(box.width * box.height * box.depth);
  const Placed packed{0, box.width, box.width * box.height};
  copy_box(copy.get(), packed, source, from, box);
  return copy;
}

// Says what the machine lacks for touching all of a box of device memory; empty: nothing.
std::string lacking(const std::byte* at, const Placed& to, const Box& box) {
  constexpr std::uint64_t kWorthAsking = 1 << 30;
  const std::uint64_t span = span_of(to, box);
  if (span < kWorthAsking) return {};
  const std::uint64_t wanted = untouched_bytes(at, span);
  const std::optional<std::uint64_t> left = available_memory();
  if (!left || wanted <= *left) return {};
  return fmt::format(
      "{} MiB of device memory are written for the first time, but this machine has "
      "{} MiB left",
      wanted >> 20, *left >> 20);
}

}  // namespace

Error Context::allocate(std::uint64_t bytes, std::string_view label, std::uint64_t& address,
                        simulator::DeviceMemory::Pool pool, std::uint64_t alignment,
                        std::uint32_t reached_by) {
  address = 0;
  if (bytes == 0) return Error::success;
  std::optional<std::uint64_t> given;
  const Error error = run_here([&](Ticket) {
    try {
      given = device_.memory().allocate(bytes, std::string(label), pool, alignment);
    } catch (const std::bad_alloc&) {
    }
    if (!given) return;
    MemoryBlock block{*given, bytes, device_.memory().view(*given, bytes)};
    block.by_peers = pool == simulator::DeviceMemory::Pool::plain;
    block.reached_by = reached_by;
    add_block(block);
  });
  if (error != Error::success) return error;
  if (!given) return Error::memory_allocation;
  address = *given;
  return Error::success;
}

Error Context::reserve(std::uint64_t bytes, std::uint64_t alignment, std::uint64_t wanted,
                       std::uint64_t& address) {
  constexpr std::string_view kLabel = "cuMemAddressReserve";
  std::optional<std::uint64_t> given;
  const Error error = run_here([&](Ticket) {
    if (wanted == 0 || wanted % alignment != 0) return;
    given = device_.memory().allocate_at(wanted, bytes, std::string(kLabel));
    if (given) add_block({*given, bytes, device_.memory().view(*given, bytes)});
  });
  if (error != Error::success) return error;
  if (!given)
    return allocate(bytes, kLabel, address, simulator::DeviceMemory::Pool::apart, alignment);
  address = *given;
  return Error::success;
}

Error Context::allocate_host(std::uint64_t bytes, MemoryKind kind, unsigned flags, void*& host) {
  host = nullptr;
  if (bytes == 0) return Error::success;
  const char* label = kind == MemoryKind::managed ? "cudaMallocManaged" : "cudaHostAlloc";
  std::optional<std::uint64_t> given;
  const Error error = run_here([&](Ticket) {
    given = device_.memory().allocate_host_visible(bytes, label);
    if (given) add_block({*given, bytes, device_.memory().view(*given, bytes), kind, flags});
  });
  if (error != Error::success) return error;
  if (!given) return Error::memory_allocation;
  host = reinterpret_cast<void*>(*given);
  return Error::success;
}

Error Context::register_host(void* host, std::uint64_t bytes, unsigned flags) {
  const auto address = reinterpret_cast<std::uint64_t>(host);
  if (host == nullptr || bytes == 0 || bytes - 1 > ~address) return Error::invalid_value;
  if (const auto known = memory_.overlapping(address, bytes))
    return known->kind == MemoryKind::registered ? Error::host_memory_already_registered
                                                 : Error::invalid_value;
  const Error refused = refuse_registering(address, bytes, (flags & kRegisterReadOnly) != 0);
  if (refused != Error::success) return refused;
  auto* data = static_cast<std::byte*>(host);
  bool inserted = false;
  const Error error = run([&](Ticket) {
    if (memory_.overlapping(address, bytes)) return;
    inserted = true;
    using enum simulator::DeviceMemory::Registered;
    device_.memory().map_host(data, bytes, "cudaHostRegister",
                              (flags & kRegisterReadOnly) != 0 ? for_reading : yes);
    add_block({address, bytes, data, MemoryKind::registered, flags});
    note_registered(host, bytes);
  });
  if (error == Error::success && !inserted) return Error::host_memory_already_registered;
  return error;
}

Error Context::unregister_host(void* host) {
  const auto address = reinterpret_cast<std::uint64_t>(host);
  const auto block = memory_.find(address);
  if (!block) return Error::host_memory_not_registered;
  if (block->kind != MemoryKind::registered || block->address != address)
    return Error::invalid_value;
  return run([&](Ticket) {
    forget_registered(host);
    memory_.remove(address);
    free_block(address);
  });
}

Error Context::free(std::uint64_t address) {
  if (graph_memory_.give(address)) return Error::success;
  const auto block = memory_.find(address);
  if (!block || block->address != address || block->owned_by_module) return Error::invalid_value;
  if (graph_memory_.contains(address)) return Error::invalid_value;
  if (block->kind != MemoryKind::device && block->kind != MemoryKind::managed)
    return Error::invalid_value;
  leave_pool(*block, false);
  leave_sharing(address);
  return run([&](Ticket) {
    if (memory_.remove(address)) free_block(address);
  });
}

Error Context::free_host(void* host) {
  const auto address = reinterpret_cast<std::uint64_t>(host);
  const auto block = memory_.find(address);
  if (!block || block->address != address || block->kind != MemoryKind::pinned)
    return Error::invalid_value;
  return run([&](Ticket) {
    if (memory_.remove(address)) free_block(address);
  });
}

Error Context::free_later(std::uint64_t address, Stream& stream) {
  if (graph_memory_.give(address)) return Error::success;
  const auto block = memory_.find(address);
  if (!block || block->address != address || block->owned_by_module) return Error::invalid_value;
  if (graph_memory_.contains(address)) return Error::invalid_value;
  if (!leave_pool(*block, true) && block->kind != MemoryKind::device)
    return block->kind == MemoryKind::managed ? Error::not_supported : Error::invalid_value;
  leave_sharing(address);
  if (!memory_.remove(address)) return Error::invalid_value;
  submit(
      stream, [this, address](Ticket) { free_block(address); }, Engine::Length::brief);
  return Error::success;
}

std::optional<MemoryBlock> Context::find_memory(std::uint64_t address) const {
  return memory_.find(address);
}

Error Context::memory_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) {
  return run([&](Ticket) {
    total_bytes = device_.memory().capacity();
    free_bytes = total_bytes - device_.memory().used();
  });
}

bool Context::can_copy(const CopyRequest& request) const {
  if (request.kind < abi::MemcpyKind::host_to_host || request.kind > abi::MemcpyKind::by_address)
    return false;
  const auto [to, from] = expected_sides(request.kind);
  const auto destination = resolve(memory_, request.destination, request.box, to);
  return destination && !destination->read_only &&
         resolve(memory_, request.source, request.box, from);
}

Error Context::copy(const CopyRequest& request, Stream& stream, bool wait) {
  if (stream.capture) {
    if (request.box.empty()) return Error::success;
    if (!can_copy(request)) return Error::invalid_value;
    stream.add_to_capture(NodeType::copy, [request](Context& context, Stream& in) {
      return context.copy(request, in, false);
    });
    return Error::success;
  }
  const Box& box = request.box;
  if (box.empty()) return Error::success;
  if (request.kind < abi::MemcpyKind::host_to_host || request.kind > abi::MemcpyKind::by_address)
    return Error::invalid_memcpy_direction;
  const auto [to_expected, from_expected] = expected_sides(request.kind);
  const auto to = resolve(memory_, request.destination, box, to_expected);
  const auto from = resolve(memory_, request.source, box, from_expected);
  if (!to || !from || to->read_only || graph_memory_.idle(request.destination.address) ||
      graph_memory_.idle(request.source.address))
    return Error::invalid_value;
  if (to->on_device)
    if (const std::string lack = lacking(to->data, request.destination, box); !lack.empty()) {
      options_.notice(lack);
      return Error::memory_allocation;
    }

  // "API synchronization behavior" of CUDA's reference: what is staged from pageable memory may be
  // overwritten once the call returns; what goes to pageable memory is there; a copy within the
  // device does not hold the host up.
  if (from->on_device && to->on_device) wait = false;
  if (!from->on_device && !to->on_device && (from->pageable || to->pageable)) wait = true;
  if (to->pageable) wait = true;
  Placed source = request.source;
  std::shared_ptr<std::byte[]> staging;
  if (from->pageable && !wait) {
    const TouchingProgramMemory of_the_program;
    staging = staged(from->data, source, box);
    source = {0, box.width, box.width * box.height};
  }
  const std::byte* data = staging ? staging.get() : from->data;
  const bool within_device = from->on_device && to->on_device;
  StreamWork of_stream;
  of_stream.unit = within_device   ? StreamWork::Unit::within_device
                   : to->on_device ? StreamWork::Unit::to_device
                                   : StreamWork::Unit::to_host;
  of_stream.is_pageable = from->pageable || to->pageable;
  of_stream.host_waits = wait;
  of_stream.nanoseconds = copy_nanoseconds(box, within_device, of_stream.is_pageable);
  return submit(
      stream,
      [this, staging, data, source, to = to->data, destination = request.destination, box,
       of_stream, order = order_of(stream)](Ticket) {
        if (lost()) return;
        const TouchingProgramMemory of_the_program;
        copy_box(to, destination, data, source, box);
        work(name_of(of_stream.unit), order, of_stream);
        tell_written(destination, box);
      },
      wait);
}

// Whose memory it is looks for mistakes in it, if anyone does.
void Context::tell_written(const Placed& to, const Box& box) {
  if (!checks_) return;
  for (std::uint64_t z = 0; z < box.depth; ++z)
    for (std::uint64_t y = 0; y < box.height; ++y)
      host_wrote(to.address + z * to.layer + y * to.pitch, box.width);
}

void Context::library_reached(std::uint64_t address, std::uint64_t bytes) {
  if (checks_) host_wrote(address, bytes);
}

void Context::host_wrote(std::uint64_t address, std::uint64_t bytes) {
  const auto block = memory_.find(address);
  Context* const owner = block ? system_->context(block->gpu) : nullptr;
  (owner == nullptr ? *this : *owner).device_.memory().host_wrote(address, bytes);
}

std::string Context::name_of(StreamWork::Unit unit) {
  switch (unit) {
    case StreamWork::Unit::to_device:
      return "copy to the device";
    case StreamWork::Unit::to_host:
      return "copy to the host";
    default:
      return "copy within the device";
  }
}

double Context::copy_nanoseconds(const Box& box, bool within_device, bool pageable) const {
  if (!timed() || !model().timing) return 0;
  const simulator::timing::Constants constants = constants_for(model(), *options_.settings.timing);
  const double bytes = static_cast<double>(box.width) * static_cast<double>(box.height) *
                       static_cast<double>(box.depth);
  constexpr double kNanoPerMicro = 1e3;  // a megabyte a second is a byte a microsecond
  const std::uint32_t rate = within_device ? constants.copy_device_rate
                             : pageable    ? constants.copy_pageable_rate
                                           : constants.copy_pinned_rate;
  const std::uint32_t latency = within_device ? constants.copy_device_latency
                                : pageable    ? constants.copy_pageable_latency
                                              : constants.copy_latency;
  return latency + kNanoPerMicro * bytes / rate;
}

bool Context::can_fill(const FillRequest& request) const {
  const auto to = resolve(memory_, request.destination, request.box, Expected::device);
  return to && !to->read_only;
}

Error Context::fill(const FillRequest& request, Stream& stream, bool wait) {
  if (stream.capture) {
    stream.add_to_capture(NodeType::fill, [request](Context& context, Stream& in) {
      return context.fill(request, in, false);
    });
    return Error::success;
  }
  const Box& box = request.box;
  if (box.empty()) return Error::success;
  const auto to = resolve(memory_, request.destination, box, Expected::device);
  if (!to || to->read_only || graph_memory_.idle(request.destination.address))
    return Error::invalid_value;
  if (request.value != 0 || !to->on_device)
    if (const std::string lack = lacking(to->data, request.destination, box); !lack.empty()) {
      options_.notice(lack);
      return Error::memory_allocation;
    }
  if (to->on_device) wait = false;  // only fills of host memory hold the host up
  return submit(
      stream,
      [this, to = *to, request](Ticket) {
        if (lost()) return;
        const TouchingProgramMemory of_the_program;
        fill_box(to.data, request, to.on_device && !to.shared);
        tell_written(request.destination, request.box);
      },
      wait);
}

}  // namespace heddle::runtime
