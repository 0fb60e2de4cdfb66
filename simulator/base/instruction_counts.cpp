#include "simulator/base/instruction_counts.hpp"

namespace heddle::simulator {

InstructionCounts& InstructionCounts::operator+=(const InstructionCounts& other) {
  executed += other.executed;
  threads += other.threads;
  threads_on += other.threads_on;
  extra_executed += other.extra_executed;
  extra_threads += other.extra_threads;
  threads_kept += other.threads_kept;
  branch_uniform += other.branch_uniform;
  branch_divergent += other.branch_divergent;
  global += other.global;
  shared += other.shared;
  local += other.local;
  threads_global += other.threads_global;
  threads_shared += other.threads_shared;
  dshared += other.dshared;
  sectors_global += other.sectors_global;
  sectors_global_ideal += other.sectors_global_ideal;
  tags_global += other.tags_global;
  sectors_local += other.sectors_local;
  wavefronts_shared += other.wavefronts_shared;
  wavefronts_shared_ideal += other.wavefronts_shared_ideal;
  bytes_global += other.bytes_global;
  hit_normal += other.hit_normal;
  hit_first += other.hit_first;
  hit_last += other.hit_last;
  hit_demote += other.hit_demote;
  miss_first += other.miss_first;
  return *this;
}

}  // namespace heddle::simulator
