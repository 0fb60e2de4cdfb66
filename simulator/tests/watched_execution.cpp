#include "simulator/tests/watched_execution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "isa/attributes.hpp"
#include "isa/decoder.hpp"
#include "isa/operands.hpp"
#include "simulator/device/device.hpp"
#include "simulator/execute/machine.hpp"
#include "simulator/lanes/float_environment.hpp"
#include "simulator/launch/launch.hpp"
#include "simulator/tests/compiled_kernels.hpp"

namespace heddle::simulator {
namespace {

using isa::Item;
using isa::ItemKind;

// Where operands are: as far apart as the widest takes.
constexpr unsigned kFirstRegister = 16, kFirstUniform = 8, kApart = 16, kUniformApart = 8;
constexpr std::size_t kData = 4096;

// Of these the first ones are changed in turn, more than any operand takes.
constexpr unsigned kRegisters = kFirstRegister + 5 * kApart, kWidest = 10,
                   kUniforms = kFirstUniform + 5 * kUniformApart, kWidestUniform = 4,
                   kPredicates = 7;

unsigned place_of(const Item& item) {
  switch (item.kind) {
    case ItemKind::rd:
    case ItemKind::urd:
      return 0;
    case ItemKind::slot:
      return item.which == 'A' || item.which == 'M'   ? 1
             : item.which == 'B' || item.which == 'S' ? 2
                                                      : 3;
    case ItemKind::reg:
      return 4;
    default:
      return 4;  // UR
  }
}

class State {
 public:
  State() : rows_(kRowsPerWarp * kWarpSize) {}

  std::uint32_t* row(unsigned number) { return rows_.data() + number * kWarpSize; }
  std::array<Mask, 17>& predicates() { return predicates_; }

  // Any values; or two for each register's lanes, so that comparisons between lanes matter; or two
  // for all, so that those between registers do.
  void draw(std::mt19937_64& random) {
    const auto kind = static_cast<unsigned>(random() % 3);
    const Pair shared{value(random), value(random)};
    for (unsigned number = 0; number < kRowsPerWarp; ++number) {
      const Pair own = kind == 2 ? shared : Pair{value(random), value(random)};
      for (unsigned lane = 0; lane < kWarpSize; ++lane)
        row(number)[lane] = number >= kUniformRow ? own[0]
                            : kind != 0           ? own[random() % 2]
                                                  : value(random);
    }
    for (Mask& predicate : predicates_) predicate = Mask(static_cast<std::uint32_t>(random()));
    for (unsigned i = kUniformPredicates; i < kUniformPredicates + 7; ++i)
      predicates_[i] = random() % 2 == 0 ? kFullMask : Mask();
    predicates_[kPT] = predicates_[kUniformPredicates + kPT] = kFullMask;
  }

  void load(Warp& warp) {
    warp.rows = rows_.data();
    warp.predicates = predicates_;
  }
  void keep(const Warp& warp) { predicates_ = warp.predicates; }

 private:
  using Pair = std::array<std::uint32_t, 2>;

  // Small numbers and bits of floats as well as any.
  static std::uint32_t value(std::mt19937_64& random) {
    const auto any = static_cast<std::uint32_t>(random());
    switch (random() % 4) {
      case 0:
        return any % 64;
      case 1:
        return 0x3f000000u + (any >> 7);
      default:
        return any;
    }
  }

  std::vector<std::uint32_t> rows_;
  std::array<Mask, 17> predicates_{};
};

// A core of its own, beside that of a launch which is observed for the sake of its block.
class Probe {
 public:
  Probe(const Core& host, const Warp& warp, const LoweredProgram& program, std::uint64_t global)
      : context_(host.launch), global_(global) {
    context_.program = &program;
    context_.pool = pool_;
    options_ = *host.launch.options;
    options_.observer = nullptr;
    context_.options = &options_;
    fill_pool(program);
    core_.emplace(context_);
    warp_.block = warp.block;
    warp_.index = warp.index;
    warp_.convergence = warp.convergence->clone();
    warp_.pool = pool_words_.data();
  }

  std::optional<Watched> watch(const isa::Instruction& in, const Step& step,
                               std::mt19937_64& random) {
    constexpr unsigned kStates = 4;
    if (!can_be_watched(in, step)) return std::nullopt;
    Watched watched;
    for (unsigned i = 0; i < kStates; ++i)
      if (!watch_once(in, step, random, watched)) return std::nullopt;
    return watched;
  }

