#include "simulator/models/gpu_model.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <variant>

#include "simulator/base/types.hpp"
#include "simulator/models/builtin_models.hpp"
#include "simulator/models/instruction_costs.hpp"
#include "simulator/models/occupancy.hpp"
#include "simulator/models/time_bounds.hpp"
#include "simulator/models/timing_constants.hpp"

namespace heddle::simulator {
namespace {

// One number of a model: its key in the file, the unit it must have there, where it goes.
struct Field {
  std::string_view key, unit;
  std::variant<std::uint32_t GpuModel::*, std::uint64_t GpuModel::*> member;
  bool may_be_zero = false;
};

constexpr Field kFields[] = {
    {"sms", "SM", &GpuModel::sms},
    {"max_threads_per_block", "thread", &GpuModel::max_threads_per_block},
    {"max_threads_per_sm", "thread", &GpuModel::max_threads_per_sm},
    {"max_warps_per_sm", "warp", &GpuModel::max_warps_per_sm},
    {"max_blocks_per_sm", "block", &GpuModel::max_blocks_per_sm},
    {"barriers_per_sm", "barrier", &GpuModel::barriers_per_sm, true},
    {"registers_per_sm", "register", &GpuModel::registers_per_sm},
    {"registers_per_block", "register", &GpuModel::registers_per_block},
    {"register_allocation_unit", "register", &GpuModel::register_allocation_unit},
    {"warp_allocation_granularity", "warp", &GpuModel::warp_allocation_granularity},
    {"shared_bytes_per_sm", "byte", &GpuModel::shared_bytes_per_sm},
    {"shared_bytes_per_block", "byte", &GpuModel::shared_bytes_per_block},
    {"shared_bytes_per_block_optin", "byte", &GpuModel::shared_bytes_per_block_optin},
    {"shared_bytes_reserved", "byte", &GpuModel::shared_bytes_reserved, true},
    {"shared_allocation_unit", "byte", &GpuModel::shared_allocation_unit},
    {"memory_bytes", "byte", &GpuModel::memory_bytes},
    {"l2_bytes", "byte", &GpuModel::l2_bytes, true},
    {"clock_khz", "kHz", &GpuModel::clock_khz},
    {"memory_clock_khz", "kHz", &GpuModel::memory_clock_khz},
    {"memory_bus_bits", "bit", &GpuModel::memory_bus_bits},
};

[[noreturn]] void fail(std::string_view origin, std::string_view key, std::string_view what) {
  throw std::runtime_error(fmt::format("{}: {}: {}", origin, key, what));
}

bool has_provenance(std::string_view source) {
  return source.starts_with("documented: ") || source.starts_with("measured: ") ||
         source.starts_with("guess: ");
}

std::uint64_t read_number(const toml::table& table, std::string_view key, std::string_view unit,
                          bool may_be_zero, std::string_view origin) {
  const toml::table* row = table[key].as_table();
  if (row == nullptr) fail(origin, key, "missing; expected { value, unit, source }");
  const auto value = (*row)["value"].value<std::int64_t>();
  if (!value) fail(origin, key, "has no whole number as value");
  if ((*row)["unit"].value_or(std::string_view{}) != unit)
    fail(origin, key, fmt::format("its unit must be \"{}\"", unit));
  if (!has_provenance((*row)["source"].value_or(std::string_view{})))
    fail(origin, key, "its source must start with documented:, measured: or guess:");
  if (*value < (may_be_zero ? 0 : 1)) fail(origin, key, "must be positive");
  return static_cast<std::uint64_t>(*value);
}

toml::table parse_table(std::string_view toml, std::string_view origin);

// The [timing] table of another built-in model.
toml::table timing_of(std::string_view id, std::string_view origin) {
  for (const BuiltinModel& file : builtin_models())
    if (file.id == id)
      if (toml::table table = parse_table(file.toml, id); table.contains("timing"))
        return std::move(*table["timing"].as_table());
  fail(origin, "like", fmt::format("\"{}\" is not a model with a [timing] table", id));
}

// The [costs] table: cycles that a warp's instruction keeps its multiprocessor busy, or operations
// of single threads that the multiprocessor begins in a cycle.
InstructionCosts read_costs(const toml::table& table, std::string_view origin) {
  for (const auto& [key, value] : table)
    if (std::ranges::find(kCostClasses, key.str(), &CostClassInfo::key) == kCostClasses.end())
      fail(origin, key.str(), "is not a class of instructions");
  InstructionCosts costs;
  for (const CostClassInfo& each : kCostClasses) {
    const bool rate = table[each.key]["unit"].value_or(std::string_view{}) == "op/cycle";
    const auto number = static_cast<double>(
        read_number(table, each.key, rate ? "op/cycle" : "cycle", false, origin));
    costs.cycles[static_cast<std::size_t>(each.value)] = rate ? double{kWarpSize} / number : number;
  }
  return costs;
}

// The [timing] table. Values that it lacks are those of the model it names with `like`.
timing::Constants read_timing(const toml::table& table, std::string_view origin) {
  const auto known = [](std::string_view key) {
    return key == "like" ||
           std::ranges::find(timing::kConstants, key, &timing::ConstantInfo::name) !=
               timing::kConstants.end();
  };
  for (const auto& [key, value] : table)
    if (!known(key.str())) fail(origin, key.str(), "is not a constant of the timing model");
  const auto like = table["like"].value<std::string_view>();
  const toml::table other = like ? timing_of(*like, origin) : toml::table();
  timing::Constants constants;
  for (const timing::ConstantInfo& each : timing::kConstants) {
    const bool own = !like || table.contains(each.name);
    const std::uint64_t value =
        read_number(own ? table : other, each.name, each.unit, true, origin);
    if (value > std::numeric_limits<std::uint32_t>::max()) fail(origin, each.name, "is too large");
    constants.*each.member = static_cast<std::uint32_t>(value);
  }
  return constants;
}

// The [cycles_error] table: a row for each kind of launch.
CyclesErrors read_cycles_errors(const toml::table& table, std::string_view origin) {
  for (const auto& [key, value] : table)
    if (std::ranges::find(kTimeBounds, key.str(), &TimeBoundInfo::key) == kTimeBounds.end())
      fail(origin, key.str(), "is not a kind of launch");
  CyclesErrors errors;
  for (const TimeBoundInfo& each : kTimeBounds)
    errors.percent[static_cast<std::size_t>(each.value)] =
        static_cast<std::uint32_t>(read_number(table, each.key, "%", false, origin));
  return errors;
}

void store(GpuModel& model, const Field& field, std::uint64_t value, std::string_view origin) {
  if (const auto* wide = std::get_if<std::uint64_t GpuModel::*>(&field.member)) {
    model.*(*wide) = value;
    return;
  }
  if (value > std::numeric_limits<std::uint32_t>::max()) fail(origin, field.key, "is too large");
  model.*std::get<std::uint32_t GpuModel::*>(field.member) = static_cast<std::uint32_t>(value);
}

isa::Arch read_arch(const toml::table& table, std::string_view origin) {
  const auto text = table["arch"].value<std::string_view>();
  if (!text) fail(origin, "arch", "missing");
  for (isa::Arch arch : isa::kAllArchs)
    if (isa::name(arch) == *text) return arch;
  fail(origin, "arch", fmt::format("\"{}\" is not an architecture this project knows", *text));
}

// A GPU has an architecture whose code is executed here, or a compute capability alone; then it
// executes sketches alone.
void read_code(GpuModel& model, const toml::table& table, std::string_view origin) {
  const auto capability = table["capability"].value<std::string>();
  if (!capability) {
    model.arch = read_arch(table, origin);
    return;
  }
  if (table.contains("arch")) fail(origin, "capability", "is for GPUs without \"arch\"");
  if (find_compute_capability(*capability) == nullptr)
    fail(origin, "capability", fmt::format("there is no {}", *capability));
  model.arch = isa::kSketchArch;
  model.capability = *capability;
}

// What a model is chosen for when nobody names one.
void read_roles(GpuModel& model, const toml::table& table, std::string_view origin) {
  if (!table.contains("roles")) return;
  const toml::array* roles = table["roles"].as_array();
  if (roles == nullptr) fail(origin, "roles", "is not a list");
  for (const toml::node& node : *roles) {
    const auto role = node.value_or(std::string_view{});
    if (role == "default")
      model.is_default = true;
    else if (role == "reference")
      model.is_reference = true;
    else if (role == "accelsim")
      model.replays_traces = true;
    else
      fail(origin, "roles", fmt::format("does not know \"{}\"", role));
  }
}

// A word out of a list; `standard` where the file does not say.
template <typename Value, std::size_t N>
Value read_word(const toml::table& table, std::string_view key, Value standard,
                const std::array<std::pair<std::string_view, Value>, N>& words,
                std::string_view origin) {
  const toml::table* row = table[key].as_table();
  if (!table.contains(key)) return standard;
  const auto text = row == nullptr ? std::nullopt : (*row)["value"].value<std::string_view>();
  if (!text) fail(origin, key, "expected { value, source }");
  if (!has_provenance((*row)["source"].value_or(std::string_view{})))
    fail(origin, key, "its source must start with documented:, measured: or guess:");
  const auto word = std::ranges::find(words, *text, [](const auto& each) { return each.first; });
  if (word == words.end()) fail(origin, key, fmt::format("does not know \"{}\"", *text));
  return word->second;
}

constexpr std::array<std::pair<std::string_view, AccessRules>, 4> kAccessRules{{
    {"sectors", AccessRules::sectors},
    {"lines", AccessRules::lines},
    {"half-warp segments", AccessRules::half_warp_segments},
    {"half-warp in order", AccessRules::half_warp_in_order},
}};
constexpr auto kReconvergenceWords = [] {
  std::array<std::pair<std::string_view, ReconvergencePolicy>, kReconvergencePolicies.size()> words;
  std::ranges::transform(kReconvergencePolicies, words.begin(), [](const ReconvergenceInfo& each) {
    return std::pair(each.name, each.policy);
  });
  return words;
}();
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kPredicationWords{{
    {"off", ""},
    {"4", "4"},
    {"7", "7"},
    {"2009", "2009"},
    {"cuda13", "cuda13"},
}};

toml::table parse_table(std::string_view toml, std::string_view origin) {
  try {
    return toml::parse(toml);  // given a name, it would allocate where it may not throw
  } catch (const toml::parse_error& error) {
    throw std::runtime_error(
        fmt::format("{}:{}: {}", origin, error.source().begin.line, error.description()));
  }
}

bool is_known_key(std::string_view key) {
  for (const std::string_view other :
       {"name", "arch", "roles", "timing", "capability", "reconvergence", "accesses", "predication",
        "costs", "cycles_error"})
    if (key == other) return true;
  for (const Field& field : kFields)
    if (field.key == key) return true;
  return false;
}

// Read when it is first asked for: to read all of them takes longer than most programs run.
const GpuModel& built_in(const BuiltinModel& file) {
  static std::mutex mutex;
  static std::map<std::string_view, std::unique_ptr<const GpuModel>> known;
  const std::lock_guard lock(mutex);
  std::unique_ptr<const GpuModel>& model = known[file.id];
  if (model == nullptr)
    model = std::make_unique<const GpuModel>(
        parse_gpu_model(file.toml, file.id, fmt::format("models/{}.toml", file.id)));
  return *model;
}

// `words`: strings that the file of such a model has; others are not read.
template <class Predicate>
const GpuModel* built_in_where(std::initializer_list<std::string_view> words, Predicate&& holds) {
  for (const BuiltinModel& file : builtin_models()) {
    const auto has = [&](std::string_view word) {
      return file.toml.find(fmt::format("\"{}\"", word)) != std::string_view::npos;
    };
    if (!std::ranges::all_of(words, has)) continue;
    if (const GpuModel& model = built_in(file); holds(model)) return &model;
  }
  return nullptr;
}

std::string known_ids() { return fmt::format("{}", fmt::join(model_ids(), ", ")); }

}  // namespace

GpuModel parse_gpu_model(std::string_view toml, std::string_view id, std::string_view origin) {
  const toml::table table = parse_table(toml, origin);
  for (const auto& [key, value] : table)
    if (!is_known_key(key.str())) fail(origin, key.str(), "is not a value of a GPU model");
  GpuModel model;
  model.id = id;
  model.name = table["name"].value_or(std::string{});
  if (model.name.empty()) fail(origin, "name", "missing");
  read_code(model, table, origin);
  read_roles(model, table, origin);
  model.reconvergence =
      read_word(table, "reconvergence", ReconvergencePolicy::barriers, kReconvergenceWords, origin);
  model.access_rules = read_word(table, "accesses", AccessRules::sectors, kAccessRules, origin);
  model.predication =
      read_word(table, "predication", std::string_view{}, kPredicationWords, origin);
  if (const toml::table* costs = table["costs"].as_table())
    model.costs = std::make_shared<const InstructionCosts>(read_costs(*costs, origin));
  if (const toml::table* errors = table["cycles_error"].as_table())
    model.cycles_errors = std::make_shared<const CyclesErrors>(read_cycles_errors(*errors, origin));
  for (const Field& field : kFields)
    store(model, field, read_number(table, field.key, field.unit, field.may_be_zero, origin),
          origin);
  if (const toml::table* timing = table["timing"].as_table()) {
    model.timing = std::make_shared<const timing::Constants>(read_timing(*timing, origin));
    model.timing_checked = !timing->contains("like");
  } else if (table.contains("timing")) {
    fail(origin, "timing", "is not a table");
  }
  return model;
}

std::string GpuModel::code_name() const {
  if (!sketches_only()) return std::string(isa::name(arch));
  std::string digits = capability;
  std::erase(digits, '.');
  return "sm_" + digits;
}

const GpuModel& gpu_model(std::string_view id) {
  const auto files = builtin_models();
  const auto file = std::ranges::find(files, id, &BuiltinModel::id);
  if (file == files.end())
    throw std::invalid_argument(fmt::format("no GPU model \"{}\"; there are {}", id, known_ids()));
  return built_in(*file);
}

const GpuModel& default_model(isa::Arch arch) {
  const GpuModel* const model =
      built_in_where({"default", isa::name(arch)},
                     [&](const GpuModel& each) { return each.is_default && each.arch == arch; });
  if (model == nullptr) throw std::logic_error("an architecture without a default model");
  return *model;
}

const GpuModel& reference_model() {
  const GpuModel* const model =
      built_in_where({"reference"}, [](const GpuModel& each) { return each.is_reference; });
  if (model == nullptr) throw std::logic_error("no model is the reference");
  return *model;
}

const GpuModel* accelsim_model(isa::Arch arch) {
  return built_in_where({"accelsim", isa::name(arch)}, [&](const GpuModel& each) {
    return each.replays_traces && each.arch == arch;
  });
}

std::vector<std::string> model_ids() {
  std::vector<std::string> ids;
  for (const BuiltinModel& file : builtin_models()) ids.emplace_back(file.id);
  return ids;
}

std::vector<ModelValue> model_values(std::string_view id) {
  std::vector<ModelValue> values;
  for (const BuiltinModel& file : builtin_models()) {
    if (file.id != id) continue;
    const toml::table table = parse_table(file.toml, file.id);
    const auto add = [&values](std::string key, std::string_view unit, const auto& row) {
      values.push_back({std::move(key), fmt::format("{}", row["value"].value_or(std::int64_t{0})),
                        std::string(unit), row["source"].value_or(std::string{})});
    };
    for (const Field& field : kFields) add(std::string(field.key), field.unit, table[field.key]);
    if (const toml::table* costs = table["costs"].as_table())
      for (const CostClassInfo& each : kCostClasses)
        add(fmt::format("costs.{}", each.key),
            (*costs)[each.key]["unit"].value_or(std::string_view{}), (*costs)[each.key]);
    if (!table.contains("timing")) continue;
    const toml::table& timing = *table["timing"].as_table();
    const auto like = timing["like"].value<std::string>();
    const toml::table other = like ? timing_of(*like, id) : toml::table();
    for (const timing::ConstantInfo& each : timing::kConstants) {
      add(fmt::format("timing.{}", each.name), each.unit,
          timing.contains(each.name) ? timing[each.name] : other[each.name]);
      if (like && !timing.contains(each.name))
        values.back().source = fmt::format("guess: as {}", *like);
    }
  }
  return values;
}

}  // namespace heddle::simulator
