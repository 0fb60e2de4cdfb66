#include "simulator/execute/spinning.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>

#include "simulator/execute/memory_access.hpp"

namespace heddle::simulator {
namespace {

constexpr std::uint64_t kMostInstructions = 1 << 12;
constexpr std::size_t kMostPlaces = 1 << 12;

// All of a warp that its next instructions depend on, memory excepted.
struct WarpImage {
  WarpImage(const Core& core, const Warp& warp)
      : convergence(warp.convergence->clone()), predicates(warp.predicates) {
    const auto add = [&](std::size_t first, std::size_t count) {
      const std::uint32_t* row = warp.rows + first * kWarpSize;
      rows.insert(rows.end(), row, row + count * kWarpSize);
    };
    add(0, std::min<std::size_t>(core.launch.kernel->registers + 1, kDiscardRow));
    add(kUniformRow, isa::kUniformRegisters);
    add(kReturnRow, 2);
    predicates[kDiscardedPredicate] = Mask();  // which native code does not write
  }
  friend bool operator==(const WarpImage& one, const WarpImage& other) {
    return one.convergence->equals(*other.convergence) && one.predicates == other.predicates &&
           one.rows == other.rows;
  }

  std::unique_ptr<const Reconvergence> convergence;
  decltype(Warp::predicates) predicates;
  std::vector<std::uint32_t> rows;
};

std::array<std::byte, 16> first_bytes(const std::byte* data, std::uint32_t bytes) {
  std::array<std::byte, 16> value{};
  std::memcpy(value.data(), data, std::min<std::size_t>(bytes, value.size()));
  return value;
}

class Look {
 public:
  Look(Core& core, Warp& warp) : core_(core), warp_(warp), first_(core, warp) {}

  Spinning run() {
    const Group start = warp_.convergence->current();
    for (std::uint64_t i = 0; i < kMostInstructions && core_.issued < core_.issue_limit; ++i) {
      const Issue issue = core_.step(warp_, core_.launch.options->observer);
      if (issue.flow == Flow::stop) return Spinning::stopped;
      if (!warp_.convergence->has_current()) return Spinning::no;
      for (const Access& access : issue.accesses) note(access, issue.pc);
      if (values_.size() > kMostPlaces) return Spinning::no;
      const Group& here = warp_.convergence->current();
      if (here.pc != start.pc || here.lanes != start.lanes) continue;
      if (!(WarpImage(core_, warp_) == first_)) continue;
      if (passed_ && !changed_) {
        note_awaited();
        return Spinning::yes;
      }
      passed_ = true;
      changed_ = false;
    }
    return Spinning::no;
  }

 private:
  using Place = std::tuple<Window, unsigned, std::uint64_t>;  // the lane, where each has its own
  using Value = std::array<std::byte, 16>;
  struct Known {
    Value value{};  // as the last access left it
    std::uint32_t pc = 0, bytes = 0;
  };

  void note(const Access& access, std::uint32_t pc) {
    for (const unsigned lane : access.lanes) {
      const bool own = access.space == Window::local;
      const Place place{access.space, own ? lane : 0, access.address[lane]};
      const auto value = read(access, lane);
      const auto [known, is_new] = values_.try_emplace(place);
      changed_ = changed_ || (is_new ? passed_ : known->second.value != value);
      known->second = {value, pc, access.width};
    }
  }

  void note_awaited() {
    for (const auto& [place, known] : values_) {
      const auto& [space, lane, address] = place;
      if (space == Window::global && core_.awaited.size() < kMostAwaited)
        core_.awaited.push_back(
            {warp_.block->linear, warp_.index, known.pc, address, known.bytes, known.value});
    }
  }

  Value read(const Access& access, unsigned lane) {
    const std::uint64_t address = access.address[lane];
    const std::byte* data = nullptr;
    if (access.space == Window::global)
      data = core_.resolve(address, access.width);
    else if (access.space == Window::shared)
      data = shared_view(core_, *warp_.block, address, access.width);
    else
      data = local_view(core_, warp_, lane, address, access.width);
    return data == nullptr ? Value{} : first_bytes(data, access.width);
  }

  Core& core_;
  Warp& warp_;
  const WarpImage first_;
  std::map<Place, Known> values_;
  bool passed_ = false;   // the first image was met again
  bool changed_ = false;  // in this pass
};

}  // namespace

bool has_changed(Core& core, const AwaitedPlace& place) {
  const std::byte* const data = core.resolve(place.address, place.bytes);
  return data == nullptr || first_bytes(data, place.bytes) != place.value;
}

Spinning look_for_spinning(Core& core, Warp& warp) {
  const Spinning found = Look(core, warp).run();
  core.observed = core.launch.options->observer != nullptr;
  return found;
}

}  // namespace heddle::simulator
