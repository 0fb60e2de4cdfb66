// Makes code of a region: instructions one after the other, with branches, memory accesses and
// whatever else the machine executes. Control stays in the code as long as the same lanes go on.
//
// A segment ends with an instruction that the machine executes, or before a place that a branch of
// the region leads to. Before each segment the turn's budget is looked at; between segments all
// rows are stored, so that the code can be entered there.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "simulator/native/machine.hpp"
#include "simulator/native/region_helpers.hpp"
#include "simulator/native/run_compiler.hpp"

namespace heddle::simulator::native {

class RegionCompiler : public RunCompiler {
 public:
  // An access takes most: 2.5 KB where all vector registers hold rows.
  static constexpr std::size_t kLongest = 512, kMostBytes = kLongest << 12;

  // The instructions from `first` on, into `memory`, of kMostBytes. `full`: for a warp of which all
  // lanes are active.
  RegionCompiler(VectorUnit unit, std::span<const RunOp> region, std::uint32_t first,
                 const KnownWord& known, const RegionHelpers& helpers, bool full,
                 std::uint8_t* memory);

  // Where it can be entered: instructions, and bytes from the beginning of the code.
  std::span<const std::pair<std::uint32_t, std::size_t>> entries() const { return entries_; }

  // Code of an Enter.
  static std::vector<std::uint8_t> enter(VectorUnit unit);

 private:
  // Behind the stack pointer: how many threads are active.
  static constexpr int kThreadsAt = 0, kFrame = 8;

  void find_leaders();
  std::uint32_t segment_length(std::uint32_t index) const;
  void begin_segment(std::uint32_t index);
  void check_budget(std::uint32_t index);
  void clean();
  void machine_op(std::uint32_t index);
  void call_and_go_on(std::uint32_t index, std::shared_ptr<Xbyak::Label> back);
  void branch(std::uint32_t index);
  void go_to(std::uint32_t target);
  void call_machine(std::uint32_t index);
  // Accesses to memory by the code itself (region_accesses.cpp).
  using Values = std::map<RowOffset, Value>;
  using Data = std::array<Row, 4>;
  bool access_row(std::uint32_t index);
  // What lanes' addresses are made of: in vector registers, or in memory.
  struct PlaceRow {
    Row row;
    RowOffset offset = 0;
  };
  struct Place {
    PlaceRow low, high, uniform, uniform_high, policy;
  };
  Place read_place(const RowAccess& access);
  Data take_data(const RowAccess& access);
  void take_loaded(const RowAccess& access, const Data& data);
  void give_way(const RowAccess& access);
  void leave_others(const RowAccess& access, const Place& place, Xbyak::Label& slow,
                    Xbyak::Label& none);
  void keep_rows(const RowAccess& access, const Data& data, std::shared_ptr<Xbyak::Label> none,
                 std::shared_ptr<Xbyak::Label> done);
  void load_first(const Xbyak::Reg32& to, const PlaceRow& from);
  void find_place(const RowAccess& access, const Place& place, Xbyak::Label& slow);
  void find_row(const RunOp& each, const Place& place, Xbyak::Label& other, Xbyak::Label& slow);
  void find_same(const RowAccess& access, const Place& place, Xbyak::Label& other);
  void find_pattern(const RunOp& each, std::uint32_t pc, const Place& place, Xbyak::Label& slow);
  void compare_pattern(const RowAccess& access, const Place& place, Xbyak::Label& slow);
  void find_memory(const RowAccess& access, unsigned bytes, Xbyak::Label& slow);
  void note_words(const RowAccess& access, unsigned bytes, Xbyak::Label& slow);
  void write_note(Xbyak::Label& begin, WordNotes::Ready needed);
  void write_notes();
  void count_row(const RunOp& each);
  void count_same(const RunOp& each);
  void count_pattern(const RunOp& each);
  void note_row(const RowAccess& access);
  void load_row(const RowAccess& access, const Data& to);
  void load_same(const RowAccess& access, const Data& to);
  void load_pattern(const RowAccess& access, const Data& to);
  void store_row(const RowAccess& access, const Data& from);
  void store_pattern(const RowAccess& access, const Data& from);
  void note_store();
  // The same of AVX2, whose rows are in memory (region_accesses_by_parts.cpp).
  void begin_access();
  void find_row_by_parts(const RowAccess& access, const Place& place, Xbyak::Label& other,
                         Xbyak::Label& slow);
  void find_same_by_parts(const Place& place, Xbyak::Label& other);
  void compare_pattern_by_parts(const Place& place, Xbyak::Label& slow);
  void load_row_by_parts(const RowAccess& access);
  void load_same_by_parts(const RowAccess& access);
  void load_pattern_by_parts(const RowAccess& access);
  void store_row_by_parts(const RowAccess& access);
  void store_pattern_by_parts(const RowAccess& access);
  Xbyak::Address count_at(const RunOp& each, std::size_t member);
  // `part`: from its eighth word on, or 0.
  Xbyak::Address words(const std::array<std::uint32_t, 16>& of, unsigned part = 0);
  void write_vectors();
  void spill(const Values& values);
  void reload(const Values& values);
  void leave_by_flow(std::uint32_t index);
  void count_edge(std::uint32_t pc, bool rises);
  void count_uniform(const RunOp& each);
  void put_pc(std::uint32_t pc);
  void leave();
  // Code behind all other code.
  void later(std::function<void()> make) { later_.push_back(std::move(make)); }

  const std::span<const RunOp> region_;
  const std::uint32_t first_;
  const RegionHelpers& helpers_;
  std::vector<bool> leads_;
  std::vector<Xbyak::Label> labels_;
  std::vector<std::pair<std::uint32_t, std::size_t>> entries_;
  std::vector<std::function<void()>> later_;
  bool notes_ = false;  // whether any code calls these
  Xbyak::Label note_loads_, note_stores_;
  std::map<std::array<std::uint32_t, 16>, Xbyak::Label> vectors_;
};

}  // namespace heddle::simulator::native
