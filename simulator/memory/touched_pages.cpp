#include "simulator/memory/touched_pages.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "simulator/memory/host_mappings.hpp"

namespace heddle::simulator {
namespace {

constexpr std::size_t kPagesAtOnce = 1 << 14;

// What the system says of a process's pages: /proc/self/pagemap, 64 bits for each. Its buffer is on
// the heap: a thread of the program may have a small stack, which thread-local arrays shorten too.
class PageMap {
 public:
  // Of no more pages at a time.
  explicit PageMap(std::size_t most)
      : descriptor_(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)), entries_(most) {}
  ~PageMap() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  PageMap(const PageMap&) = delete;
  PageMap& operator=(const PageMap&) = delete;

  // Marks the pages that lie in memory or were swapped out. False: the system does not say.
  bool mark(const std::byte* first, std::span<bool> touched) {
    constexpr std::uint64_t kPresent = std::uint64_t{1} << 63, kSwapped = std::uint64_t{1} << 62;
    const std::uint64_t number = reinterpret_cast<std::uintptr_t>(first) / kHostPage;
    const std::size_t bytes = touched.size() * sizeof(std::uint64_t);
    if (descriptor_ < 0 ||
        pread(descriptor_, entries_.data(), bytes,
              static_cast<off_t>(number * sizeof(std::uint64_t))) != static_cast<ssize_t>(bytes))
      return false;
    for (std::size_t i = 0; i < touched.size(); ++i)
      touched[i] = (entries_[i] & (kPresent | kSwapped)) != 0;
    return true;
  }

 private:
  int descriptor_;
  std::vector<std::uint64_t> entries_;
};

// Pages that lie in memory though this process has not touched them: of files, which may be shared.
void mark_resident(const std::byte* first, std::span<bool> touched,
                   std::span<unsigned char> resident) {
  void* const at = const_cast<std::byte*>(first);
  const bool known = mincore(at, touched.size() * kHostPage, resident.data()) == 0;
  for (std::size_t i = 0; i < touched.size(); ++i)
    touched[i] = touched[i] || !known || (resident[i] & 1) != 0;
}

// The program may have unmapped some of what it registered.
void for_each_readable(const Allocation& allocation, const VisitStretch& visit) {
  std::uint64_t begin = 0, end = 0;  // a stretch, which may grow
  const auto finish = [&] {
    const std::uint64_t first = (begin + kHostPage - 1) / kHostPage * kHostPage;
    const std::uint64_t behind = std::min(end, allocation.bytes);
    if (first < behind) visit(first, {allocation.data + first, behind - first});
  };
  for (const HostMapping& each : host_mappings(allocation.address, allocation.bytes)) {
    if (!each.readable) continue;
    const std::uint64_t at = std::max(each.begin, allocation.address) - allocation.address;
    if (at != end) finish();
    if (at != end) begin = at;
    end = each.end - allocation.address;
  }
  finish();
}

}  // namespace

void for_each_touched(const Allocation& allocation, const VisitStretch& visit) {
  const auto view = [&](std::uint64_t from, std::uint64_t to) {
    return std::span<const std::byte>(allocation.data + from, to - from);
  };
  if (allocation.registered) return for_each_readable(allocation, visit);
  if (allocation.host_mapped) return visit(0, view(0, allocation.bytes));
  // One that does not begin at a page of the host has parts of two of them in each of its own.
  const std::uint64_t skipped = reinterpret_cast<std::uintptr_t>(allocation.data) % kHostPage;
  const std::size_t also = skipped == 0 ? 0 : 1;
  std::uint64_t begin = 0, end = 0;  // a stretch, which may grow
  const std::uint64_t pages = (allocation.bytes + kHostPage - 1) / kHostPage;
  const std::size_t most = std::min<std::uint64_t>(kPagesAtOnce, pages) + also;
  PageMap map(most);
  const auto touched = std::make_unique<bool[]>(most);
  std::vector<unsigned char> resident(most);
  for (std::uint64_t first = 0; first < pages; first += kPagesAtOnce) {
    const std::size_t count = std::min<std::uint64_t>(kPagesAtOnce, pages - first);
    const std::span<bool> marks(touched.get(), count + also);
    const std::byte* const at = allocation.data - skipped + first * kHostPage;
    if (!map.mark(at, marks)) std::ranges::fill(marks, true);
    mark_resident(at, marks, resident);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t offset = (first + i) * kHostPage;
      if (!marks[i] && !marks[i + also]) continue;
      if (offset != end && begin != end) visit(begin, view(begin, end));
      if (offset != end) begin = offset;
      end = std::min(offset + kHostPage, allocation.bytes);
    }
  }
  if (begin != end) visit(begin, view(begin, end));
}

bool is_untouched(const std::byte* first, std::uint64_t bytes) {
  const std::uint64_t skipped = reinterpret_cast<std::uintptr_t>(first) % kHostPage;
  const std::uint64_t count = (skipped + bytes + kHostPage - 1) / kHostPage;
  const auto touched = std::make_unique<bool[]>(count);
  const std::span<bool> marks(touched.get(), count);
  return PageMap(count).mark(first - skipped, marks) &&
         std::ranges::none_of(marks, [](bool each) { return each; });
}

}  // namespace heddle::simulator
