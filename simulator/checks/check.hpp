// What every check is made of. Internal to simulator/checks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "simulator/execute/machine.hpp"
#include "simulator/launch/finding.hpp"
#include "simulator/launch/observer.hpp"
#include "simulator/memory/memory_watcher.hpp"

namespace heddle::simulator::checks {

// Some lanes of a warp at an instruction, now or earlier.
struct Actor {
  std::uint64_t block = 0;  // linear
  std::uint32_t warp = 0;   // in the block
  Mask lanes{};
  std::uint32_t pc = 0;  // index in Program::instructions
};

inline Actor actor(const Warp& warp, Pc pc, Mask lanes) {
  return {warp.block->linear, warp.index, lanes, pc};
}

Side side_of(const LaunchRequest& request, const Actor& actor, std::string what);

// The findings of a launch: one for each kind and pair of instructions, counted.
class Findings {
 public:
  static constexpr std::size_t kMost = 100;  // of a launch; what is beyond is counted by sites

  void begin(const LaunchRequest& request);
  // Null where it is known already (its count grows), or there are too many.
  Finding* note(std::string_view check, std::string_view kind, std::uint32_t pc,
                std::uint32_t other_pc = 0);
  const LaunchRequest& request() const { return *request_; }
  std::vector<Finding> take();

 private:
  using Site = std::tuple<std::string_view, std::uint32_t, std::uint32_t>;
  const LaunchRequest* request_ = nullptr;
  std::map<Site, std::size_t> sites_;  // index in findings_
  std::vector<Finding> findings_;
  std::uint64_t left_out_ = 0;
};

// Watches as an Observer does, and sees the machine's own state.
class Check : public MemoryWatcher {
 public:
  explicit Check(Findings& findings) : findings_(findings) {}
  virtual void begin(const LaunchRequest&) {}
  virtual void end(const LaunchOutcome&) {}
  // Whether it is to be told before an instruction executes; and afterwards, where that has not
  // touched memory (where it has, all are told). Asked once for the launches of one code.
  virtual bool looks_before(const Step&) const { return false; }
  virtual bool looks_behind(const Step&) const { return false; }
  // Whether it is to be told of runs of lane operations that it does not look at one by one.
  virtual bool follows_runs() const { return false; }
  virtual void block_started(const Core&, const Block&) {}
  virtual void issuing(const Core&, const Warp&, const Issue&) {}
  virtual void issued(const Core&, const Warp&, const Issue&) {}
  virtual void passed(const Warp&, Pc /*first*/, Pc /*end*/, Mask /*active*/) {}
  virtual void stuck(const Core&, const Block&) {}
  virtual void block_ended(const Core&, const Block&) {}

 protected:
  Findings& findings_;
};

inline constexpr std::uint64_t kSharedOffset = 0xff'ffff;  // of a shared address

// The block whose shared memory an address of `block` is of: in bits 31:24 of a generic address
// stands the rank in the cluster. Null where that has ended.
const Block* shared_owner(const Block& block, std::uint64_t address);

// A call of malloc or free by code of the device: what is to be known before it, and after.
struct HeapCall {
  enum class What : std::uint8_t { none, malloc, free };
  What what = What::none;
  Mask lanes{};
  std::array<std::uint64_t, kWarpSize> argument{};  // by lane: bytes, or an address
};
// What malloc has given a lane; 0: nothing.
std::uint64_t heap_result(const Warp& warp, unsigned lane);
// Of an instruction that is about to execute; `none` where it calls neither.
HeapCall heap_call(const Core& core, const Warp& warp, const Issue& next);
// Calls f(lane, address, bytes) for each block that malloc, which has just been called, has given.
template <typename F>
void for_each_given_block(const HeapCall& call, const Warp& warp, F&& f) {
  if (call.what != HeapCall::What::malloc) return;
  for (const unsigned lane : call.lanes) {
    const std::uint64_t address = heap_result(warp, lane);
    if (address != 0) f(lane, address, call.argument[lane]);
  }
}

// Compiled with -G: values go through local memory, ways out of a function reconverge.
bool is_for_debugging(const Module& module);

// The allocation that an address lies in or next to, in words.
std::string describe(const Allocation& allocation);

// What an instruction does to memory, in words: "reads 4 bytes".
std::string access_text(AccessKind kind, std::uint32_t width, Window space);

}  // namespace heddle::simulator::checks
