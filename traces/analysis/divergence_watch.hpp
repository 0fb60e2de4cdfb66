// Everything about a launch's divergence and memory accesses, gathered while it executes.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/launch/observer.hpp"
#include "traces/analysis/access_watch.hpp"
#include "traces/analysis/divergence.hpp"
#include "traces/analysis/regrouping.hpp"

namespace heddle::traces {

class DivergenceWatch : public simulator::Observer {
 public:
  void block_started(const simulator::CoreView&, const simulator::BlockView& block) override {
    divergence_.block_started(block);
  }
  void issuing(const simulator::CoreView&, const simulator::WarpView& warp,
               const simulator::Issue& next) override {
    path_ = divergence_.issuing(warp, next);
  }
  void issued(const simulator::CoreView& core, const simulator::WarpView& warp,
              const simulator::Issue& issue) override {
    if (issue.pc >= executed_.size()) executed_.resize(issue.pc + 1);
    ++executed_[issue.pc];
    divergence_.issued(warp, issue);
    accesses_.issued(warp, issue);
    regrouping_.issued(core, warp, issue);
  }
  void block_ended(const simulator::CoreView&, const simulator::BlockView& block) override {
    divergence_.block_ended(block);
    regrouping_.block_ended(block);
    accesses_.block_ended(block);
  }

  const Divergence& divergence() const { return divergence_; }
  const Regrouping& regrouping() const { return regrouping_; }
  const AccessWatch& accesses() const { return accesses_; }
  // How often warps executed an instruction.
  std::uint64_t executed(std::uint32_t pc) const {
    return pc < executed_.size() ? executed_[pc] : 0;
  }
  std::uint32_t path() const { return path_; }  // of the lanes about to execute

 private:
  Divergence divergence_;
  Regrouping regrouping_;
  AccessWatch accesses_;
  std::vector<std::uint64_t> executed_;  // by pc
  std::uint32_t path_ = kRootPath;
};

}  // namespace heddle::traces
