// Makes AVX-512 code of a run of instructions.
//
// A row of 32 words is two vector registers, or one where all words are equal: of the pool and of
// uniform registers. Rows are loaded when they are first read, stay in vector registers as long as
// there is room, and are stored at the end. Predicates stay in the warp's state. Whatever is
// computed is computed for all lanes; those that are off are left out when it is stored, or where a
// guarded instruction puts its result together with what was there.
//
// Instructions that are not translated are calls of their lane functions, before which rows are
// stored. What each instruction comes to is in translate_*.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include <xbyak/xbyak.h>

#include "simulator/native/function.hpp"
#include "simulator/native/run_op.hpp"

namespace heddle::simulator::native {

class RunCompiler : public Xbyak::CodeGenerator {
 public:
  static constexpr std::size_t kLongestRun = 256, kMostBytes = kLongestRun << 10;

  // Into `memory`, of kMostBytes. `full`: for a warp of which all lanes are active. `calls`: with
  // calls of lane functions.
  RunCompiler(std::span<const RunOp> run, const KnownWord& known, bool full, bool calls,
              std::uint8_t* memory);

  std::span<const std::uint8_t> code() const { return {getCode(), getSize()}; }
  // False: there is an instruction that needs a call, which there were to be none of.
  bool complete() const { return complete_; }

  // What follows is for translate_*.cpp.

  // The part of a row that a vector register holds: lanes 0–15 or 16–31.
  using Half = unsigned;
  struct Row {
    std::array<int, 2> index{-1, -1};  // of zmm registers; the same where all words are equal
    Xbyak::Zmm operator[](Half half) const { return Xbyak::Zmm(index[half]); }
  };

  const MicroOp& op() const { return *op_; }
  bool is_uniform() const { return op_->instruction->guard.uniform; }
  std::optional<std::uint32_t> known(RowOffset row) const { return known_(row); }
  bool is_zero(RowOffset row) const { return known_(row) == 0u; }
  // A source; `next`: the row behind it.
  Row source(RowOffset row, unsigned next = 0);
  // A destination, which holds nothing yet.
  Row destination(unsigned next = 0);
  Xbyak::Zmm scratch(unsigned i) const { return Xbyak::Zmm(kFirstScratch + static_cast<int>(i)); }
  // 1 for uniform instructions.
  unsigned halves() const { return is_uniform() ? 1 : 2; }
  // A word of the code, for all lanes.
  Xbyak::Address constant(std::uint32_t word);
  Xbyak::Address constant_of_64(std::uint64_t words);
  // The same as one.
  Xbyak::Address word(std::uint32_t word);
  Xbyak::Address word_of_64(std::uint64_t words);
  // The lanes of a half for which a predicate holds, in a mask register.
  Xbyak::Opmask predicate(PredicateRef read, Half half, int mask = 5);
  void load_predicate(const Xbyak::Reg32& to, PredicateRef read);
  // Combines what is in mask registers of both halves into a general register.
  void gather(const Xbyak::Reg32& to, const Xbyak::Opmask& low, const Xbyak::Opmask& high);
  // The end of comparisons, whose lanes are in k6 and k7: Pu and Pv by Pp and param[0]
  // (lanes::CompareResult).
  void set_compared();
  // Writes the lanes that are on; leaves nothing in `value`.
  void set_predicate(std::uint8_t index, const Xbyak::Reg32& value);

 protected:
  // Makes nothing yet: with calls, of `bytes` at most.
  RunCompiler(const KnownWord& known, bool full, std::uint8_t* memory, std::size_t bytes);

  static constexpr int kFirstScratch = 16, kScratch = 6, kRegisters = 32;
  struct Value {
    Row row;
    bool dirty = false;
    unsigned last_use = 0;
  };

  void begin();
  void end();
  void load_active();
  void write_constants();
  void translate(const RunOp& each);
  void load_guard(const RunOp& each);
  void call(const RunOp& each);
  void finish_destinations();
  int take_register();
  void evict_one();
  void store(RowOffset row, const Value& value);
  void flush();
  Xbyak::Address at(RowOffset row, Half half) const;
  static bool all_equal(RowOffset row);

  const KnownWord& known_;
  const bool full_;
  const bool calls_;
  bool complete_ = true;
  bool guarded_ = false;  // the instruction being translated
  const MicroOp* op_ = nullptr;
  unsigned now_ = 0;
  Xbyak::Reg64 warp_, rows_, pool_, counted_;
  Xbyak::Reg32 active_;
  std::map<RowOffset, Value> values_;
  std::map<RowOffset, Row> destinations_;
  std::array<bool, kRegisters> used_{};
  bool used_low_ = false;  // zmm0 to zmm15, whose upper parts slow down other code
  std::map<std::uint32_t, Xbyak::Label> constants_;
  std::map<std::uint64_t, Xbyak::Label> constants_of_64_;
};

// A modifier of the instruction that the compiler is at.
inline std::uint32_t mod(const RunCompiler& compiler, isa::Mod which) {
  return compiler.op().instruction->mod(which);
}

// Each translates the instruction that the compiler is at, if it is of its family and has a form
// that it knows. Otherwise it emits nothing.
bool translate_copy(RunCompiler& compiler);
bool translate_integer(RunCompiler& compiler);
bool translate_products(RunCompiler& compiler);
bool translate_bits(RunCompiler& compiler);
bool translate_comparisons(RunCompiler& compiler);
bool translate_float32(RunCompiler& compiler);
bool translate_float64(RunCompiler& compiler);
bool translate_moves(RunCompiler& compiler);

}  // namespace heddle::simulator::native
