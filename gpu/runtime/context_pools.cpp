// Memory pools.
#include "gpu/runtime/context.hpp"

namespace heddle::runtime {

bool Context::has_pool(abi::Handle handle) const {
  std::lock_guard lock(mutex_);
  return pools_.contains(handle);
}

abi::Handle Context::create_pool(const abi::MemPoolProps& properties, std::uint64_t number) {
  auto pool = std::make_shared<MemoryPool>();
  pool->properties = properties;
  pool->number = number;
  pool->imported = number != 0;
  std::lock_guard lock(mutex_);
  if (pool->imported)
    for (const auto& [handle, other] : pools_)
      if (other->imported && other->number == number) return handle;
  const abi::Handle handle = pool.get();
  pools_[handle] = std::move(pool);
  return handle;
}

// An imported pool is the process's one such pool for good: on an H200 it can be destroyed again
// and again, but not while its memory is open (gpu/runtime/tests/answers/imported_pools.cu).
Error Context::destroy_pool(abi::Handle handle) {
  if (handle == default_pool_) return Error::invalid_value;
  std::lock_guard lock(mutex_);
  const auto found = pools_.find(handle);
  if (found == pools_.end()) return Error::invalid_value;
  if (found->second->imported)
    return found->second->live != 0 ? Error::invalid_value : Error::success;
  pools_.erase(found);
  if (current_pool_ == handle) current_pool_ = default_pool_;
  return Error::success;
}

abi::Handle Context::current_pool() const {
  std::lock_guard lock(mutex_);
  return current_pool_;
}

Error Context::use_pool(abi::Handle handle) {
  std::lock_guard lock(mutex_);
  const auto found = pools_.find(handle);
  if (found == pools_.end() || found->second->imported) return Error::invalid_value;
  current_pool_ = handle;
  return Error::success;
}

Error Context::allocate_from(abi::Handle handle, std::uint64_t bytes, std::uint64_t& address) {
  std::shared_ptr<MemoryPool> from;
  std::uint32_t reached_by = 0;
  address = 0;
  {
    std::lock_guard lock(mutex_);
    const auto found = pools_.find(handle);
    if (found == pools_.end() || found->second->imported) return Error::invalid_value;
    if (bytes == 0) return Error::success;
    from = found->second;
    reached_by = from->reached_by;
    const std::uint64_t most = from->properties.maxSize;
    if (most != 0 && (bytes > most || from->live > most - bytes)) return Error::memory_allocation;
  }
  constexpr int kOnHost = 2, kManaged = 2;  // cudaMemLocationTypeHost and beyond
  const bool on_host = from->properties.location.type >= kOnHost;
  const bool managed = from->properties.allocType == kManaged;
  void* host = nullptr;
  const Error error =
      on_host || managed
          ? allocate_host(bytes, managed ? MemoryKind::managed : MemoryKind::pinned, 1, host)
          : allocate(bytes, "cudaMallocAsync", address, simulator::DeviceMemory::Pool::ordered, 1,
                     reached_by);
  if (host != nullptr) address = reinterpret_cast<std::uint64_t>(host);
  if (error != Error::success) return error;
  std::lock_guard lock(mutex_);
  from->take(bytes);
  pooled_[address] = from;
  return Error::success;
}

bool Context::leave_pool(const MemoryBlock& block, bool counted) {
  std::lock_guard lock(mutex_);
  const auto found = pooled_.find(block.address);
  if (found == pooled_.end()) return false;
  found->second->give(block.bytes, counted);
  pooled_.erase(found);
  return true;
}

Error Context::allocate_for_graph(std::uint64_t bytes, std::shared_ptr<Context> self,
                                  std::shared_ptr<const void>& block) {
  std::uint64_t address = 0;
  const Error error =
      allocate(bytes, "cudaGraphAddMemAllocNode", address, simulator::DeviceMemory::Pool::apart);
  if (error != Error::success) return error;
  graph_memory_.add_block(address, bytes);
  block = {
      reinterpret_cast<const void*>(address), [owner = std::weak_ptr(self), address](const void*) {
        const auto context = owner.lock();
        if (!context) return;
        context->graph_memory_.forget_block(address);
        context->memory_.remove(address);
        // Behind all that may use it; nobody waits for it.
        context->engine_.submit([of = context.get(), address](Ticket) { of->free_block(address); },
                                Engine::Length::brief);
      }};
  return Error::success;
}

GraphMemory::Pieces Context::reserve_for_graph(std::uint64_t bytes, const Stream& stream) {
  return graph_memory_.reserve(bytes, stream.id,
                               [this](Ticket each) { return engine_.done(each); });
}

void Context::trim_graph_memory() {
  graph_memory_.trim([this](Ticket each) { return engine_.done(each); });
}

void Context::settle_pools() {
  std::lock_guard lock(mutex_);
  for (const auto& [handle, pool] : pools_) pool->trim(pool->release_threshold);
}

}  // namespace heddle::runtime
