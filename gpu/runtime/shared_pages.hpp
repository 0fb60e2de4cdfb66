// Memory that processes share: files in memory, which others open through the descriptor of the
// process that has them (/proc/PID/fd/N). Who may look at a process's descriptors may have its
// memory.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "gpu/runtime/abi.hpp"

namespace heddle::runtime {

class SharedFile {
 public:
  // Throw std::system_error. `descriptor` is taken over.
  static std::shared_ptr<SharedFile> create(std::uint64_t bytes);
  static std::shared_ptr<SharedFile> open(pid_t process, int descriptor, std::uint64_t number);
  static std::shared_ptr<SharedFile> adopt(int descriptor);
  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  int descriptor() const { return descriptor_; }
  std::uint64_t number() const { return number_; }  // tells it from others; 0: not known
  std::uint64_t bytes() const;
  // Puts its first pages where others are, or anywhere. Throw std::system_error.
  void map_over(std::byte* place, std::uint64_t bytes) const;
  std::byte* map(std::uint64_t bytes) const;

 private:
  SharedFile(int descriptor, std::uint64_t number) : descriptor_(descriptor), number_(number) {}
  int descriptor_;
  std::uint64_t number_;
};

// Fresh pages of this process alone in place of others.
void map_fresh_over(std::byte* place, std::uint64_t bytes);

// How often an event was recorded, and how far that has come; in all processes that have it.
struct EventCounts {
  std::atomic<std::uint64_t> submitted{0}, completed{0};
};
class SharedEvent {
 public:
  explicit SharedEvent(std::shared_ptr<SharedFile> file);
  ~SharedEvent();
  SharedEvent(const SharedEvent&) = delete;
  SharedEvent& operator=(const SharedEvent&) = delete;
  EventCounts& counts() const { return *counts_; }
  const SharedFile& file() const { return *file_; }

 private:
  std::shared_ptr<SharedFile> file_;
  EventCounts* counts_;
};

// What a handle for other processes holds.
struct SharedHandle {
  char mark[8];
  std::int32_t process, descriptor;
  std::uint64_t number, bytes, address;
  std::uint64_t pool;  // that the memory is of; 0: of none
};
abi::IpcHandle to_handle(const SharedFile& file, std::uint64_t bytes, std::uint64_t address,
                         std::uint64_t pool = 0);
bool from_handle(const abi::IpcHandle& handle, SharedHandle& out);  // false: it is none of these

// What other processes learn of a memory pool: a file that holds this.
struct SharedPool {
  std::uint64_t number;  // tells it from others, in handles too
  std::int32_t gpu;      // whose memory it gives out
};
// A pool gets its number where it has none. Throws std::system_error.
std::shared_ptr<SharedFile> to_file(SharedPool& pool);
bool from_file(int descriptor, SharedPool& out);  // false: it is none of these

}  // namespace heddle::runtime
