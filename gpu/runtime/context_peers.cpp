// Memory of several GPUs: who reaches what. Kernels of a GPU reach its own memory, what the host
// program has pinned or manages, and memory of peers to which access was enabled.
#include <fmt/format.h>

#include "gpu/runtime/context.hpp"

namespace heddle::runtime {

bool Context::reaches(const MemoryBlock& block) const {
  if (!block.on_device() || block.gpu == gpu()) return true;
  const std::uint32_t access = block.by_peers ? peers_ >> block.gpu : block.reached_by >> gpu();
  return (access & 1) != 0;
}

// Inside actions, as the four that follow.
void Context::map(const MemoryBlock& block) {
  if (block.gpu == gpu() || device_.memory().find(block.address) != nullptr) return;
  Context* const owner = system_->context(block.gpu);
  const simulator::Allocation* const known =
      owner == nullptr ? nullptr : owner->device_.memory().find(block.address);
  simulator::Allocation there;
  if (known != nullptr) there = *known;
  there.address = block.address;
  there.bytes = block.bytes;
  there.data = block.data;
  const std::string label = known == nullptr ? "memory" : known->label;
  device_.memory().map_peer(
      there, block.on_device() ? fmt::format("GPU {}: {}", block.gpu, label) : label);
}

void Context::unmap(std::uint64_t address) {
  const simulator::Allocation* const found = device_.memory().find(address);
  if (found != nullptr && found->address == address) device_.memory().free(address);
}

bool Context::add_block(MemoryBlock block) {
  block.gpu = gpu();
  block.made_in = options_.current();
  if (!memory_.insert(block)) return false;
  system_->for_others(*this, [&](Context& other) {
    if (other.reaches(block)) other.map(block);
  });
  return true;
}

void Context::free_block(std::uint64_t address) {
  system_->for_others(*this, [&](Context& other) { other.unmap(address); });
  device_.memory().free(address);
}

void Context::settle_access(const MemoryBlock& block) {
  system_->for_others(*this, [&](Context& other) {
    if (other.reaches(block))
      other.map(block);
    else
      other.unmap(block.address);
  });
}

void Context::join_system() {
  if (system_->gpus() == 1) return system_->set_context(0, this);
  run_here([this](Ticket) {
    system_->set_context(gpu(), this);
    for (const MemoryBlock& block : memory_.blocks())
      if (reaches(block)) map(block);
  });
}

// With it goes its memory, and what others may do with that.
void Context::leave_system() {
  system_->set_context(gpu(), nullptr);
  for (const MemoryBlock& block : memory_.blocks()) {
    if (block.gpu != gpu()) continue;
    system_->for_others(*this, [&](Context& other) { other.unmap(block.address); });
    memory_.remove(block.address);
  }
  system_->for_others(*this, [&](Context& other) { other.peers_ &= ~(1u << gpu()); });
}

std::uint64_t Context::used_bytes() const {
  std::uint64_t bytes = 0;
  for (const MemoryBlock& block : memory_.blocks())
    if (block.on_device() && block.gpu == gpu()) bytes += block.bytes;
  return bytes;
}

Error Context::enable_peer(unsigned peer) {
  Error error = Error::success;
  const Error status = run([&](Ticket) {
    const std::uint32_t bit = 1u << peer;
    if ((peers_ & bit) != 0) error = Error::peer_access_already_enabled;
    peers_ |= bit;
    settle_peer(peer);
  });
  return status == Error::success ? error : status;
}

Error Context::disable_peer(unsigned peer) {
  Error error = Error::success;
  const Error status = run([&](Ticket) {
    const std::uint32_t bit = 1u << peer;
    if ((peers_ & bit) == 0) error = Error::peer_access_not_enabled;
    peers_ &= ~bit;
    settle_peer(peer);
  });
  return status == Error::success ? error : status;
}

void Context::settle_peer(unsigned peer) {
  if (peer == gpu()) return;
  for (const MemoryBlock& block : memory_.blocks()) {
    if (block.gpu != peer || !block.on_device()) continue;
    if (reaches(block))
      map(block);
    else
      unmap(block.address);
  }
}

Error Context::set_access(std::uint64_t address, unsigned of, bool allowed) {
  Error error = Error::success;
  const Error status = run([&](Ticket) {
    const auto block = memory_.find(address);
    if (!block || block->gpu != gpu()) {
      error = Error::invalid_value;
      return;
    }
    const std::uint32_t bit = 1u << of;
    settle_access(memory_.set_reached_by(
        block->address, allowed ? block->reached_by | bit : block->reached_by & ~bit));
  });
  return status == Error::success ? error : status;
}

Error Context::set_pool_access(abi::Handle handle, unsigned of, bool allowed) {
  std::vector<std::uint64_t> addresses;
  {
    std::lock_guard lock(mutex_);
    const auto pool = pools_.find(handle);
    if (pool == pools_.end()) return Error::invalid_value;
    std::uint32_t& access = pool->second->reached_by;
    access = allowed ? access | 1u << of : access & ~(1u << of);
    for (const auto& [address, in] : pooled_)
      if (in == pool->second) addresses.push_back(address);
  }
  for (const std::uint64_t address : addresses)
    if (const Error error = set_access(address, of, allowed); error != Error::success) return error;
  return Error::success;
}

// Kernels that use a peer's memory without access end as on a GPU; what lacked is said too.
std::string Context::missing_access(const simulator::Fault& fault) const {
  if (fault.kind != simulator::Fault::Kind::illegal_address) return {};
  const auto block = memory_.find(fault.address);
  if (!block || block->gpu == gpu()) return {};
  return fmt::format(
      "\n  the address lies in memory of GPU {}, which kernels of GPU {} reach after "
      "cudaDeviceEnablePeerAccess (of a pool: cudaMemPoolSetAccess)",
      block->gpu, gpu());
}

}  // namespace heddle::runtime
