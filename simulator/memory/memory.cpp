#include "simulator/memory/memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>

#include "simulator/memory/dense_frames.hpp"
#include "simulator/memory/driver_places.hpp"
#include "simulator/memory/host_mappings.hpp"
#include "simulator/memory/memory_watcher.hpp"

namespace heddle::simulator {
namespace {

// Device addresses start above the windows through which generic addresses reach shared and local
// memory (simulator/memory/address_space.hpp) and below any host mapping of a 64-bit Linux process.
// Neither half of an address is a number that programs compute with, so that data is not taken for
// pointers where memory is compared (make_launch_record's digests): small integers side by side
// look like 0x10'0000'0005.
constexpr std::uint64_t kFirstAddress = 0x1a5d'b600'0000;
constexpr std::uint64_t kPage = 4096;
constexpr std::string_view kNamed = ".nv.";  // how names begin of what no program asked for

// Each allocation lies in 2 MiB of its own, or several of them, at the offset there that the driver
// would have given it: so nothing else is near its end. Behind it as much stays free as kernels may
// reach (simulator/memory/mapped_around.hpp).
constexpr std::uint64_t kFrame = 2 << 20, kReach = 512;
constexpr std::uint64_t kOrderedPiece = 32 << 20;
constexpr std::uint64_t kUnit = 512, kVariableUnit = 256;
// Beside the frames of an allocation the driver has others mapped, at least as many on an H200
// (docs/experiments/allocations.md); before them none of memory pools and of large allocations.
constexpr std::uint64_t kMappedBefore = kFrame, kMappedBehind = 2 * kFrame;
constexpr std::uint64_t kLargest = 32 << 20;

// Host-visible memory lies where neither programs, their heap nor their libraries are put on 64-bit
// Linux, so that its addresses do not differ from run to run.
constexpr std::uint64_t kFirstHostAddress = 0x2000'0000'0000;
constexpr std::uint64_t kHostAddresses = 0x100'0000'0000;  // of each of several GPUs

bool is_host_visible(std::uint64_t address) {
  constexpr std::uint64_t kMostGpus = 8;
  return address - kFirstHostAddress < kMostGpus * kHostAddresses;
}

// Several GPUs divide the addresses among themselves; the first one's begin where one GPU's do.
std::uint64_t first_address(const GpuPlace& place, unsigned ordinal) {
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 32;
  const std::uint64_t share = (kFirstHostAddress - kFirstAddress) / place.gpus / kHalf * kHalf;
  return ordinal == place.gpus ? kFirstHostAddress : kFirstAddress + ordinal * share;
}

// Warps walk through memory with large steps: with small pages nearly every access would miss the
// host's TLB.
constexpr std::uint64_t kHugePage = DenseFrames::kFrame;
// From here on not all that an allocation holds is in huge pages.
constexpr std::uint64_t kLarge = 256 << 20;

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

// `bytes`: whole pages.
std::byte* map_pages(std::uint64_t bytes) {
  const std::uint64_t spare = bytes >= kHugePage ? kHugePage : 0;  // to begin at a huge page
  void* pages = mmap(nullptr, bytes + spare, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  auto* const first = static_cast<std::byte*>(pages);
  if (spare == 0) return first;
  const std::uint64_t skipped = -reinterpret_cast<std::uint64_t>(first) % kHugePage;
  if (skipped != 0) munmap(first, skipped);
  if (skipped != spare) munmap(first + skipped + bytes, spare - skipped);
  // Where the system has none, nothing changes.
  if (bytes < kLarge) madvise(first + skipped, bytes, MADV_HUGEPAGE);
  return first + skipped;
}

// Pages of a plain allocation: more than its bytes, for what kernels reach behind its end
// (simulator/memory/mapped_around.hpp).
std::uint64_t mapped_bytes(std::uint64_t bytes) { return round_up(bytes + 1, kPage); }

// Memory for device addresses from `address` on, aligned on the host as they are: an atomic
// operation of up to 16 bytes that is aligned there is aligned here. Replayed launches have
// allocations at any address: a program can register one with cudaHostRegister.
constexpr std::uint64_t kWidest = 16;
std::byte* map_at(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t skipped = address % kWidest;
  return map_pages(round_up(skipped + bytes, kPage)) + skipped;
}
void unmap_at(std::uint64_t address, std::byte* data, std::uint64_t bytes) {
  const std::uint64_t skipped = address % kWidest;
  munmap(data - skipped, round_up(skipped + bytes, kPage));
}

}  // namespace

struct DeviceMemory::Impl {
  std::uint64_t capacity = 0;
  std::uint64_t used = 0;
  std::uint32_t next_ordinal = 0;
  std::uint64_t next_host_address = kFirstHostAddress;
  std::map<std::uint64_t, Allocation> allocations;
  // Label (of the one in `allocations`) and address: find_named.
  std::set<std::pair<std::string_view, std::uint64_t>> named;
  std::set<std::uint64_t> host_visible;  // those of them whose pages are ours all the same
  std::deque<Place> places;
  MemoryWatcher* watcher = nullptr;
  DenseFrames dense;  // of large plain allocations
  DriverPlaces plain{kFrame, kUnit}, ordered{kOrderedPiece, kUnit},
      variables{kFrame, kVariableUnit};
  // Frames by the first one's address, with their end. A free must succeed when memory is full, so
  // an allocation holds the node by which its frames are listed again.
  using Frames = std::map<std::uint64_t, std::uint64_t>;
  // Of plain allocations, by address.
  // What was freed beside living allocations, in the pool's order: pool, piece, offset and bytes,
  // and its address.
  struct Freed {
    const DriverPlaces* pool = nullptr;
    std::uint64_t piece = 0, offset = 0, bytes = 0;
    std::uint64_t address = 0;
    auto operator<=>(const Freed&) const = default;
  };
  struct Placed {
    DriverPlaces* pool = nullptr;
    DriverPlaces::Place place;
    Frames::node_type frames;
    std::set<Freed>::node_type freed;
  };
  std::map<std::uint64_t, Placed> placed;
  std::set<Freed> freed;
  std::map<std::uint64_t, Allocation> freed_allocations;  // those, which kernels still reach
  std::map<std::uint64_t, Pool> framed;  // allocations with frames in which no other one lies
  Frames retired;                        // not given out again
  std::mutex around_mutex;
  std::map<std::uint64_t, Stretch> around;  // by their first byte
  std::atomic<std::uint64_t> accesses_outside{0};
  std::set<std::uint64_t> registered;  // allocations
  std::mutex rights_mutex;
  std::map<std::uint64_t, std::vector<HostMapping>> rights;  // of those that were asked for
  Frames free_frames;
  std::uint64_t next_frame = kFirstAddress, end_of_frames = kFirstHostAddress;