 private:
  struct Outcome {
    Flow flow = Flow::next;
    std::vector<std::uint32_t> rows;
    std::array<Mask, 17> predicates{};
    std::vector<std::byte> memory;
    friend bool operator==(const Outcome&, const Outcome&) = default;
  };

  static bool can_be_watched(const isa::Instruction& in, const Step& step) {
    using Of = isa::MemoryAccess::Of;
    if (step.lane != nullptr) return true;
    if (step.execute == execute_unsupported || step.execute == execute_undecodable) return false;
    const isa::MemoryAccess access = isa::memory_access(in);
    if (access.space == isa::Space::texture || access.space == isa::Space::surface) return false;
    if (isa::effect(in) != isa::Effect::none) return false;
    return access.kind != isa::MemoryAccess::Kind::none
               ? access.of == Of::values || access.of == Of::swap || access.of == Of::rows
               : in.rd != isa::kRZ || in.urd != isa::kURZ;
  }

  void fill_pool(const LoweredProgram& program) {
    pool_words_.resize(program.pool.size() * kWarpSize);
    for (std::size_t i = 0; i < program.pool.size(); ++i) {
      const PoolRow& row = program.pool[i];
      std::fill_n(pool_words_.begin() + static_cast<std::ptrdiff_t>(i * kWarpSize), kWarpSize,
                  row.is_constant ? 0x3f800000u + row.value : row.value);
    }
  }

  // Registers of an address are such that memory is there. One thread's piece has 16 bytes.
  void place_address(const isa::Instruction& in, State& state) const {
    const isa::MemoryAccess access = isa::memory_access(in);
    if (access.kind == isa::MemoryAccess::Kind::none) return;
    const bool in_global =
        access.space == isa::Space::global || access.space == isa::Space::generic;
    const bool has_base = in_global && in.ur != isa::kURZ && in.mod(isa::Mod::descriptor) == 0;
    const std::uint64_t base = in_global ? global_ : 0;
    if (in.ur != isa::kURZ) put_pair(state, kUniformRow + in.ur, has_base ? base : 64, 0);
    if (in.a.kind == isa::Source::Kind::reg && in.a.index != isa::kRZ)
      put_pair(state, in.a.index, has_base ? 0 : base, 16);
    if (access.kind == isa::MemoryAccess::Kind::copy && in.rd != isa::kRZ)
      put_pair(state, in.rd, 0, 16);
  }
  static void put_pair(State& state, unsigned row, std::uint64_t base, unsigned stride) {
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      const std::uint64_t address = base + std::uint64_t{stride} * lane;
      state.row(row)[lane] = static_cast<std::uint32_t>(address);
      state.row(row + 1)[lane] = static_cast<std::uint32_t>(address >> 32);
    }
  }

  Outcome run(const Step& step, State state) {
    fill_memory();
    state.load(warp_);
    Outcome outcome;
    if (step.lane != nullptr)
      step.lane(warp_, step, kFullMask);
    else
      outcome.flow = step.execute(*core_, warp_, step, kFullMask, kFullMask);
    core_->fault.reset();
    outcome.rows.assign(warp_.rows, warp_.rows + kRowsPerWarp * kWarpSize);
    // What is discarded is nobody's.
    for (const unsigned from : {kDiscardRow, kUniformRow + isa::kUniformRegisters})
      std::fill_n(outcome.rows.begin() + from * kWarpSize,
                  (from == kDiscardRow ? kUniformRow - kDiscardRow : 2u) * kWarpSize, 0u);
    outcome.predicates = warp_.predicates;
    outcome.predicates[kDiscardedPredicate] = Mask();
    outcome.memory = memory();
    return outcome;
  }

  std::byte* global() { return context_.memory->view(global_, kData); }
  void fill_memory() {
    std::mt19937 bytes(7);
    for (std::size_t i = 0; i < kData; ++i) global()[i] = static_cast<std::byte>(bytes());
    for (std::byte& each : warp_.block->shared) each = static_cast<std::byte>(bytes());
  }
  std::vector<std::byte> memory() {
    std::vector<std::byte> all(global(), global() + kData);
    all.insert(all.end(), warp_.block->shared.begin(), warp_.block->shared.end());
    return all;
  }

