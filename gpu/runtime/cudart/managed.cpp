#include "gpu/runtime/cudart/managed.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>

#include "gpu/runtime/cudart/copies.hpp"

namespace heddle::runtime {

AdviceTable& AdviceTable::instance() {
  static AdviceTable& only = *new AdviceTable;  // programs may ask while they end
  return only;
}

void AdviceTable::split(std::uint64_t address) {
  const auto behind = states_.upper_bound(address);
  states_.try_emplace(address, std::prev(behind)->second);
}

void AdviceTable::forget(std::uint64_t address, std::uint64_t bytes) {
  change(address, bytes, [](Advice& advice) { advice = {}; });
}

std::vector<Advice> AdviceTable::of(std::uint64_t address, std::uint64_t bytes) {
  std::lock_guard lock(mutex_);
  std::vector<Advice> found;
  auto at = std::prev(states_.upper_bound(address));
  for (; at != states_.end() && at->first < address + bytes; ++at) found.push_back(at->second);
  return found;
}

namespace {

constexpr int kDevice = 1, kHost = 2;  // cudaMemLocationType

bool is_managed(Context& context, const void* pointer, std::size_t bytes) {
  const auto block = context.find_memory(address_of(pointer));
  return block && block->kind == MemoryKind::managed && bytes != 0 &&
         bytes <= block->bytes - (address_of(pointer) - block->address);
}

// As CUDA's older calls number places: a device, the CPU, or none.
int number_of(const abi::MemLocation& location) {
  if (location.type == kHost) return abi::kCpuDeviceId;
  return location.type == kDevice ? location.id : abi::kInvalidDeviceId;
}

// The host has no number.
int id_of(const abi::MemLocation& location) {
  return location.type == kHost ? abi::kCpuDeviceId : location.id;
}

bool exists(const abi::MemLocation& location) {
  return location.type == kHost ||
         (location.type == kDevice && Runtime::instance().has_gpu(location.id));
}

// The place all of them have; none where they differ.
template <typename Place>
abi::MemLocation common(const std::vector<Advice>& advice, Place place) {
  const abi::MemLocation first = place(advice.front());
  const bool same = std::ranges::all_of(advice, [&](const Advice& each) {
    return place(each).type == first.type && place(each).id == first.id;
  });
  return same ? first : abi::MemLocation{0, abi::kInvalidDeviceId};
}

Error accessed_by(const std::vector<Advice>& advice, std::span<int> devices) {
  std::ranges::fill(devices, abi::kInvalidDeviceId);
  std::size_t next = 0;
  const auto add = [&](int device, auto by) {
    if (next < devices.size() && std::ranges::all_of(advice, by)) devices[next++] = device;
  };
  for (unsigned gpu = 0; gpu < System::kMostGpus; ++gpu)
    add(static_cast<int>(gpu),
        [gpu](const Advice& each) { return (each.accessed_by >> gpu & 1) != 0; });
  add(abi::kCpuDeviceId, &Advice::accessed_by_host);
  return Error::success;
}

Error tell(int attribute, const std::vector<Advice>& advice, std::span<int> answer) {
  const auto preferred = common(advice, [](const Advice& each) { return each.preferred; });
  const auto prefetched = common(advice, [](const Advice& each) { return each.prefetched; });
  const int values[] = {std::ranges::all_of(advice, &Advice::read_mostly),
                        number_of(preferred),
                        0,
                        number_of(prefetched),
                        preferred.type,
                        id_of(preferred),
                        prefetched.type,
                        id_of(prefetched)};
  constexpr int kAccessedBy = 3;
  if (attribute == kAccessedBy) return accessed_by(advice, answer);
  if (attribute < 1 || attribute > static_cast<int>(std::size(values)) || answer.size() != 1)
    return Error::invalid_value;
  answer[0] = values[attribute - 1];
  return Error::success;
}

}  // namespace

// Hints about where managed memory should live; it lives where both sides reach it.
HEDDLE_STREAM_API(cudaMemPrefetchAsync, _ptsz,
                  (const void* pointer, std::size_t bytes, abi::MemLocation location,
                   unsigned flags, abi::Handle stream),
                  (pointer, bytes, location, flags, stream)) {
  return on_stream(stream, kStreamZero, [&](Context& context, Stream& in) {
    if (in.capture) {  // no graph has such nodes
      in.capture->invalidated = true;
      return Error::stream_capture_unsupported;
    }
    if (!is_managed(context, pointer, bytes) || flags != 0) return Error::invalid_value;
    if (!exists(location))
      return location.type == kDevice ? Error::invalid_device : Error::invalid_value;
    AdviceTable::instance().change(address_of(pointer), bytes,
                                   [&](Advice& advice) { advice.prefetched = location; });
    return Error::success;
  });
}

HEDDLE_API Error cudaMemAdvise(const void* pointer, std::size_t bytes, int what,
                               abi::MemLocation location) {
  return on_device([&](Context& context) {
    if (!is_managed(context, pointer, bytes) || what < 1 || what > 6 || !exists(location))
      return Error::invalid_value;
    const bool on = what % 2 == 1;  // each has its opposite behind it
    AdviceTable::instance().change(address_of(pointer), bytes, [&](Advice& advice) {
      if (what <= 2)
        advice.read_mostly = on;
      else if (what <= 4)
        advice.preferred = on ? location : Advice{}.preferred;
      else if (location.type == kHost)
        advice.accessed_by_host = on;
      else if (const std::uint32_t bit = 1u << location.id; on)
        advice.accessed_by |= bit;
      else
        advice.accessed_by &= ~bit;
    });
    return Error::success;
  });
}

// Several ranges: `first_of` says from which range on each location holds; null: nothing is moved.
static Error prefetch_batch(void** pointers, std::size_t* bytes, std::size_t count,
                            const abi::MemLocation* locations, const std::size_t* first_of,
                            std::size_t location_count, unsigned long long flags,
                            abi::Handle stream, DefaultStream zero) {
  return on_stream(stream, zero, [&](Context& context, Stream&) {
    if (pointers == nullptr || bytes == nullptr || count == 0 || flags != 0 || stream == nullptr)
      return Error::invalid_value;
    std::size_t place = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (!is_managed(context, pointers[i], bytes[i])) return Error::invalid_value;
      if (locations == nullptr) continue;
      while (place + 1 < location_count && first_of[place + 1] <= i) ++place;
      AdviceTable::instance().change(address_of(pointers[i]), bytes[i],
                                     [&](Advice& advice) { advice.prefetched = locations[place]; });
    }
    return Error::success;
  });
}

