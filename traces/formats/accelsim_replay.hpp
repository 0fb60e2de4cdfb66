// The instructions of a trace, for the timing model in place of those that the functional core
// executes: which ones, by which lanes, at which addresses.
//
// The trace says which lanes were active and had their guard hold. Which were active only is found
// from instructions without guard nearby, and what a branch did from who goes on where.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "simulator/timing/source.hpp"
#include "traces/formats/accelsim_reader.hpp"

namespace heddle::traces {

// The trace of one launch. What is given must outlive it.
struct AccelsimText {
  std::string_view text;
  std::string origin;  // for messages
  AccelsimKernel kernel;
};

class AccelsimInstructions : public simulator::timing::InstructionSource {
 public:
  // Throws std::runtime_error where the trace's blocks and warps do not fit together.
  // `code_is_made`: from the trace itself, where an alias is another instruction's name.
  AccelsimInstructions(const AccelsimText& trace, const simulator::Module& module,
                       const isa::Kernel& kernel, bool code_is_made = false);

  // In the order of their places in the grid; a trace may lack some.
  std::uint64_t blocks() const { return order_.size(); }

  // Both throw std::runtime_error where the trace is wrong or not of this code.
  void start_block(simulator::Core& core, simulator::Block& block, std::uint64_t linear) override;
  simulator::Issue step(simulator::Core& core, simulator::Warp& warp) override;

 private:
  struct Record {
    AccelsimInstruction read;
    std::uint64_t line = 0;  // in the trace
    std::uint32_t pc = 0;    // index in Program::instructions
  };
  struct Position {
    AccelsimWarpReader reader;
    std::uint64_t line = 0;      // of what was read last
    std::deque<Record> ahead{};  // the next instruction first
    simulator::Mask active{};    // when the next instruction executes
    simulator::Mask arrived{};   // lanes at the block barrier that the others have yet to reach
    bool has_front = false;      // the lanes that were set aside last have not gone on yet
  };

  const isa::Instruction& instruction(const Record& record) const;
  std::uint32_t index_of(const AccelsimInstruction& read, std::uint64_t line);
  bool look_ahead(Position& at, std::size_t count);
  simulator::Mask active_next(Position& at, const Record& last, simulator::Mask active);
  void access(simulator::Core& core, const Record& record);
  simulator::Addresses translated(const AccelsimInstruction& read) const;
  simulator::Flow arrive(simulator::Core& core, simulator::Warp& warp, const Record& record,
                         simulator::Mask active, Position& at);
  static void note_search(const isa::Instruction& in, const simulator::Issue& issue, Position& at,
                          simulator::Reconvergence& lanes);
  [[noreturn]] void fail(std::uint64_t line, const std::string& why) const;

  const AccelsimText& trace_;
  const simulator::Module& module_;
  std::uint32_t entry_ = 0;
  std::uint64_t code_bytes_ = 0;
  std::vector<const AccelsimBlock*> order_;
  std::vector<bool> checked_;  // instructions whose text is the trace's
  std::unordered_map<const simulator::Block*, std::vector<Position>> positions_;
};

// Code of another function than the kernel stands behind every kernel's.
inline constexpr std::uint64_t kAccelsimFunctions = 0x1000'0000;

}  // namespace heddle::traces
