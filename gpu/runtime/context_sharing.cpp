// Memory and events that other processes have too.
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>

#include "gpu/runtime/context.hpp"

namespace heddle::runtime {

// Whole pages of an allocation: more than its bytes, as simulator::DeviceMemory maps them.
static std::uint64_t pages_of(const MemoryBlock& block) {
  constexpr std::uint64_t kPage = 4096;
  return (block.bytes + kPage) / kPage * kPage;
}

// The block's pages become those of a file; what it holds stays.
Error Context::share(const MemoryBlock& block, std::shared_ptr<SharedFile>& file) {
  {
    std::lock_guard lock(mutex_);
    const auto found = shared_.find(block.address);
    if (found != shared_.end()) {
      file = found->second;
      return Error::success;
    }
  }
  std::string why;
  const Error error = run([&](Ticket) {
    try {
      file = SharedFile::create(pages_of(block));
      std::byte* const copy = file->map(pages_of(block));
      std::memcpy(copy, block.data, block.bytes);
      munmap(copy, pages_of(block));
      file->map_over(block.data, pages_of(block));
    } catch (const std::system_error& failed) {
      why = failed.what();
    }
  });
  if (error != Error::success) return error;
  if (!why.empty()) {
    options_.notice(why);
    return Error::operating_system;
  }
  memory_.mark_shared(block.address);
  std::lock_guard lock(mutex_);
  shared_[block.address] = file;
  return Error::success;
}

Error Context::share_memory(std::uint64_t address, abi::IpcHandle& handle) {
  const auto block = memory_.find(address);
  if (!block || block->kind != MemoryKind::device || block->owned_by_module)
    return Error::invalid_value;
  std::shared_ptr<SharedFile> file;
  const Error error = share(*block, file);
  if (error == Error::success) handle = to_handle(*file, block->bytes, block->address);
  return error;
}

// Only of a pool that has been exported: an H200 says so too
// (gpu/runtime/tests/programs/sharing.cu).
Error Context::share_pooled_memory(std::uint64_t address, abi::IpcHandle& handle) {
  std::uint64_t pool = 0;
  {
    std::lock_guard lock(mutex_);
    const auto found = pooled_.find(address);
    if (found == pooled_.end() || found->second->imported) return Error::invalid_value;
    pool = found->second->number;
    if (pool == 0) return Error::invalid_value;
  }
  const auto block = memory_.find(address);
  if (!block || block->kind != MemoryKind::device) return Error::invalid_value;
  std::shared_ptr<SharedFile> file;
  const Error error = share(*block, file);
  if (error == Error::success) handle = to_handle(*file, block->bytes, block->address, pool);
  return error;
}

Error Context::open_memory(const abi::IpcHandle& handle, std::uint64_t& address) {
  SharedHandle shared;
  if (!from_handle(handle, shared)) return Error::invalid_value;
  return open(shared, nullptr, address);
}

// Memory of another pool than that it is imported from is refused: importers try their pools one
// after another.
Error Context::open_pooled_memory(abi::Handle pool, const abi::IpcHandle& handle,
                                  std::uint64_t& address) {
  SharedHandle shared;
  if (!from_handle(handle, shared)) return Error::invalid_value;
  std::shared_ptr<MemoryPool> from;
  {
    std::lock_guard lock(mutex_);
    const auto found = pools_.find(pool);
    if (found == pools_.end() || !found->second->imported || found->second->number != shared.pool)
      return Error::invalid_value;
    from = found->second;
  }
  const Error error = open(shared, from.get(), address);
  if (error != Error::success) return error;
  std::lock_guard lock(mutex_);
  if (pooled_.try_emplace(address, from).second) from->take(shared.bytes);
  return Error::success;
}

Error Context::open(const SharedHandle& shared, const MemoryPool* pool, std::uint64_t& address) {
  {
    std::lock_guard lock(mutex_);
    const auto found = opened_.find(shared.number);
    if (found != opened_.end()) {
      ++found->second.times;
      address = found->second.address;
      return Error::success;
    }
    for (const auto& [made, file] : shared_)
      if (pool == nullptr && file->number() == shared.number)
        return Error::device_uninitialized;  // made here
  }
  std::shared_ptr<SharedFile> file;
  try {
    file = SharedFile::open(shared.process, shared.descriptor, shared.number);
    if (file->bytes() < shared.bytes) return Error::invalid_value;
  } catch (const std::system_error&) {
    return Error::map_buffer_object_failed;  // whose memory it is has ended, or freed it
  }
  using enum simulator::DeviceMemory::Pool;
  const Error error = pool == nullptr ? allocate(shared.bytes, "cudaIpcOpenMemHandle", address)
                                      : allocate(shared.bytes, "cudaMemPoolImportPointer", address,
                                                 ordered, 1, pool->reached_by);
  if (error != Error::success) return error;
  if (const Error mapped = put_pages(address, file, shared.bytes); mapped != Error::success)
    return mapped;
  std::lock_guard lock(mutex_);
  opened_[shared.number] = {address, 1};
  return Error::success;
}

// The address may be another allocation's soon.
void Context::leave_sharing(std::uint64_t address) {
  std::lock_guard lock(mutex_);
  shared_.erase(address);
  std::erase_if(opened_, [&](const auto& each) { return each.second.address == address; });
}

Error Context::close_memory(std::uint64_t address) {
  {
    std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(
        opened_, [address](const auto& each) { return each.second.address == address; });
    if (found == opened_.end()) return Error::invalid_value;
    if (--found->second.times != 0) return Error::success;
    opened_.erase(found);
  }
  return free(address);
}

Error Context::put_pages(std::uint64_t address, const std::shared_ptr<SharedFile>& file,
                         std::uint64_t bytes) {
  const auto block = memory_.find(address);
  if (!block) return Error::invalid_value;
  std::byte* const place = block->data + (address - block->address);
  bool done = true;
  const Error error = run([&](Ticket) {
    try {
      if (file)
        file->map_over(place, bytes);
      else
        map_fresh_over(place, bytes);
    } catch (const std::system_error&) {
      done = false;
    }
    host_wrote(address, bytes);
  });
  if (error == Error::success && done) memory_.mark_shared(block->address);
  return error == Error::success && !done ? Error::map_buffer_object_failed : error;
}

Error Context::share_event(const Event& event, abi::IpcHandle& handle) const {
  const auto& shared = event.shared();
  if (!shared) return Error::invalid_resource_handle;
  handle = to_handle(shared->file(), sizeof(EventCounts), 0);
  return Error::success;
}

Error Context::open_event(const abi::IpcHandle& handle, std::shared_ptr<Event>& event) {
  SharedHandle shared;
  if (!from_handle(handle, shared)) return Error::invalid_value;
  try {
    auto counts = std::make_shared<SharedEvent>(
        SharedFile::open(shared.process, shared.descriptor, shared.number));
    event = std::make_shared<Event>(abi::kEventDisableTiming | abi::kEventInterprocess,
                                    std::move(counts));
  } catch (const std::system_error&) {
    return Error::map_buffer_object_failed;
  }
  std::lock_guard lock(mutex_);
  events_[event.get()] = event;
  return Error::success;
}

void Context::wait_for_counts(const Event& event) const {
  constexpr std::chrono::microseconds kPause{50};
  const auto& shared = event.shared();
  if (!shared) return;
  const std::uint64_t wanted = shared->counts().submitted;
  while (shared->counts().completed < wanted && !lost()) std::this_thread::sleep_for(kPause);
}

}  // namespace heddle::runtime
