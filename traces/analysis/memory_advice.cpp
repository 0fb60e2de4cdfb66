#include "traces/analysis/memory_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include "simulator/base/display_numbers.hpp"
#include "traces/analysis/launch_cost.hpp"

namespace heddle::traces {
namespace {

using simulator::AccessKind;
using simulator::readable_whole;
using simulator::Window;

bool is_atomic(AccessKind kind) { return kind != AccessKind::load && kind != AccessKind::store; }

// The accesses of one source line that lie alike: a compiler unrolls loops.
struct Group {
  AccessSite sum;
  std::int64_t stride = 0;
  std::uint32_t pc = 0;  // of the costliest
  std::uint64_t costliest = 0;
  std::vector<std::uint64_t> firsts;  // of its instructions
};

std::string per(std::uint64_t amount, std::uint64_t times) {
  const double value = static_cast<double>(amount) / static_cast<double>(times);
  return value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.1f}", value);
}

std::string elements(std::int64_t bytes, std::uint32_t width) {
  const std::int64_t count = bytes / static_cast<std::int64_t>(width);
  if (bytes % static_cast<std::int64_t>(width) != 0) return fmt::format("{} bytes", bytes);
  return fmt::format("{} elements of {} byte{}", count, width, width == 1 ? "" : "s");
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

class MemoryAdviser {
 public:
  MemoryAdviser(const simulator::LaunchRequest& request, const AccessWatch& accesses, double cost,
                Listing& listing)
      : request_(request), accesses_(accesses), cost_(cost), listing_(listing) {
    for (const auto& [place, site] : accesses.sites()) add(place, site);
  }

  std::vector<std::pair<double, Advice>> all() {
    for (const auto& [key, group] : groups_) {
      const Window space = std::get<2>(key);
      if (space == Window::local)
        add_local(group);
      else if (is_atomic(group.sum.kind))
        add_atomics(group, space);
      else if (space == Window::global)
        add_global(group);
    }
    add_shared();
    return std::move(found_);
  }

 private:
  // Source line (or instruction), stride, space, kind.
  using Key = std::tuple<std::string, std::int64_t, Window, AccessKind>;

  void add(const AccessWatch::Place& place, const AccessSite& site) {
    const std::string source = listing_.at(place.first).source();
    const std::string where = source.empty() ? fmt::format("{:08x}", place.first) : source;
    Group& group = groups_[{where, site.stride(), place.second, site.kind}];
    group.stride = site.stride();
    group.firsts.push_back(site.first);
    AccessSite& sum = group.sum;
    sum.kind = site.kind;
    sum.width = std::max(sum.width, site.width);
    sum.executions += site.executions;
    sum.lanes += site.lanes;
    sum.moved += site.moved;
    sum.ideal += site.ideal;
    sum.off_sector += site.off_sector;
    sum.uneven += site.uneven;
    sum.colliding += site.colliding;
    sum.again_by_warp += site.again_by_warp;
    sum.again_by_block += site.again_by_block;
    for (const auto& [address, lanes] : site.addresses) sum.addresses[address] += lanes;
    if (site.moved >= group.costliest) {
      group.costliest = site.moved;
      group.pc = place.first;
    }
  }

  std::string place(const Group& group) {
    return listing_.place_text(group.pc, request_.kernel->name);
  }

  void say(const Group& group, double cycles, const std::string& what, const std::string& text) {
    const double share = cycles / cost_;
    found_.emplace_back(
        share, Advice{fmt::format("{} {}: {} of the cost", place(group), what, percent(share)),
                      text + gain(cycles), static_cast<std::int64_t>(group.pc)});
  }
  std::string gain(double cycles) const {
    return fmt::format(
        " What if: without it the launch would keep its SMs busy for {} cycles instead of {}.",
        readable_whole(cost_ - cycles), readable_whole(cost_));
  }

  static const char* verb(AccessKind kind) {
    return kind == AccessKind::store ? "stores" : "loads";
  }

  void add_global(const Group& group) {
    const AccessSite& sum = group.sum;
    const double excess = kSectorCycles * static_cast<double>(sum.excess());
    if (excess / cost_ >= kWorthSaying) {
      uncoalesced(group, excess);
      return;
    }
    add_repeated(group);
  }

  void uncoalesced(const Group& group, double excess) {
    const AccessSite& sum = group.sum;
    const std::string request =
        fmt::format("{} sectors per request where {} would do", per(sum.moved, sum.executions),
                    per(sum.ideal, sum.executions));
    const std::int64_t width = sum.width, stride = std::abs(group.stride);
    if (2 * sum.uneven > sum.executions) {
      say(group, excess, fmt::format("{} from scattered addresses", verb(sum.kind)),
          fmt::format(
              "The lanes' addresses have no fixed distance: {}. It helps to sort or bin the "
              "indices, to let neighbouring threads handle neighbouring data, or to bring "
              "the data into shared memory by whole rows and gather there.",
              request));
    } else if (stride == width || stride == 0) {
      say(group, excess, fmt::format("{} misaligned", verb(sum.kind)),
          fmt::format("The lanes' {} bytes adjoin but begin within a 32-byte sector: {}. It helps "
                      "to begin rows at multiples of 128 bytes (cudaMalloc gives such addresses, "
                      "cudaMallocPitch such rows), or to handle the first elements apart.",
                      32 * width, request));
    } else {
      strided(group, excess, request, stride);
    }
  }

  void strided(const Group& group, double excess, const std::string& request, std::int64_t stride) {
    constexpr std::int64_t kMostStructure = 128;
    const AccessSite& sum = group.sum;
    const std::size_t members = members_of(stride, sum.kind);
    const std::string lies =
        fmt::format("Neighbouring lanes are {} apart: {}.", elements(stride, sum.width), request);
    if (stride <= kMostStructure && (members > 1 || stride % 32 != 0)) {
      say(group, excess,
          fmt::format("{} an array of structures, with a stride of {}",
                      sum.kind == AccessKind::store ? "stores to" : "loads from",
                      elements(stride, sum.width)),
          lies + fmt::format(
                     "{} It helps to keep each member in an array of its own (a structure of "
                     "arrays), to load a structure by one vector access (float4), or to go through "
                     "shared memory.",
                     members > 1 ? fmt::format(" {} members of structures of {} bytes are accessed "
                                               "so.",
                                               members, stride)
                                 : std::string()));
    } else {
      say(group, excess,
          fmt::format("{} with a stride of {}", verb(sum.kind), elements(stride, sum.width)),
          lies +
              " It helps to let threadIdx.x run along the row (swap the indices or the loops), or "
              "to move a tile through shared memory, so that loads and stores both run along "
              "rows.");
    }
  }

  // How many different members of structures of this size are accessed.
  std::size_t members_of(std::int64_t stride, AccessKind kind) const {
    std::vector<std::uint64_t> offsets;
    for (const auto& [key, group] : groups_)
      if (std::abs(group.stride) == stride && std::get<2>(key) == Window::global &&
          group.sum.kind == kind)
        for (const std::uint64_t first : group.firsts)
          offsets.push_back(first % static_cast<std::uint64_t>(stride));
    std::ranges::sort(offsets);
    return static_cast<std::size_t>(std::unique(offsets.begin(), offsets.end()) - offsets.begin());
  }

  void add_repeated(const Group& group) {
    const AccessSite& sum = group.sum;
    const double by_warp = kSectorCycles * static_cast<double>(sum.again_by_warp);
    if (sum.kind == AccessKind::load && by_warp / cost_ >= kWorthSaying) {
      say(group, by_warp, "repeats loads of its warp",
          fmt::format(
              "{} of {} sectors were loaded by the same warp from the same addresses a "
              "moment before. It helps to keep the value in a variable before the loop; the "
              "compiler does so if pointers are __restrict__ and const.",
              readable_whole(sum.again_by_warp), readable_whole(sum.moved)));
      return;
    }
    // L1 has them: half of what a sector costs otherwise.
    constexpr double kFromL1 = 0.5, kMost = 0.5;
    const double again = kFromL1 * kSectorCycles * static_cast<double>(sum.again_by_block);
    if (sum.kind != AccessKind::load || again / cost_ < kWorthSaying ||
        static_cast<double>(sum.again_by_block) < kMost * static_cast<double>(sum.moved))
      return;
    say(group, again, "repeats loads of its block",
        fmt::format("{} of {} sectors had been loaded before by the same block: each is loaded {} "
                    "times. It helps to load a tile into shared memory once and to read it there.",
                    readable_whole(sum.again_by_block), readable_whole(sum.moved),
                    per(sum.moved, std::max<std::uint64_t>(1, sum.moved - sum.again_by_block))));
  }

  void add_atomics(const Group& group, Window space) {
    const AccessSite& sum = group.sum;
    const bool shared = space == Window::shared;
    const double own = shared ? kPassCycles * static_cast<double>(sum.excess())
                              : kSectorCycles * static_cast<double>(sum.moved);
    const double cycles =
        own + (shared ? 0 : kCollisionCycles * static_cast<double>(sum.colliding));
    constexpr std::uint64_t kFew = 8;  // lanes for each address
    if (cycles / cost_ < kWorthSaying || sum.addresses.empty() ||
        sum.lanes < kFew * sum.addresses.size())
      return;
    const auto hottest =
        std::ranges::max_element(sum.addresses, {}, [](const auto& each) { return each.second; });
    const std::string where =
        sum.addresses.size() == 1
            ? "one address"
            : fmt::format("{} addresses", readable_whole(sum.addresses.size()));
    const std::string lies = fmt::format(
        "{} atomic operations go to {}, {} of them to one; in {} of them another lane of the warp "
        "has the same address, so they wait for each other.",
        readable_whole(sum.lanes), where, readable_whole(hottest->second),
        readable_whole(sum.colliding));
    say(group, cycles, fmt::format("{} atomics on {}", shared ? "shared" : "global", where),
        lies + (shared ? " It helps to keep several copies, one for each warp or each few lanes, "
                         "and to add them up at the end."
                       : " It helps to collect in shared memory and to add each block's result "
                         "once, or to add up within the warp first (__reduce_add_sync, "
                         "__match_any_sync)."));
  }

  void add_local(const Group& group) {
    const double cycles = kSectorCycles * static_cast<double>(group.sum.moved);
    if (cycles / cost_ < kWorthSaying) return;
    say(group, cycles, "accesses local memory",
        fmt::format("{} sectors are moved for arrays that are indexed by variables, or for "
                    "spilled registers. It helps to unroll loops so that indices are "
                    "constants, to use shared memory, or to allow more registers "
                    "(__launch_bounds__, -maxrregcount).",
                    readable_whole(group.sum.moved)));
  }

  // All conflicts of shared memory are one matter: padding moves the whole array.
  void add_shared() {
    const Group* costliest = nullptr;
    std::uint64_t excess = 0, least = 0;  // conflicts; of the costliest
    for (const auto& [key, group] : groups_) {
      if (std::get<2>(key) != Window::shared || is_atomic(group.sum.kind)) continue;
      excess += group.sum.excess();
      if (group.sum.excess() <= least) continue;
      least = group.sum.excess();
      costliest = &group;
    }
    const double cycles = kPassCycles * static_cast<double>(excess);
    if (costliest == nullptr || cycles / cost_ < kWorthSaying) return;
    const AccessSite& sum = costliest->sum;
    std::string text = fmt::format(
        "Lanes access different words of one bank: {} passes per request where {} would do",
        per(sum.moved, sum.executions), per(sum.ideal, sum.executions));
    const std::int64_t stride = std::abs(costliest->stride);
    if (2 * sum.uneven <= sum.executions && stride != 0)
      text += fmt::format(", with a stride of {}", elements(stride, sum.width));
    text += ".";
    if (stride != 0 && stride < 32 * 4)
      text += " It helps to let neighbouring lanes take neighbouring words.";
    say(*costliest, cycles, "has bank conflicts", text + padding_text());
  }

  // Counted again with padding, for all accesses.
  std::string padding_text() const {
    const auto& padded = accesses_.padded();
    const auto best = std::ranges::min_element(padded);
    const std::uint64_t passes = accesses_.passes();
    constexpr double kHelps = 0.9;
    if (static_cast<double>(*best) > kHelps * static_cast<double>(passes))
      return " Padding would not help: counted again with an element behind each row of 8 to 128 "
             "words, the passes stay. It helps to order the data so that lanes go to different "
             "banks.";
    const unsigned row = kPaddedRows[static_cast<std::size_t>(best - padded.begin())];
    return fmt::format(
        " One element of padding behind each row of {} words (tile[…][{}] instead of tile[…][{}]; "
        "index + index / {}) would make it {} passes instead of {}: counted again with these "
        "addresses.",
        row, row + 1, row, row, readable_whole(*best), readable_whole(passes));
  }

  const simulator::LaunchRequest& request_;
  const AccessWatch& accesses_;
  const double cost_;
  Listing& listing_;
  std::map<Key, Group> groups_;
  std::vector<std::pair<double, Advice>> found_;
};

}  // namespace

std::vector<std::pair<double, Advice>> memory_advice(const simulator::LaunchRequest& request,
                                                     const AccessWatch& accesses, double cost,
                                                     Listing& listing) {
  return MemoryAdviser(request, accesses, cost, listing).all();
}

}  // namespace heddle::traces