  bool watch_once(const isa::Instruction& in, const Step& step, std::mt19937_64& random,
                  Watched& watched) {
    State state;
    state.draw(random);
    place_address(in, state);
    const Outcome plain = run(step, state);
    if (plain.flow != Flow::next) return false;
    note_writes(state, plain, watched.written);
    const auto look = [&](const std::string& name, auto&& change) {
      State changed = state;
      change(changed);
      if (differs_elsewhere(state, changed, plain, run(step, changed))) watched.read.insert(name);
    };
    for (unsigned base = kFirstRegister; base < kRegisters; base += kApart)
      for (unsigned i = base; i < base + kWidest; ++i)
        look(fmt::format("R{}", i), [&](State& s) { change_row(s, i, random); });
    for (unsigned base = kFirstUniform; base < kUniforms; base += kUniformApart)
      for (unsigned i = base; i < base + kWidestUniform; ++i)
        look(fmt::format("UR{}", i), [&](State& s) { change_row(s, kUniformRow + i, random); });
    for (unsigned i = 0; i < kPredicates; ++i) {
      look(fmt::format("P{}", i),
           [&](State& s) { s.predicates()[i] ^= Mask(static_cast<std::uint32_t>(random()) | 1); });
      look(fmt::format("UP{}", i),
           [&](State& s) { s.predicates()[kUniformPredicates + i] ^= kFullMask; });
    }
    return true;
  }

  // Another value, and of an address one that is as good or that is far away.
  static void change_row(State& state, unsigned row, std::mt19937_64& random) {
    const bool uniform = row >= kUniformRow;
    const auto one = static_cast<std::uint32_t>(random());
    const auto kind = static_cast<unsigned>(random() % 3);
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      const auto own = uniform ? one : static_cast<std::uint32_t>(random());
      state.row(row)[lane] = kind == 0 ? own : kind == 1 ? state.row(row)[lane] ^ 0x10000 : ~own;
      if (kind == 2 && !uniform) state.row(row)[lane] = state.row(row)[(lane + 5) % kWarpSize] + 1;
    }
  }

  void note_writes(State& before, const Outcome& after, Names& written) {
    for (unsigned row = 0; row < kRowsPerWarp; ++row) {
      if (is_discarded(row)) continue;
      if (!std::equal(before.row(row), before.row(row) + kWarpSize,
                      after.rows.begin() + row * kWarpSize))
        written.insert(row >= kUniformRow ? fmt::format("UR{}", row - kUniformRow)
                                          : fmt::format("R{}", row));
    }
    for (unsigned i = 0; i < kDiscardedPredicate; ++i)
      if (before.predicates()[i] != after.predicates[i])
        written.insert(i >= kUniformPredicates ? fmt::format("UP{}", i - kUniformPredicates)
                                               : fmt::format("P{}", i));
  }
  static bool is_discarded(unsigned row) {
    return (row >= kDiscardRow && row < kUniformRow) || row >= kUniformRow + isa::kUniformRegisters;
  }

  // Whether the change shows in another place than where it was made, or in its value there.
  static bool differs_elsewhere(State& plain, State& changed, const Outcome& one,
                                const Outcome& other) {
    if (one.flow != other.flow || one.memory != other.memory) return true;
    for (unsigned row = 0; row < kRowsPerWarp; ++row) {
      if (is_discarded(row)) continue;
      const auto* const before = plain.row(row);
      const auto* const before_other = changed.row(row);
      const auto* const after = one.rows.data() + row * kWarpSize;
      const auto* const after_other = other.rows.data() + row * kWarpSize;
      for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        const bool kept = after[lane] == before[lane] && after_other[lane] == before_other[lane];
        if (!kept && after[lane] != after_other[lane]) return true;
      }
    }
    for (unsigned i = 0; i < kDiscardedPredicate; ++i) {
      const Mask kept = ~(one.predicates[i] ^ plain.predicates()[i]) &
                        ~(other.predicates[i] ^ changed.predicates()[i]);
      if (((one.predicates[i] ^ other.predicates[i]) & ~kept).any()) return true;
    }
    return false;
  }

  LaunchContext context_;
  LaunchOptions options_;
  std::uint64_t global_;
  std::vector<std::uint32_t> pool_words_;
  std::shared_ptr<const RowStorage> pool_;
  std::optional<Core> core_;
  Warp warp_;
};

