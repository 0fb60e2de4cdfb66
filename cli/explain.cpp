// heddle explain: what a metric, a stall reason, an opcode, one of CUDA's errors or a word of the
// output means.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/commands.hpp"
#include "cli/nvprof_names.hpp"
#include "cli/words.hpp"
#include "gpu/runtime/error.hpp"
#include "isa/attributes.hpp"
#include "simulator/base/spelling.hpp"
#include "simulator/launch/timing_result.hpp"
#include "simulator/models/timing_constants.hpp"
#include "simulator/record/metrics.hpp"

namespace heddle::cli {
namespace {

using simulator::timing::kStalls;
using simulator::timing::Stall;

constexpr std::string_view kStallMeanings[] = {
#define HEDDLE_STALL(name, meaning) meaning,
    HEDDLE_STALLS(HEDDLE_STALL)
#undef HEDDLE_STALL
};

constexpr std::string_view kErrorNames[] = {
#define HEDDLE_CUDA_ERROR(number, name, enumerator, text) #name,
#include "gpu/runtime/errors.inc"
#undef HEDDLE_CUDA_ERROR
};

bool explain_metric(const std::string& name) {
  const simulator::Metric* metric = simulator::find_metric(name);
  if (metric == nullptr) return false;
  const bool exact = metric->kind == simulator::MetricKind::exact;
  fmt::print("{}\n  {}\n", metric->name, metric->meaning);
  fmt::print("  unit: {}\n", metric->unit);
  fmt::print("  kind: {}\n", exact ? "exact: equals the hardware's count unless the launch depends "
                                     "on the order of warps"
                                   : "modelled: carries an error");
  if (!metric->nvprof.empty()) fmt::print("  nvprof calls it {}\n", metric->nvprof);
  if (metric->nvprof_when_empty)
    fmt::print("  with nothing to count, nvprof reports {} and Nsight Compute no value\n",
               *metric->nvprof_when_empty);
  return true;
}

// Also as Nsight Compute writes it in front of its samples: stalled_NAME, stall_NAME.
bool explain_stall(std::string_view name) {
  for (const std::string_view prefix : {"stalled_", "stall_"})
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  for (std::size_t i = 0; i < kStalls; ++i) {
    if (stall_name(static_cast<Stall>(i)) != name) continue;
    fmt::print("{}\n  a stall reason, why a warp did not issue in a cycle: {}\n", name,
               kStallMeanings[i]);
    fmt::print("  in records: smsp__average_warps_issue_stalled_{}_per_issue_active.ratio\n", name);
    return true;
  }
  return false;
}

bool explain_error(const std::string& name) {
  const auto error = runtime::error_by_name(name);
  if (!error) return false;
  fmt::print("{} ({})\n  {}\n", name, static_cast<int>(*error), runtime::error_text(*error));
  if (runtime::is_sticky(*error))
    fmt::print(
        "  the context is lost: every later call returns it again, until the device is "
        "reset\n");
  return true;
}

// As words() has it: small letters, and n for each number that stands alone.
std::string spelled(std::string_view text) {
  std::string result;
  char before = ' ';
  bool in_number = false;
  for (const char c : text) {
    const bool is_digit = c >= '0' && c <= '9';
    in_number = in_number ? is_digit || c == '.' : is_digit && before == ' ';
    if (!in_number)
      result += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    else if (before == ' ')
      result += 'n';
    before = c;
  }
  return result;
}

// Also plural, and with more behind two words or more: "loads with a stride of 32 elements".
bool is_spelling(std::string_view spelling, std::string_view name) {
  if (spelling.empty()) return false;
  const std::string of = spelled(spelling), given = spelled(name);
  return given == of || given == of + "s" ||
         (of.find(' ') != of.npos && (given.starts_with(of + " ") || given.starts_with(of + ",")));
}

// The exact spelling first: "pc" and "PC" differ.
const Word* find_word(std::string_view name) {
  const auto has = [&](const auto& same) {
    const auto at = std::ranges::find_if(
        words(), [&](const Word& each) { return std::ranges::any_of(each.spellings, same); });
    return at == words().end() ? nullptr : &*at;
  };
  const Word* exact = has([&](std::string_view each) { return !each.empty() && each == name; });
  return exact != nullptr ? exact
                          : has([&](std::string_view each) { return is_spelling(each, name); });
}

// Columns of modelled values begin with "~", and some end with their unit.
bool explain_word(std::string_view name) {
  const Word* word = find_word(name);
  if (word == nullptr && name.starts_with('~')) return explain_word(name.substr(1));
  if (constexpr std::string_view kPercent = " %"; word == nullptr && name.ends_with(kPercent))
    return explain_word(name.substr(0, name.size() - kPercent.size()));
  if (word == nullptr) return false;
  fmt::print("{}\n  {}\n", word->spellings[0], word->meaning);
  return true;
}

std::string_view work_text(isa::Work work) {
  switch (work) {
    case isa::Work::none:
      return {};
    case isa::Work::move:
      return "moves a value";
    case isa::Work::read_special:
      return "reads a special register: an index, a size, a clock";
    case isa::Work::select:
      return "selects one of two values by a predicate: a branch the compiler removed";
    case isa::Work::add:
      return "adds";
    case isa::Work::multiply:
      return "multiplies";
    case isa::Work::multiply_add:
      return "multiplies and adds";
    case isa::Work::wide_product:
      return "multiplies to a double word, or to its upper half";
    case isa::Work::shift_add:
      return "shifts and adds, as addresses need it";
    case isa::Work::difference:
      return "adds up absolute differences";
    case isa::Work::compare:
      return "compares";
    case isa::Work::check:
      return "checks whether a division needs its slow path";
    case isa::Work::min_max:
      return "computes a minimum or maximum";
    case isa::Work::add_min_max:
      return "adds and computes a minimum or maximum";
    case isa::Work::logic:
      return "combines bits by a truth table";
    case isa::Work::shift:
      return "shifts";
    case isa::Work::bits:
      return "counts, permutes or masks bits";
    case isa::Work::convert:
      return "converts between types";
    case isa::Work::round:
      return "rounds to an integer";
    case isa::Work::special:
      return "computes a reciprocal, a root, a sine or the like";
    case isa::Work::exchange:
      return "exchanges values between the lanes of a warp";
    case isa::Work::product:
      return "multiplies matrices";
  }
  return {};
}

std::string_view effect_text(isa::Effect effect) {
  using isa::Effect;
  switch (effect) {
    case Effect::none:
      return {};
    case Effect::no_operation:
      return "does nothing";
    case Effect::branch:
      return "jumps to an address in the instruction; with a predicate, lanes may diverge";
    case Effect::indirect_branch:
      return "jumps to an address in a register; lanes may diverge";
    case Effect::call:
      return "calls a function";
    case Effect::ret:
      return "returns from a function";
    case Effect::exit:
      return "ends the threads";
    case Effect::trap:
      return "stops the launch";
    case Effect::set_barrier:
      return "sets where the active lanes will reconverge";
    case Effect::sync:
      return "waits for the lanes of a convergence barrier: here they reconverge";
    case Effect::leave_barrier:
      return "removes lanes from a convergence barrier";
    case Effect::move_barrier:
      return "saves or restores a convergence barrier";
    case Effect::warp_sync:
      return "waits for the lanes of a mask: __syncwarp()";
    case Effect::end_collective:
      return "ends a part that a group executes for the whole warp";
    case Effect::yield:
      return "lets another group of the warp execute";
    case Effect::sleep:
      return "waits for some time: __nanosleep()";
    case Effect::block_barrier:
      return "waits for the threads of the block: __syncthreads()";
    case Effect::cluster_arrive:
      return "arrives at the barrier of the cluster";
    case Effect::cluster_wait:
      return "waits at the barrier of the cluster";
    case Effect::fence:
      return "orders memory accesses: __threadfence()";
    case Effect::proxy_fence:
      return "orders the copy engine's accesses with the others";
    case Effect::error_barrier:
      return "waits until errors of memory accesses are known";
    case Effect::cluster_error_barrier:
      return "waits until errors of accesses within the cluster are known";
    case Effect::wait_counter:
      return "waits until pending operations are done";
    case Effect::end_copies:
      return "closes a group of asynchronous copies";
    case Effect::end_bulk_copies:
      return "closes a group of the copy engine's copies";
  }
  return {};
}

std::string_view space_text(isa::Space space) {
  constexpr std::string_view kNames[] = {"memory",         "generic memory", "global memory",
                                         "shared memory",  "local memory",   "constant memory",
                                         "surface memory", "texture memory"};
  return kNames[static_cast<std::size_t>(space)];
}

std::string memory_text(const isa::MemoryAccess& memory) {
  using Kind = isa::MemoryAccess::Kind;
  const std::string_view space = space_text(memory.space);
  switch (memory.kind) {
    case Kind::none:
      return {};
    case Kind::load:
      return fmt::format("loads from {}", space);
    case Kind::store:
      return fmt::format("stores to {}", space);
    case Kind::atomic:
      return fmt::format("changes {} atomically and returns the old value", space);
    case Kind::reduction:
      return fmt::format("changes {} atomically and returns nothing", space);
    case Kind::copy:
      return "copies between global and shared memory";
  }
  return {};
}

// "BSYNC", also with modifiers as a listing has them: "LDG.E.64".
bool explain_opcode(std::string_view name) {
  const std::string_view bare = name.substr(0, name.find('.'));
  for (std::size_t i = 0; i < static_cast<std::size_t>(isa::Op::count_); ++i) {
    const auto op = static_cast<isa::Op>(i);
    std::string_view known = isa::name(op);
    if (known != bare && known.substr(0, known.find('_')) != bare) continue;
    const isa::Facts& facts = isa::facts(op);
    std::string text = memory_text(facts.memory);
    for (const std::string_view part : {effect_text(facts.effect), work_text(facts.work)})
      if (!part.empty()) text += fmt::format("{}{}", text.empty() ? "" : "; ", part);
    if (text.empty()) text = "reads or sets a state of the machine, or does nothing";
    fmt::print("{}\n  an opcode: {}\n", bare, text);
    if (facts.type.bits != 0)
      fmt::print("  works on {}{} bits{}\n", facts.type.is_float() ? "floating point, " : "",
                 facts.type.bits, facts.type.count > 1 ? ", several side by side" : "");
    if (facts.unit != isa::Unit::none)
      fmt::print("  executed by the pipe that Nsight Compute calls {}\n", isa::name(facts.unit));
    return true;
  }
  return false;
}

bool explain_nvprof(std::string_view name) {
  for (const NvprofName& each : nvprof_names())
    if (each.name == name) {
      fmt::print("{}\n  {} of nvprof that is not supported: {}\n", name,
                 each.is_event ? "an event" : "a metric", each.why_not);
      return true;
    }
  return false;
}

// A value of the GPU's model that --set changes.
bool explain_constant(std::string_view name) {
  for (const simulator::timing::ConstantInfo& each : simulator::timing::kConstants)
    if (each.name == name) {
      fmt::print("{}\n  a timing constant of the GPU (--set): {}\n  unit: {}\n", name, each.meaning,
                 each.unit);
      return true;
    }
  return false;
}

std::string_view nearest_name(const std::string& name) {
  std::vector<std::string_view> names(std::begin(kErrorNames), std::end(kErrorNames));
  for (const Word& each : words())
    for (const std::string_view spelling : each.spellings)
      if (!spelling.empty()) names.push_back(spelling);
  for (std::size_t i = 0; i < static_cast<std::size_t>(isa::Op::count_); ++i)
    names.push_back(isa::name(static_cast<isa::Op>(i)));
  for (std::size_t i = 0; i < kStalls; ++i) names.push_back(stall_name(static_cast<Stall>(i)));
  if (const std::string_view metric = simulator::nearest_metric(name); !metric.empty())
    names.push_back(metric);
  return simulator::nearest(name, names);
}

}  // namespace

int run_explain(const Arguments& arguments) {
  if (arguments.words.empty()) throw Usage("give a name");
  // "bank conflict" is one.
  const std::string name = fmt::format("{}", fmt::join(arguments.words, " "));
  if (explain_metric(name) || explain_stall(name) || explain_error(name) || explain_word(name) ||
      explain_opcode(name) || explain_nvprof(name) || explain_constant(name))
    return 0;
  const std::string_view near = nearest_name(name);
  throw Usage(near.empty() ? fmt::format("unknown name {}", name)
                           : fmt::format("unknown name {}; did you mean {}?", name, near));
}

}  // namespace heddle::cli
