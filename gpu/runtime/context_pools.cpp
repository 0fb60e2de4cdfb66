// Memory pools.
#include "gpu/runtime/context.hpp"

namespace heddle::runtime {

std::shared_ptr<MemoryPool> Context::pool(abi::Handle handle) const {
  std::lock_guard lock(mutex_);
  const auto found = pools_.find(handle);
  return found == pools_.end() ? nullptr : found->second;
}

abi::Handle Context::create_pool(const abi::MemPoolProps& properties) {
  auto pool = std::make_shared<MemoryPool>();
  pool->properties = properties;
  std::lock_guard lock(mutex_);
  const abi::Handle handle = pool.get();
  pools_[handle] = std::move(pool);
  return handle;
}

Error Context::destroy_pool(abi::Handle handle) {
  if (handle == default_pool_) return Error::invalid_value;
  std::lock_guard lock(mutex_);
  if (pools_.erase(handle) == 0) return Error::invalid_value;
  if (current_pool_ == handle) current_pool_ = default_pool_;
  return Error::success;
}

abi::Handle Context::current_pool() const {
  std::lock_guard lock(mutex_);
  return current_pool_;
}

Error Context::use_pool(abi::Handle handle) {
  if (!pool(handle)) return Error::invalid_value;
  std::lock_guard lock(mutex_);
  current_pool_ = handle;
  return Error::success;
}

Error Context::allocate_from(abi::Handle handle, std::uint64_t bytes, std::uint64_t& address) {
  const auto from = pool(handle);
  if (!from) return Error::invalid_value;
  address = 0;
  if (bytes == 0) return Error::success;
  const std::uint64_t most = from->properties.maxSize;
  {
    std::lock_guard lock(mutex_);
    if (most != 0 && (bytes > most || from->live > most - bytes)) return Error::memory_allocation;
  }
  constexpr int kOnHost = 2, kManaged = 2;  // cudaMemLocationTypeHost and beyond
  const bool on_host = from->properties.location.type >= kOnHost;
  const bool managed = from->properties.allocType == kManaged;
  void* host = nullptr;
  const Error error =
      on_host || managed
          ? allocate_host(bytes, managed ? MemoryKind::managed : MemoryKind::pinned, 1, host)
          : allocate(bytes, "cudaMallocAsync", address, simulator::DeviceMemory::Pool::ordered);
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

void Context::settle_pools() {
  std::lock_guard lock(mutex_);
  for (const auto& [handle, pool] : pools_) pool->trim(pool->release_threshold);
}

}  // namespace heddle::runtime