  DriverPlaces* places_of(Pool pool) {
    return pool == Pool::plain     ? &plain
           : pool == Pool::ordered ? &ordered
           : pool == Pool::module  ? &variables
                                   : nullptr;
  }
  std::optional<std::uint64_t> take_frames(std::uint64_t bytes);
  std::optional<std::uint64_t> reuse_frames(std::uint64_t bytes);
  void give_back_frames(Frames::node_type frames);

  std::byte* map_host_pages(std::uint64_t bytes);
  bool overlaps(std::uint64_t address, std::uint64_t bytes) const {
    const auto next = allocations.lower_bound(address);
    if (next != allocations.end() && next->first - address < bytes) return true;
    return next != allocations.begin() && std::prev(next)->second.contains(address, 1);
  }
  void map_large(const Allocation& allocation) {
    const std::uint64_t mapped = mapped_bytes(allocation.bytes);
    if (mapped >= kLarge)
      dense.add(allocation.data - allocation.address % kWidest, mapped / kHugePage * kHugePage);
  }
  const Allocation& add(Allocation allocation) {
    const std::uint64_t address = allocation.address;
    const Allocation& added = allocations.emplace(address, std::move(allocation)).first->second;
    if (added.label.starts_with(kNamed)) named.emplace(added.label, address);
    return added;
  }
  // It is no longer the program's.
  void forget(const Allocation& allocation) {
    if (allocation.label.starts_with(kNamed)) named.erase({allocation.label, allocation.address});
    if (allocation.registered) {
      registered.erase(allocation.address);
      rights.erase(allocation.address);
    }
    if (!allocation.host_mapped) used -= allocation.bytes;
  }
  void release(const Allocation& allocation) {
    forget(allocation);
    if (!allocation.host_mapped || host_visible.erase(allocation.address) != 0) unmap(allocation);
  }
  void unmap(const Allocation& allocation) {
    for (const Stretch& stretch : {before(allocation), behind(allocation)})
      if (const auto made = around.find(stretch.address); made != around.end()) {
        unmap(made->second);
        around.erase(made);
      }
    framed.erase(allocation.address);
    dense.remove(allocation.data - allocation.address % kWidest);
    unmap_at(allocation.address, allocation.data,
             allocation.host_mapped ? allocation.bytes : mapped_bytes(allocation.bytes));
  }
  bool stays_mapped(const Placed& at) const;
  void drop(std::set<Freed>::const_iterator each);
  void drop_freed(const DriverPlaces* pool, const DriverPlaces::Place& place, std::uint64_t bytes);
  void drop_freed_in(std::uint64_t address, std::uint64_t bytes);
  Stretch find_freed(std::uint64_t address) const;
  // Of the frames that an allocation has, what lies before and behind its own pages.
  static void unmap(const Stretch& made) { unmap_at(made.address, made.data, made.bytes); }
  Stretch before(const Allocation& allocation) const {
    if (!framed.contains(allocation.address)) return {};
    const std::uint64_t begin = allocation.address / kFrame * kFrame;
    return {begin, allocation.address - begin, nullptr};
  }
  Stretch behind(const Allocation& allocation) const {
    if (!framed.contains(allocation.address)) return {};
    const std::uint64_t begin = allocation.address + mapped_bytes(allocation.bytes);
    const std::uint64_t end = end_of_frames_of(allocation);
    return {begin, end > begin ? end - begin : 0, nullptr};
  }
  static std::uint64_t end_of_frames_of(const Allocation& allocation) {
    return round_up(allocation.address + allocation.bytes + kReach, kFrame);
  }
  bool was_given_back(std::uint64_t address) const;
  bool is_mapped_beside(std::uint64_t frame) const;
  // Takes the address of a plain allocation, at a multiple of `alignment`.
  std::optional<std::uint64_t> place(std::uint64_t bytes, Pool pool, std::uint64_t alignment);
  // The address an allocation is to have, if it was foreseen.
  std::optional<std::uint64_t> allocate_foreseen(std::uint64_t bytes, std::string label);
};

std::optional<std::uint64_t> DeviceMemory::Impl::reuse_frames(std::uint64_t bytes) {
  for (auto [begin, end] : free_frames) {
    if (end - begin < bytes) continue;
    free_frames.erase(begin);
    if (begin + bytes != end) free_frames.emplace(begin + bytes, end);
    return begin;
  }
  return std::nullopt;
}

// The first that were given back, or new ones. Those whose lower halves are small numbers are left
// out (kFirstAddress), but where one allocation needs them too.
std::optional<std::uint64_t> DeviceMemory::Impl::take_frames(std::uint64_t bytes) {
  if (const auto again = reuse_frames(bytes)) return again;
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 32, kLeast = kFirstAddress % kHalf;
  const auto usable = [](std::uint64_t address) {
    return std::max(address, address / kHalf * kHalf + kLeast);
  };
  std::uint64_t begin = usable(next_frame);
  if (begin % kHalf + bytes > kHalf && begin % kHalf != kLeast)
    begin = usable((begin / kHalf + 1) * kHalf);
  while (overlaps(begin, bytes)) {  // of allocations whose places were foreseen
    auto other = allocations.lower_bound(begin + bytes);
    const Allocation& last = std::prev(other)->second;
    begin = usable(round_up(last.address + last.bytes + kReach, kFrame));
  }
  if (begin >= end_of_frames || bytes > end_of_frames - begin) return std::nullopt;
  next_frame = begin + bytes;
  return begin;
}

void DeviceMemory::Impl::give_back_frames(Frames::node_type frames) {
  auto next = free_frames.lower_bound(frames.key());
  if (next != free_frames.end() && next->first == frames.mapped()) {
    frames.mapped() = next->second;
    next = free_frames.erase(next);
  }
  if (next != free_frames.begin() && std::prev(next)->second == frames.key())
    std::prev(next)->second = frames.mapped();
  else
    free_frames.insert(std::move(frames));
}

std::optional<std::uint64_t> DeviceMemory::Impl::place(std::uint64_t bytes, Pool pool,
                                                       std::uint64_t alignment) {
  const std::uint64_t boundary = std::max(alignment, kFrame);
  if (boundary > kFirstHostAddress) return std::nullopt;
  Placed at;
  at.pool = places_of(pool);
  if (at.pool != nullptr) at.place = at.pool->take(bytes, std::min(alignment, kFrame));
  if (at.pool != nullptr) drop_freed(at.pool, at.place, at.pool->bytes_taken(bytes));
  const std::uint64_t offset = at.place.offset % kFrame;
  // Frames are at multiples of their size alone: what lacks to `boundary` is taken too.
  const std::uint64_t size = round_up(offset + bytes + kReach, kFrame) + boundary - kFrame;
  const auto frames = take_frames(size);
  if (!frames) {
    if (at.pool != nullptr) at.pool->give_back(at.place);
    return std::nullopt;
  }
  Frames listed{{*frames, *frames + size}};
  at.frames = listed.extract(listed.begin());
  const std::uint64_t address = round_up(*frames, boundary) + offset;
  if (at.pool != nullptr) {
    std::set<Freed> one{{at.pool, at.place.piece, at.place.offset, bytes, address}};
    at.freed = one.extract(one.begin());
  }
  placed.emplace(address, std::move(at));
  return address;
}

// The driver unmaps a frame when nothing in it is allocated any more: what was freed beside others
// can be reached until then (docs/experiments/allocations.md). Here only until its place is taken
// again.
bool DeviceMemory::Impl::stays_mapped(const Placed& at) const {
  return watcher == nullptr && (at.pool == &plain || at.pool == &ordered) &&
         !at.pool->is_piece_empty(at.place);
}

void DeviceMemory::Impl::drop(std::set<Freed>::const_iterator each) {
  const auto gone = freed_allocations.find(each->address);
  const auto at = placed.find(each->address);
  unmap(gone->second);
  give_back_frames(std::move(at->second.frames));
  placed.erase(at);
  freed_allocations.erase(gone);
  freed.erase(each);
}

// Those that lie at a place; no two of them have bytes in common.
void DeviceMemory::Impl::drop_freed(const DriverPlaces* pool, const DriverPlaces::Place& place,
                                    std::uint64_t bytes) {
  const auto in_piece = [&](auto each) {
    return each != freed.end() && each->pool == pool && each->piece == place.piece;
  };
  auto next = freed.lower_bound({pool, place.piece, place.offset, 0, 0});
  if (next != freed.begin() && in_piece(std::prev(next)))
    if (const auto before = std::prev(next); place.offset - before->offset < before->bytes)
      next = before;
  while (in_piece(next) && (next->offset < place.offset || next->offset - place.offset < bytes))
    drop(next++);
}

// Those with frames in a stretch of addresses.
void DeviceMemory::Impl::drop_freed_in(std::uint64_t address, std::uint64_t bytes) {
  for (auto each = freed.cbegin(); each != freed.cend();) {
    const auto next = std::next(each);
    const Frames::node_type& frames = placed.at(each->address).frames;
    if (frames.key() < address + bytes && address < frames.mapped()) drop(each);
    each = next;
  }
}

// What kernels reach of an allocation that was freed, around `address`.
DeviceMemory::Stretch DeviceMemory::Impl::find_freed(std::uint64_t address) const {
  const auto next = freed_allocations.upper_bound(address);
  if (next != freed_allocations.end())
    if (const Stretch found = before(next->second); address - found.address < found.bytes)
      return found;
  if (next == freed_allocations.begin()) return {};
  const Allocation& last = std::prev(next)->second;
  if (address - last.address < mapped_bytes(last.bytes))
    return {last.address, mapped_bytes(last.bytes), last.data};
  return behind(last);
}

DeviceMemory::DeviceMemory(std::uint64_t capacity, GpuPlace place)
    : impl_(std::make_unique<Impl>()) {
  impl_->capacity = capacity;
  impl_->next_frame = first_address(place, place.ordinal);
  impl_->end_of_frames = first_address(place, place.ordinal + 1);
  impl_->next_host_address = kFirstHostAddress + place.ordinal * kHostAddresses;
}

DeviceMemory::~DeviceMemory() {
  for (const auto& [address, allocation] : impl_->allocations) impl_->release(allocation);
  for (const auto& [address, allocation] : impl_->freed_allocations) impl_->unmap(allocation);
  for (const auto& [address, stretch] : impl_->around) Impl::unmap(stretch);
}

std::optional<std::uint64_t> DeviceMemory::allocate(std::uint64_t bytes, std::string label,
                                                    Pool pool, std::uint64_t alignment) {
  if (bytes == 0) bytes = 1;
  if (bytes > impl_->capacity - impl_->used) return std::nullopt;
  if (!impl_->places.empty()) return impl_->allocate_foreseen(bytes, std::move(label));
  Allocation allocation;
  allocation.bytes = bytes;
  allocation.data = map_pages(mapped_bytes(bytes));
  const auto given = impl_->place(bytes, pool, alignment);
  if (!given) {
    munmap(allocation.data, mapped_bytes(bytes));
    return std::nullopt;
  }
  impl_->map_large(allocation);
  const std::uint64_t address = allocation.address = *given;
  if (pool != Pool::apart) impl_->framed.emplace(address, pool);
  allocation.ordinal = impl_->next_ordinal++;
  allocation.label = std::move(label);
  impl_->used += bytes;
  const Allocation& added = impl_->add(std::move(allocation));
  if (impl_->watcher != nullptr) impl_->watcher->allocated(added);
  return address;
}

std::optional<std::uint64_t> DeviceMemory::allocate_at(std::uint64_t address, std::uint64_t bytes,
                                                       std::string label) {
  const std::uint64_t end = address + bytes;
  if (address % kFrame != 0 || address < kFirstAddress || end < address || end > kFirstHostAddress)
    return std::nullopt;
  if (!impl_->places.empty() || impl_->overlaps(address - kReach, bytes + 2 * kReach))
    return std::nullopt;
  place_next({{address, impl_->next_ordinal}});
  return allocate(bytes, std::move(label));
}

void DeviceMemory::watch(MemoryWatcher* watcher) { impl_->watcher = watcher; }

void DeviceMemory::host_wrote(std::uint64_t address, std::uint64_t bytes) {
  if (const Allocation* in = find(address))
    impl_->dense.changed(in->data + (address - in->address), bytes);
  if (impl_->watcher != nullptr) impl_->watcher->written(address, bytes);
}

void DeviceMemory::settle_pages() { impl_->dense.settle(); }

std::optional<std::uint64_t> DeviceMemory::Impl::allocate_foreseen(std::uint64_t bytes,
                                                                   std::string label) {
  const Place place = places.front();
  places.pop_front();
  if (place.address + bytes < place.address || overlaps(place.address, bytes)) return std::nullopt;
  drop_freed_in(place.address, bytes + kReach);
  Allocation allocation;
  allocation.address = place.address;
  allocation.bytes = bytes;
  allocation.data = map_at(place.address, mapped_bytes(bytes));
  map_large(allocation);
  allocation.ordinal = place.ordinal;
  if (place.address >= kFirstAddress && place.address < kFirstHostAddress)
    framed.emplace(place.address, Pool::plain);
  allocation.label = std::move(label);
  used += bytes;
  next_ordinal = std::max(next_ordinal, place.ordinal + 1);
  add(std::move(allocation));
  return place.address;
}

void DeviceMemory::place_next(std::vector<Place> places) {
  impl_->places.assign(places.begin(), places.end());
}

// Pages at addresses that no allocation has: one of a capsule may lie anywhere. Null: none are
// left.
std::byte* DeviceMemory::Impl::map_host_pages(std::uint64_t bytes) {
  constexpr int kTries = 64;
  for (int i = 0; i < kTries; ++i) {
    // No more than a wish: where something lies there already, or a sanitizer's shadow does, the
    // system finds another place.
    void* const wanted = reinterpret_cast<void*>(next_host_address);
    void* const pages =
        mmap(wanted, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return nullptr;
    if (pages == wanted) next_host_address += bytes;
    const auto address = reinterpret_cast<std::uint64_t>(pages);
    if (!overlaps(address, bytes)) return static_cast<std::byte*>(pages);
    munmap(pages, bytes);
    const Allocation& last = std::prev(allocations.lower_bound(address + bytes))->second;
    next_host_address = round_up(last.address + last.bytes, kPage);
  }
  return nullptr;
}

std::optional<std::uint64_t> DeviceMemory::allocate_host_visible(std::uint64_t bytes,
                                                                 std::string label) {
  if (!impl_->places.empty()) return allocate(bytes, std::move(label));
  const std::uint64_t mapped = round_up(std::max<std::uint64_t>(bytes, 1), kPage);
  std::byte* const pages = impl_->map_host_pages(mapped);
  if (pages == nullptr) return std::nullopt;
  const std::uint64_t address = map_host(pages, bytes, std::move(label));
  impl_->host_visible.insert(address);
  return address;
}

std::uint64_t DeviceMemory::map_host(std::byte* host, std::uint64_t bytes, std::string label,
                                     Registered registered) {
  Allocation own;
  own.address = reinterpret_cast<std::uint64_t>(host);
  own.bytes = bytes;
  own.data = host;
  own.registered = registered != Registered::no;
  own.read_only = registered == Registered::for_reading;
  map_peer(own, std::move(label));
  return own.address;
}

void DeviceMemory::map_peer(const Allocation& there, std::string label) {
  Allocation allocation = there;
  if (impl_->allocations.contains(allocation.address))
    throw std::invalid_argument("memory is mapped already");
  allocation.ordinal = impl_->next_ordinal++;
  allocation.host_mapped = true;
  allocation.label = std::move(label);
  if (allocation.registered) impl_->registered.insert(allocation.address);
  impl_->add(std::move(allocation));
}

DeviceMemory::Stretch DeviceMemory::registered() const {
  if (impl_->registered.empty()) return {};
  const std::uint64_t first = *impl_->registered.begin();
  const Allocation& last = impl_->allocations.at(*impl_->registered.rbegin());
  return {first, last.address + last.bytes - first, nullptr};
}

DeviceMemory::Stretch DeviceMemory::allowed(const Allocation& in, std::uint64_t address,
                                            bool writing) const {
  if (writing && in.read_only) return {};
  const std::lock_guard lock(impl_->rights_mutex);
  const auto [known, is_new] = impl_->rights.try_emplace(in.address);
  if (is_new) known->second = host_mappings(in.address, in.bytes);
  std::uint64_t begin = 0, end = 0;  // mappings side by side that allow it
  for (const HostMapping& each : known->second) {
    if (!(writing ? each.writable : each.readable)) continue;
    if (each.begin != end) {
      if (address < end) break;
      begin = each.begin;
    }
    end = each.end;
  }
  if (address < begin || address >= end) return {};
  begin = std::max(begin, in.address);
  return {begin, std::min(end, in.address + in.bytes) - begin, in.data + (begin - in.address)};
}

void DeviceMemory::forget_rights() {
  const std::lock_guard lock(impl_->rights_mutex);
  impl_->rights.clear();
}

bool DeviceMemory::free(std::uint64_t address) {
  const auto found = impl_->allocations.find(address);
  if (found == impl_->allocations.end()) return false;
  if (impl_->watcher != nullptr && !found->second.host_mapped) impl_->watcher->freed(found->second);
  if (const auto placed = impl_->placed.find(address); placed != impl_->placed.end()) {
    Impl::Placed& at = placed->second;
    if (at.pool != nullptr) at.pool->give_back(at.place);
    if (impl_->stays_mapped(at)) {
      impl_->forget(found->second);
      impl_->freed.insert(std::move(at.freed));
      impl_->freed_allocations.insert(impl_->allocations.extract(found));
      return true;
    }
    if (at.pool != nullptr) impl_->drop_freed(at.pool, {at.place.piece, 0}, ~std::uint64_t{0});
    if (impl_->watcher == nullptr)
      impl_->give_back_frames(std::move(at.frames));
    else
      impl_->retired.insert(std::move(at.frames));
    impl_->placed.erase(placed);
  }
  impl_->release(found->second);
  impl_->allocations.erase(found);
  return true;
}

const Allocation* DeviceMemory::find(std::uint64_t address) const {
  auto next = impl_->allocations.upper_bound(address);
  if (next == impl_->allocations.begin()) return nullptr;
  const Allocation& candidate = std::prev(next)->second;
  return candidate.contains(address, 1) ? &candidate : nullptr;
}

const Allocation* DeviceMemory::find_named(std::string_view label) const {
  const auto found = impl_->named.lower_bound({label, 0});
  if (found == impl_->named.end() || found->first != label) return nullptr;
  return &impl_->allocations.at(found->second);
}

const Allocation* DeviceMemory::nearest(std::uint64_t address) const {
  if (impl_->allocations.empty()) return nullptr;
  auto next = impl_->allocations.upper_bound(address);
  if (next == impl_->allocations.begin()) return &next->second;
  const Allocation& below = std::prev(next)->second;
  if (next == impl_->allocations.end() || below.contains(address, 1)) return &below;
  const std::uint64_t past_below = address - (below.address + below.bytes - 1);
  return past_below <= next->first - address ? &below : &next->second;
}

std::uint64_t DeviceMemory::bytes_of_pages(const Allocation& allocation) {
  if (!allocation.host_mapped) return mapped_bytes(allocation.bytes);
  const bool is_ours = is_host_visible(allocation.address) && !allocation.registered;
  return is_ours ? round_up(allocation.bytes, kPage) : allocation.bytes;
}

std::atomic<std::uint64_t>& DeviceMemory::accesses_outside() const {
  return impl_->accesses_outside;
}

bool DeviceMemory::Impl::was_given_back(std::uint64_t address) const {
  for (const auto* frames : {&free_frames, &retired}) {
    const auto next = frames->upper_bound(address);
    if (next != frames->begin() && address < std::prev(next)->second) return true;
  }
  return false;
}

// Whether a frame that no allocation has lies where the driver has others mapped.
bool DeviceMemory::Impl::is_mapped_beside(std::uint64_t frame) const {
  if (overlaps(frame, kFrame) || was_given_back(frame)) return false;
  const auto next = allocations.upper_bound(frame);
  if (next != allocations.begin()) {
    const Allocation& before = std::prev(next)->second;
    if (framed.contains(before.address) && frame < end_of_frames_of(before) + kMappedBehind)
      return true;
  }
  if (next == allocations.end() || next->second.bytes > kLargest) return false;
  const auto pool = framed.find(next->first);
  return pool != framed.end() && pool->second != Pool::ordered &&
         next->first / kFrame * kFrame == frame + kMappedBefore;
}

std::optional<DeviceMemory::Stretch> DeviceMemory::around(std::uint64_t address) const {
  const auto next = impl_->allocations.upper_bound(address);
  Stretch found;
  if (next != impl_->allocations.end()) found = impl_->before(next->second);
  if (address - found.address >= found.bytes && next != impl_->allocations.begin())
    found = impl_->behind(std::prev(next)->second);
  if (address - found.address >= found.bytes) found = impl_->find_freed(address);
  if (found.data != nullptr && address - found.address < found.bytes) return found;
  if (address - found.address >= found.bytes) found = {address / kFrame * kFrame, kFrame, nullptr};
  if (found.bytes == kFrame && !impl_->is_mapped_beside(found.address)) return std::nullopt;
  std::lock_guard lock(impl_->around_mutex);
  const auto [made, is_new] = impl_->around.try_emplace(found.address, found);
  if (is_new) made->second.data = map_at(found.address, found.bytes);
  return made->second;
}

std::byte* DeviceMemory::view(std::uint64_t address, std::uint64_t bytes) const {
  const Allocation* allocation = find(address);
  if (allocation == nullptr || !allocation->contains(address, bytes)) return nullptr;
  return allocation->data + (address - allocation->address);
}

std::uint64_t DeviceMemory::used() const { return impl_->used; }
std::uint64_t DeviceMemory::capacity() const { return impl_->capacity; }
const std::map<std::uint64_t, Allocation>& DeviceMemory::allocations() const {
  return impl_->allocations;
}

}  // namespace heddle::simulator