HEDDLE_STREAM_API(cudaMemPrefetchBatchAsync, _ptsz,
                  (void** pointers, std::size_t* bytes, std::size_t count,
                   abi::MemLocation* locations, std::size_t* first_of, std::size_t location_count,
                   unsigned long long flags, abi::Handle stream),
                  (pointers, bytes, count, locations, first_of, location_count, flags, stream)) {
  return prefetch_batch(pointers, bytes, count, locations, first_of, location_count, flags, stream,
                        kStreamZero);
}

// What is discarded keeps what it has: that is one of the contents it may have.
HEDDLE_STREAM_API(cudaMemDiscardBatchAsync, _ptsz,
                  (void** pointers, std::size_t* bytes, std::size_t count, unsigned long long flags,
                   abi::Handle stream),
                  (pointers, bytes, count, flags, stream)) {
  return prefetch_batch(pointers, bytes, count, nullptr, nullptr, 0, flags, stream, kStreamZero);
}

HEDDLE_STREAM_API(cudaMemDiscardAndPrefetchBatchAsync, _ptsz,
                  (void** pointers, std::size_t* bytes, std::size_t count,
                   abi::MemLocation* locations, std::size_t* first_of, std::size_t location_count,
                   unsigned long long flags, abi::Handle stream),
                  (pointers, bytes, count, locations, first_of, location_count, flags, stream)) {
  return prefetch_batch(pointers, bytes, count, locations, first_of, location_count, flags, stream,
                        kStreamZero);
}

HEDDLE_API Error cudaMemRangeGetAttribute(void* data, std::size_t data_bytes, int attribute,
                                          const void* pointer, std::size_t bytes) {
  return on_device([&](Context& context) {
    if (data == nullptr || data_bytes == 0 || data_bytes % sizeof(int) != 0 ||
        !is_managed(context, pointer, bytes))
      return Error::invalid_value;
    return tell(attribute, AdviceTable::instance().of(address_of(pointer), bytes),
                {static_cast<int*>(data), data_bytes / sizeof(int)});
  });
}

HEDDLE_API Error cudaMemRangeGetAttributes(void** data, std::size_t* data_bytes, int* attributes,
                                           std::size_t count, const void* pointer,
                                           std::size_t bytes) {
  if (data == nullptr || data_bytes == nullptr || attributes == nullptr)
    return api([] { return Error::invalid_value; });
  for (std::size_t i = 0; i < count; ++i) {
    const Error error =
        cudaMemRangeGetAttribute(data[i], data_bytes[i], attributes[i], pointer, bytes);
    if (error != Error::success) return error;
  }
  return Error::success;
}

}  // namespace heddle::runtime
