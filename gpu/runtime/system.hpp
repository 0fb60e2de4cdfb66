// What the GPUs of a process have in common: one order of work, and one space of addresses.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "gpu/runtime/engine.hpp"
#include "gpu/runtime/memory_table.hpp"

namespace heddle::runtime {

class Context;

class System {
 public:
  static constexpr unsigned kMostGpus = 8;

  explicit System(unsigned gpus = 1) : contexts_(gpus) {}

  unsigned gpus() const { return static_cast<unsigned>(contexts_.size()); }
  MemoryTable& memory() { return memory_; }
  Engine& engine() { return engine_; }

  // The contexts that are there, by GPU. They come and go inside actions, and so stay inside one.
  void set_context(unsigned gpu, Context* context) {
    std::lock_guard lock(mutex_);
    contexts_.at(gpu) = context;
  }
  Context* context(unsigned gpu) const {
    std::lock_guard lock(mutex_);
    return contexts_.at(gpu);
  }
  // Inside actions: `body(Context&)` for each but one.
  template <typename Body>
  void for_others(const Context& but, Body body) {
    for (unsigned gpu = 0; gpu < gpus(); ++gpu)
      if (Context* const other = context(gpu); other != nullptr && other != &but) body(*other);
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Context*> contexts_;  // null: none
  MemoryTable memory_;
  Engine engine_;  // last: it ends before that goes
};

}  // namespace heddle::runtime
