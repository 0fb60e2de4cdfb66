// Writes down a launch while it executes, so that a page can show it step by step: for every warp
// instruction who executed it, on which path, who waited where meanwhile, and what it changed.
//
// docs/trace-page.md gives the format of the streams and what was measured to choose it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "simulator/launch/observer.hpp"
#include "traces/analysis/divergence_watch.hpp"

namespace heddle::traces {

// Numbers what comes up again and again: one entry per different string of bytes, from 0.
class Dictionary {
 public:
  std::uint32_t index(const std::string& entry);
  std::uint32_t size() const { return static_cast<std::uint32_t>(index_.size()); }
  const std::string& bytes() const { return bytes_; }  // the entries, in order

 private:
  std::unordered_map<std::string, std::uint32_t> index_;
  std::string bytes_;
};

struct WarpTrace {
  std::uint64_t block = 0;  // linear
  std::uint32_t warp = 0;   // in the block
  std::uint64_t steps = 0;
  std::string flow;    // per step: where, who, what was touched
  std::string values;  // first what is not zero at the start; then per step what changed
  // Of a timed launch: the cycle in which each step issued, and the waiting before and between.
  std::vector<std::uint64_t> issued;
  std::vector<simulator::Waited> waits;
};

struct RecorderOptions {
  std::uint64_t max_steps = 1'000'000;  // written down; everything else is still counted
};

class Recorder : public simulator::Observer {
 public:
  explicit Recorder(const RecorderOptions& options) : options_(options) {}

  void block_started(const simulator::CoreView& core, const simulator::BlockView& block) override;
  void issuing(const simulator::CoreView& core, const simulator::WarpView& warp,
               const simulator::Issue& next) override;
  void issued(const simulator::CoreView& core, const simulator::WarpView& warp,
              const simulator::Issue& issue) override;
  void waited(const simulator::CoreView& core, const simulator::WarpView& warp,
              const simulator::Waited& wait) override;
  void block_ended(const simulator::CoreView& core, const simulator::BlockView& block) override;

  const std::vector<WarpTrace>& warps() const { return warps_; }  // in the order they started
  const Divergence& divergence() const { return watch_.divergence(); }
  const DivergenceWatch& watch() const { return watch_; }
  std::uint64_t recorded() const { return recorded_; }
  const Dictionary& masks() const { return masks_; }
  const Dictionary& situations() const { return situations_; }
  const Dictionary& touches() const { return touches_; }

 private:
  // What the viewer knows of a warp, to write down differences to it.
  struct Shadow {
    std::size_t trace = 0;  // index in warps_
    bool recording = true;
    std::uint32_t pc = 0, path = kRootPath, situation = 0;
    simulator::Mask active{};
    std::vector<std::uint32_t> rows;
    std::array<simulator::Mask, simulator::kUniformPredicates + 7> predicates{};
    std::array<simulator::Mask, simulator::kConvergenceBarriers> barriers{};
  };

  Shadow& shadow_of(const simulator::WarpView& warp);
  void put_start(const simulator::WarpView& warp, Shadow& shadow);
  void put_changes(const simulator::CoreView& core, const simulator::WarpView& warp,
                   const simulator::Issue& issue, Shadow& shadow);
  void put_flow(Shadow& shadow, std::uint32_t touched);
  std::uint32_t mask(simulator::Mask lanes);

  RecorderOptions options_;
  DivergenceWatch watch_;
  std::vector<WarpTrace> warps_;
  std::unordered_map<std::uint64_t, std::vector<Shadow>> blocks_;  // those that run
  Dictionary masks_, situations_, touches_;
  std::uint64_t recorded_ = 0;
  // Of the instruction about to execute.
  simulator::Issue next_;
  std::uint32_t situation_ = 0;
};

}  // namespace heddle::traces
