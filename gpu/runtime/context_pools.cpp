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
  if (!from || bytes == 0) return Error::invalid_value;
  const std::uint64_t most = from->properties.maxSize;
  {
    std::lock_guard lock(mutex_);
    if (most != 0 && (bytes > most || from->used > most - bytes)) return Error::memory_allocation;
  }
  const Error error = allocate(bytes, "cudaMallocAsync", address);
  if (error != Error::success) return error;
  std::lock_guard lock(mutex_);
  from->take(bytes);
  pooled_[address] = from;
  return Error::success;
}

void Context::leave_pool(const MemoryBlock& block) {
  std::lock_guard lock(mutex_);
  const auto found = pooled_.find(block.address);
  if (found == pooled_.end()) return;
  found->second->used -= block.bytes;
  pooled_.erase(found);
}

}  // namespace heddle::runtime
