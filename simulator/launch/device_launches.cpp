#include "simulator/launch/device_launches.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <type_traits>

#include "simulator/launch/builtins.hpp"

namespace heddle::simulator {
namespace {

// Like the names of the memory that modules have: no program has asked for it.
constexpr const char* kLabel = ".nv.device_launches";
// Some ten thousand launches with small parameters.
constexpr std::uint64_t kBytes = 8 << 20;
constexpr std::uint64_t kMostPending = 2048;  // CUDA's own limit
constexpr std::uint64_t kUnit = 64;           // parameters are aligned to it

// Null for a room of another size, which a capsule can have: its lists could take any time to walk.
const Allocation* find_room(const DeviceMemory& memory) {
  const Allocation* const room = memory.find_named(kLabel);
  return room != nullptr && room->bytes == kBytes ? room : nullptr;
}

std::uint64_t rounded(std::uint64_t bytes) { return (bytes + kUnit - 1) / kUnit * kUnit; }

}  // namespace

const isa::Kernel* kernel_at(const Module& module, std::uint64_t code_address) {
  for (const isa::Kernel& kernel : module.cubin().kernels)
    if (module.program().entry(kernel) == code_address) return &kernel;
  return nullptr;
}

void DeviceLaunches::create(DeviceMemory& memory) {
  if (memory.find_named(kLabel) != nullptr) return;
  if (!memory.allocate(kBytes, kLabel, DeviceMemory::Pool::apart)) throw std::bad_alloc();
}

void DeviceLaunches::limit_pending(DeviceMemory& memory, std::uint64_t most) {
  create(memory);
  DeviceLaunches launches(memory);
  auto header = launches.read<Header>(0);
  header.most_pending = most;
  launches.write(0, header);
}

void DeviceLaunches::set_nesting(DeviceMemory& memory, unsigned nesting) {
  DeviceLaunches launches(memory);
  auto header = launches.read<Header>(0);
  header.nesting = nesting;
  launches.write(0, header);
}

unsigned DeviceLaunches::nesting() const { return static_cast<unsigned>(read<Header>(0).nesting); }

bool DeviceLaunches::any(const DeviceMemory& memory) {
  const Allocation* room = find_room(memory);
  if (room == nullptr) return false;
  Header header;
  std::memcpy(&header, room->data, sizeof header);
  return header.first != 0;
}

DeviceLaunches::DeviceLaunches(DeviceMemory& memory, MemoryJournal* journal)
    : memory_(memory), journal_(journal) {
  const Allocation* room = find_room(memory);
  if (room == nullptr) return;
  data_ = room->data;
  start_ = room->address;
  bytes_ = room->bytes;
}

// Device code may have written anywhere here: offsets are looked at before they are used.
template <typename Value>
Value DeviceLaunches::read(std::uint64_t offset) const {
  static_assert(std::is_trivially_copyable_v<Value>);
  Value value{};
  if (offset <= bytes_ && sizeof value <= bytes_ - offset)
    std::memcpy(&value, data_ + offset, sizeof value);
  return value;
}

template <typename Value>
void DeviceLaunches::write(std::uint64_t offset, const Value& value) {
  // Digests of memory see every byte.
  static_assert(std::has_unique_object_representations_v<Value>);
  static_assert(std::is_trivially_copyable_v<Value>);
  if (offset > bytes_ || sizeof value > bytes_ - offset) return;
  if (journal_ != nullptr) journal_->before_write({start_ + offset}, Mask::of(0), sizeof value);
  std::memcpy(data_ + offset, &value, sizeof value);
}

std::uint64_t DeviceLaunches::take_room(std::uint64_t bytes) {
  auto header = read<Header>(0);
  const std::uint64_t offset = std::max(header.used, rounded(sizeof(Header)));
  if (offset > bytes_ || rounded(bytes) > bytes_ - offset) return 0;
  header.used = offset + rounded(bytes);
  write(0, header);
  return offset;
}

std::uint64_t DeviceLaunches::prepare(const DeviceLaunch& launch, Thread thread) {
  const auto header = read<Header>(0);
  const std::uint64_t most = header.most_pending == 0 ? kMostPending : header.most_pending;
  const bool is_new = find(header.threads, thread) == 0;
  if (header.tails + (is_new ? header.thread_count : 0) >= most) return 0;
  const std::uint64_t offset =
      take_room(rounded(sizeof(Entry)) + std::uint64_t{launch.parameter_bytes});
  if (offset == 0) return 0;
  write(offset, Entry{launch, 0, kPrepared, 0});
  return start_ + offset + rounded(sizeof(Entry));
}

std::uint64_t DeviceLaunches::entry_of(std::uint64_t parameters) const {
  const std::uint64_t offset = parameters - rounded(sizeof(Entry)) - start_;
  if (offset % kUnit != 0 || offset < rounded(sizeof(Header)) || offset >= bytes_) return 0;
  const auto entry = read<Entry>(offset);
  return entry.state == kPrepared ? offset : 0;
}

std::uint64_t DeviceLaunches::prepare_bytes(std::uint32_t bytes, Thread thread) {
  DeviceLaunch launch;
  launch.parameter_bytes = bytes;
  return prepare(launch, thread);
}

bool DeviceLaunches::configure(std::uint64_t parameters, const DeviceLaunch& launch) {
  const std::uint64_t offset = entry_of(parameters);
  if (offset == 0) return false;
  auto entry = read<Entry>(offset);
  if (entry.launch.parameter_bytes < launch.parameter_bytes) return false;
  entry.launch = launch;
  write(offset, entry);
  return true;
}

std::optional<DeviceLaunch> DeviceLaunches::prepared(std::uint64_t parameters) const {
  const std::uint64_t offset = entry_of(parameters);
  if (offset == 0) return std::nullopt;
  return read<Entry>(offset).launch;
}

bool DeviceLaunches::launch(std::uint64_t parameters, std::uint64_t stream, Thread thread) {
  const std::uint64_t offset = entry_of(parameters);
  if (offset == 0) return false;
  auto entry = read<Entry>(offset);
  entry.stream = stream;
  entry.state = kLaunched;
  write(offset, entry);
  auto header = read<Header>(0);
  if (header.first == 0) header.first = offset;
  if (header.last != 0) {
    auto before = read<Entry>(header.last);
    before.next = offset;
    write(header.last, before);
  }
  header.last = offset;
  if (stream == kTailLaunchStream) ++header.tails;
  write(0, header);
  if (stream == kTailLaunchStream || find(header.threads, thread) != 0) return true;
  if (const std::uint64_t place = take_room(sizeof(ThreadEntry)); place != 0) {
    write(place, ThreadEntry{header.threads, thread, 0});
    header = read<Header>(0);
    header.threads = place;
    ++header.thread_count;
    write(0, header);
  }
  return true;
}

std::uint64_t DeviceLaunches::new_handle() {
  auto header = read<Header>(0);
  ++header.handles;
  write(0, header);
  return start_ + header.handles;
}

bool DeviceLaunches::is_handle(std::uint64_t value) const {
  return value > start_ && value - start_ <= read<Header>(0).handles;
}

std::uint64_t DeviceLaunches::find(std::uint64_t first, Thread thread) const {
  std::uint64_t offset = first;
  for (std::uint64_t left = bytes_ / kUnit; offset != 0 && left != 0; --left) {
    const auto entry = read<ThreadEntry>(offset);
    if (entry.thread.block == thread.block && entry.thread.thread == thread.thread) return offset;
    offset = entry.next;
  }
  return 0;
}

std::uint32_t DeviceLaunches::last_error(Thread thread) const {
  const std::uint64_t offset = find(read<Header>(0).errors, thread);
  return offset == 0 ? 0 : static_cast<std::uint32_t>(read<ThreadEntry>(offset).error);
}

void DeviceLaunches::set_last_error(Thread thread, std::uint32_t error) {
  std::uint64_t offset = find(read<Header>(0).errors, thread);
  if (offset == 0 && error == 0) return;
  if (offset != 0) {
    auto entry = read<ThreadEntry>(offset);
    entry.error = error;
    write(offset, entry);
    return;
  }
  offset = take_room(sizeof(ThreadEntry));
  if (offset == 0) return;
  auto header = read<Header>(0);
  write(offset, ThreadEntry{header.errors, thread, error});
  header.errors = offset;
  write(0, header);
}

std::vector<ChildLaunch> DeviceLaunches::take(Module& module) {
  std::vector<ChildLaunch> children;
  if (data_ == nullptr) return children;
  const auto header = read<Header>(0);
  std::uint64_t offset = header.first;
  for (std::uint64_t left = bytes_ / kUnit; offset != 0 && left != 0; --left) {
    const auto entry = read<Entry>(offset);
    const isa::Kernel* kernel = kernel_at(module, entry.launch.kernel);
    const std::uint64_t parameters = offset + rounded(sizeof entry);
    if (kernel == nullptr || parameters > bytes_ ||
        entry.launch.parameter_bytes > bytes_ - parameters)
      break;  // overwritten
    ChildLaunch& child = children.emplace_back();
    child.request = {
        .module = &module,
        .kernel = kernel,
        .grid = entry.launch.grid,
        .block = entry.launch.block,
        .cluster = {1, 1, 1},
        .dynamic_shared_bytes = entry.launch.dynamic_shared_bytes,
        .cooperative = false,
        .parameters = {data_ + parameters, data_ + parameters + entry.launch.parameter_bytes}};
    child.tail = entry.stream == kTailLaunchStream;
    offset = entry.next;
  }
  const std::uint64_t used = std::min(std::max(header.used, sizeof header), bytes_);
  std::memset(data_, 0, used);
  std::memcpy(data_, &header.most_pending, sizeof header.most_pending);
  memory_.host_wrote(start_, used);
  return children;
}

}  // namespace heddle::simulator
