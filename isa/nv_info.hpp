// The attribute records of .nv.info sections (docs/hardware/cubins.md).
#pragma once

#include <cstdint>

#include "isa/elf.hpp"

namespace heddle::isa {

// Record kinds, by NVIDIA's names without EIATTR_ (docs/hardware/cubins.md).
enum class Attribute : std::uint8_t {
  max_threads = 0x05,
  param_cbank = 0x0a,
  reqntid = 0x10,
  frame_size = 0x11,
  min_stack_size = 0x12,
  kparam_info = 0x17,
  cbank_param_size = 0x19,
  exit_instr_offsets = 0x1c,
  coop_group_instr_offsets = 0x28,
  regcount = 0x2f,
  indirect_branch_targets = 0x34,
  cta_per_cluster = 0x3d,
  kparam_info_v2 = 0x45,
  num_barriers = 0x4c,
  spill_annotations = 0x55,
};

struct Record {
  Attribute attribute{};
  std::uint64_t offset = 0;  // in its section, for messages
  std::uint32_t value = 0;   // formats byte and half
  Bytes payload;             // format sized

  std::uint64_t words() const { return payload.size() / 4; }
  std::uint32_t word(std::uint64_t i) const {
    return payload.at<std::uint32_t>(4 * i, "a word of a record");
  }
};

// The record at `position`, which moves past it. Throws CubinError.
Record read_record(const Bytes& info, std::uint64_t& position);

}  // namespace heddle::isa