// Runs the probes where the launch it observes begins.
class Host : public Observer {
 public:
  Host(const LoweredProgram& program, const std::vector<isa::Instruction>& instructions,
       std::uint64_t global)
      : program_(program), instructions_(instructions), global_(global) {}

  void issuing(const CoreView& core, const WarpView& warp, const Issue&) override {
    if (!results.empty()) return;
    Probe probe(core.machine(), warp.machine(), program_, global_);
    std::mt19937_64 random(3);
    for (std::size_t i = 0; i < instructions_.size(); ++i)
      results.push_back(probe.watch(instructions_[i], program_.steps[i], random));
  }
  void issued(const CoreView&, const WarpView&, const Issue&) override {}

  std::vector<std::optional<Watched>> results;

 private:
  const LoweredProgram& program_;
  const std::vector<isa::Instruction>& instructions_;
  std::uint64_t global_;
};

}  // namespace

std::optional<isa::Instruction> word_to_watch(isa::Arch arch, const isa::Encoding& encoding,
                                              std::mt19937_64& random) {
  isa::Word word = encoding.value;
  word.set_bits(isa::kGuardBits.lo, isa::kGuardBits.width, isa::kPT);
  word.set_bits(isa::kControlBits.lo, isa::kControlBits.width, 0);
  unsigned predicate = 0;
  isa::for_each_item(*encoding.layout, encoding.form, [&](const Item& item) {
    const unsigned at = kFirstRegister + kApart * place_of(item),
                   uniform_at = kFirstUniform + kUniformApart * place_of(item);
    switch (item.kind) {
      case ItemKind::slot: {
        const isa::SlotPlace place = isa::slot_place(item, encoding.form);
        const bool vector = place.kind == isa::Source::Kind::reg,
                   uniform = place.kind == isa::Source::Kind::ureg;
        place.bits.set(word, vector ? at : uniform ? uniform_at : random() % 64);
        return;
      }
      case ItemKind::rd:
      case ItemKind::reg:
        return item.bits.set(word, at);
      case ItemKind::urd:
      case ItemKind::ur:
        return item.bits.set(word, uniform_at);
      case ItemKind::hidden_ur:
        return item.bits.set(word, uniform_at);
      case ItemKind::pdst:
      case ItemKind::psrc:
        return item.bits.set(word, predicate++);
      case ItemKind::load_predicate:
        return;  // PT
      case ItemKind::offset:
      case ItemKind::global_offset:
        return;  // 0
      case ItemKind::indexed_constant:
        isa::index_register_bits(item).set(word, item.uniform ? uniform_at : at);
        [[fallthrough]];
      case ItemKind::constant:
        return item.bits.set(word, 0x20);
      default:
        if (item.bits.width != 0) item.bits.set(word, random());
    }
  });
  const auto instruction = isa::decode(arch, word);
  if (!instruction || instruction->encoding != &encoding) return std::nullopt;
  return instruction;
}

std::vector<std::optional<Watched>> watch(isa::Arch arch,
                                          const std::vector<isa::Instruction>& instructions) {
  isa::Program program;
  program.arch = arch;
  program.instructions.assign(instructions.begin(), instructions.end());
  const LoweredProgram lowered = lower(program);
  const bool old = arch != isa::Arch::sm_90;
  Device device{default_model(old ? isa::Arch::sm_80 : isa::Arch::sm_90)};
  Module module{machine_kernels(old ? "sm_80" : "sm_90"), "machine.cubin", device.memory()};
  const std::uint64_t global = *device.memory().allocate(kData, "data");
  Host host(lowered, instructions, global);
  LaunchRequest request;
  request.module = &module;
  request.kernel = module.cubin().find_kernel("exit_before_barrier");
  request.block = {32, 1, 1};
  request.dynamic_shared_bytes = kData;
  request.parameters = parameters(global);
  LaunchOptions options;
  options.observer = &host;
  const LaunchOutcome outcome = device.launch(request, options);
  if (outcome.fault) throw std::runtime_error(outcome.fault->message());
  return std::move(host.results);
}

}  // namespace heddle::simulator
