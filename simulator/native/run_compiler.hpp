// Makes code of a run of instructions, for one vector unit.
//
// With AVX-512 a row of 32 words is two vector registers, or one where all words are equal: of the
// pool and of uniform registers. Rows are loaded when they are first read, stay in vector registers
// as long as there is room, and are stored at the end. Predicates stay in the warp's state.
// Whatever is computed is computed for all lanes; those that are off are left out when it is
// stored, or where a guarded instruction puts its result together with what was there.
//
// AVX2 has no room for rows: its code executes the instructions of a stretch for eight lanes, then
// for the next ones (run_stretches.cpp). A vector register is a row's part of them, or a predicate.
//
// Instructions that are not translated are calls of their lane functions, before which rows are
// stored. What each instruction comes to is in translate_*.cpp, by the steps of VectorCode.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "simulator/native/function.hpp"
#include "simulator/native/run_op.hpp"
#include "simulator/native/vector_code.hpp"

namespace heddle::simulator::native {

// Of what a comparison gives and a predicate, by the numbers of lanes::CompareResult.
enum class Combination : std::uint8_t { both, either, differ };

class RunCompiler : public VectorCode {
 public:
  // An instruction takes most where it is there four times: 3 KB.
  static constexpr std::size_t kLongestRun = 256, kMostBytes = kLongestRun << 12;

  // Into `memory`, of kMostBytes. `full`: for a warp of which all lanes are active. `calls`: with
  // calls of lane functions.
  RunCompiler(VectorUnit unit, std::span<const RunOp> run, const KnownWord& known, bool full,
              bool calls, std::uint8_t* memory);

  std::span<const std::uint8_t> code() const { return {getCode(), getSize()}; }
  // False: the code is not to be used. An instruction needs a call, which there were to be none
  // of, or more registers than there are.
  bool complete() const { return complete_; }

  // What follows is for translate_*.cpp.

  // A row, of which a vector register holds a part. Of AVX2 there is one part at a time.
  struct Row {
    bool is_wide = true;
    std::array<int, 2> index{-1, -1};  // of registers; the same where all words are equal
    Vector operator[](unsigned part) const {
      return is_wide ? Vector(Xbyak::Zmm(index[part])) : Vector(Xbyak::Ymm(index[part]));
    }
  };

  const MicroOp& op() const { return *op_; }
  bool is_uniform() const { return op_->instruction->guard.uniform; }
  std::optional<std::uint32_t> known(RowOffset row) const { return known_(row); }
  bool is_zero(RowOffset row) const { return known_(row) == 0u; }
  // A source; `next`: the row behind it.
  Row source(RowOffset row, unsigned next = 0);
  // A destination, which holds nothing yet.
  Row destination(unsigned next = 0);
  Vector scratch(unsigned i) override;
  // 1 for uniform instructions.
  unsigned parts() const { return is_wide() && !is_uniform() ? 2 : 1; }
  // The lanes of a part for which something is computed to hold; room for others; those for which a
  // predicate holds, which takes the same room, or further one. Nothing may jump where one of them
  // is asked for the first time: rows may have to make room.
  Truth lanes(unsigned part);
  Truth other_lanes();
  Truth predicate(PredicateRef read, unsigned part);
  Truth predicate_beside(PredicateRef read, unsigned part);
  // Writes lanes(), combined with a predicate, where lanes are on.
  void set_predicate(std::uint8_t index, Combination how, PredicateRef with);
  // The end of comparisons: Pu and Pv by lanes(), Pp and param[0] (lanes::CompareResult).
  void set_compared();
  // Pu and Pv by tables of three predicates, as of VectorCode::logic.
  void set_by_tables(const std::array<PredicateRef, 3>& read,
                     const std::array<std::uint8_t, 2>& tables);

 protected:
  // Makes nothing yet: with calls, of `bytes` at most.
  RunCompiler(VectorUnit unit, const KnownWord& known, bool full, std::uint8_t* memory,
              std::size_t bytes);

  static constexpr int kFirstScratch = 16, kScratch = 6, kRegisters = 32;
  struct Value {
    Row row;
    bool dirty = false;
    unsigned last_use = 0;
  };

  void begin();
  void end();
  void load_active();
  void translate(const RunOp& each);
  bool translate_by_family();
  void load_guard(const RunOp& each);
  void load_predicate(const Xbyak::Reg32& to, PredicateRef read);
  void call(const RunOp& each);
  void finish_destinations();
  int take_register();
  bool take_free_register(int& index);
  void evict_one();
  void give_back(const Row& row);
  Row new_row(unsigned registers);
  void load(const Row& row, RowOffset from);
  void store(RowOffset row, const Value& value);
  void flush();
  Xbyak::Address at(RowOffset row, unsigned part) const;
  static RowOffset row_behind(RowOffset row, unsigned next);
  static bool all_equal(RowOffset row);
  static bool is_uniform_row(RowOffset row);
  Xbyak::Address at_predicate(unsigned index) const;
  // Of AVX-512: lanes() as bits; writes those that are on and leaves nothing in `value`.
  void gather(const Xbyak::Reg32& to);
  void set_bits(std::uint8_t index, const Xbyak::Reg32& value);
  void combine(Truth to, Combination how, Truth with);
  void combine(const Xbyak::Reg32& to, Combination how, const Xbyak::Reg32& with);
  Truth load_mask(PredicateRef read, unsigned part, int mask);

  // Of AVX2 (run_stretches.cpp).
  struct Held {
    int index = -1;
    bool dirty = false;
    unsigned last_use = 0;
  };
  // Where the lanes of a guard are when its instruction's threads are counted: in memory for them,
  // or in the predicate.
  struct GuardCount {
    std::optional<unsigned> slot;
    PredicateRef guard;
    CountPlace place;
  };
  bool join_stretch(const RunOp& each);
  bool fits_stretch(const RunOp& each) const;
  bool probe(const RunOp& each);
  bool translate_part(const RunOp& each, std::span<const RunOp> from_here);
  void end_stretch();
  void make_parts();
  void make_part();
  void count_guard(std::span<const RunOp> from_here);
  void count_guards();
  void count_off();
  void count_uniform_guard(const RunOp& each);
  void store_part(RowOffset row, const Value& value);
  void store_held(unsigned key, const Held& held);
  void store_all();
  void release_scratch();
  Truth hold(PredicateRef read);
  void write_held(std::uint8_t index, Truth value);
  static unsigned key_of(PredicateRef read);
  Xbyak::Address byte_of_part(const Xbyak::Reg64& base, int offset) const;
  Xbyak::Address row_of_part(std::size_t bytes) const;
  Xbyak::Address predicate_of_part(unsigned index) const;

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
  bool used_low_ = false;  // registers 0 to 15, whose upper parts slow down other code

  static constexpr unsigned kLanesScratch = 8, kOtherScratch = 9;
  static constexpr int kAnyPart = -1;  // by a register: the code is a loop
  std::vector<RunOp> stretch_;         // what is to be translated by parts
  unsigned stretch_guards_ = 0;
  bool in_parts_ = false;
  int part_ = kAnyPart;
  Truth guard_;
  std::map<unsigned, Held> held_;  // by key_of
  std::array<int, 10> scratch_{-1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
  std::vector<int> released_;  // registers, when the instruction is done
  std::vector<GuardCount> guard_counts_;
  std::map<unsigned, unsigned> guard_slots_;  // of predicates as they are now
  unsigned slots_ = 0;
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
