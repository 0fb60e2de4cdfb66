#include "traces/viewer/page_launch.hpp"

#include <cstdlib>
#include <map>
#include <set>

#include "isa/attributes.hpp"
#include "isa/program.hpp"
#include "simulator/base/code_address.hpp"
#include "simulator/base/display_names.hpp"
#include "simulator/base/json.hpp"
#include "simulator/record/metrics.hpp"
#include "traces/analysis/advice.hpp"
#include "traces/analysis/listing.hpp"
#include "traces/analysis/stall_advice.hpp"
#include "traces/analysis/variables.hpp"

namespace heddle::traces {
namespace {

using Json = nlohmann::ordered_json;
using simulator::LaunchRecord;

// Numbers names as they come up.
class Names {
 public:
  std::size_t number(const std::string& name) {
    const auto [found, added] = numbers_.try_emplace(name, numbers_.size());
    if (added) json_.push_back(simulator::demangled(name));
    return found->second;
  }
  const Json& json() const { return json_; }

 private:
  std::map<std::string, std::size_t> numbers_;
  Json json_ = Json::array();
};

// Functions of which something was executed, as ranges of instructions [first, end) without the
// padding behind them.
std::vector<std::pair<std::uint32_t, std::uint32_t>> executed_functions(
    const isa::Program& program, const simulator::LaunchOutcome& outcome) {
  std::map<std::uint32_t, std::uint32_t> ranges;  // first: one past the last that is code
  std::set<std::uint32_t> executed;
  std::map<const isa::CodeRange*, std::uint32_t> first_of;
  for (std::uint32_t i = 0; i < program.instructions.size(); ++i) {
    const isa::CodeRange* range = program.range_at(simulator::code_address_of_index(i));
    const std::uint32_t first = first_of.try_emplace(range, i).first->second;
    if (outcome.counts[i].executed != 0) executed.insert(first);
    const auto& instruction = program.instructions[i];
    const bool padding = !instruction || isa::effect(*instruction) == isa::Effect::no_operation;
    if (!padding || ranges.find(first) == ranges.end()) ranges[first] = i + 1;
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> result;
  for (const auto& [first, end] : ranges)
    if (executed.contains(first)) result.emplace_back(first, end);
  return result;
}

// The metrics that any instruction of the records has, and per instruction their values in that
// order; null where the record lacks one.
Json metric_names(const LaunchRecord& record, const Beside& beside) {
  std::set<std::string> used;
  for (const LaunchRecord* each : {&record, beside.hardware, beside.baseline})
    if (each != nullptr)
      for (const auto& instruction : each->instructions)
        for (const auto& [name, value] : instruction.metrics) used.insert(name.text());
  Json names = Json::array();
  for (const simulator::Metric& metric : simulator::metrics())
    if (used.erase(std::string(metric.name)) != 0)
      names.push_back({{"name", metric.name}, {"unit", metric.unit}, {"meaning", metric.meaning}});
  for (const std::string& name : used)
    names.push_back({{"name", name}, {"unit", ""}, {"meaning", ""}});
  return names;
}

Json metric_row(std::uint32_t pc, const simulator::MetricValues& metrics, const Json& names) {
  Json values = Json::array();
  for (const Json& metric : names) {
    const auto found = metrics.find(metric["name"].get<std::string>());
    values.push_back(found == metrics.end() ? 0 : found->second);
  }
  return {pc, values};
}

// A record names an instruction by its function and offset, the page by its place in the program.
using Places = std::map<std::pair<std::string, std::uint64_t>, std::uint32_t>;

// The record lists what was executed, in the program's order.
Places places_of(const LaunchRecord& record, const simulator::LaunchOutcome& outcome) {
  Places places;
  auto counted = outcome.counts.begin();
  for (const auto& instruction : record.instructions)
    places[{instruction.function, instruction.pc}] = (counted++)->pc;
  return places;
}

Json metric_rows(const LaunchRecord& record, const Json& names, const Places& places) {
  Json rows = Json::array();
  for (const auto& instruction : record.instructions)
    if (const auto place = places.find({instruction.function, instruction.pc});
        place != places.end())
      rows.push_back(metric_row(place->second, instruction.metrics, names));
  return rows;
}

// Of other code only lines can be compared: each stands at its first instruction here.
Json line_rows(const LaunchRecord& record, const Beside& beside, const Json& names,
               const Places& places) {
  Json rows = Json::array();
  std::set<std::pair<std::string, unsigned>> done;
  for (const auto& instruction : record.instructions) {
    const std::size_t colon = instruction.line.rfind(':');
    if (colon == std::string::npos) continue;
    const std::pair line(
        instruction.line.substr(0, colon),
        static_cast<unsigned>(std::strtoul(&instruction.line[colon + 1], nullptr, 10)));
    const auto values = beside.baseline_lines.find(line);
    if (values != beside.baseline_lines.end() && done.insert(line).second)
      rows.push_back(
          metric_row(places.at({instruction.function, instruction.pc}), values->second, names));
  }
  return rows;
}

Json baseline_json(const LaunchRecord& record, const Beside& beside, const Json& names,
                   const Places& places) {
  const bool same_code = beside.baseline->code_sha256 == record.code_sha256;
  return {{"meaning", beside.meaning},
          {"sameCode", same_code},
          {"rows", same_code ? metric_rows(*beside.baseline, names, places)
                             : line_rows(record, beside, names, places)}};
}

Json paths_json(const Divergence& divergence) {
  Json json = Json::array();
  for (const Path& path : divergence.paths())
    json.push_back(
        {path.parent, path.branch, path.target, path.entered, path.steps, path.threads, path.lost});
  return json;
}

Json sites_json(const Divergence& divergence) {
  Json json = Json::array();
  for (const auto& [branch, site] : divergence.sites()) {
    Json met = Json::array(), patterns = Json::array();
    for (const auto& [pc, times] : site.met) met.push_back({pc, times});
    for (const auto& [lanes, times] : site.patterns)
      patterns.push_back({lanes.first.bits(), lanes.second.bits(), times});
    json.push_back({{"branch", branch},
                    {"splits", site.splits},
                    {"again", site.again},
                    {"lost", site.lost},
                    {"steps", site.steps},
                    {"met", met},
                    {"patterns", patterns},
                    {"otherPatterns", site.other_patterns}});
  }
  return json;
}

Json place_json(const Variables& variables, const isa::Variable& variable,
                const isa::VariablePlace& place) {
  if (place.bank0) return {std::to_string(variables.parameter(variable))};
  Json parts = Json::array();
  for (std::uint32_t i = 0; i < place.part_count; ++i) {
    const isa::RegisterPart& part = place.parts[i];
    parts.push_back({part.number, part.is_uniform, part.shift, part.bits});
  }
  return parts;
}

// Where a variable is, in runs of instructions: first pc, one past the last, place.
Json runs_json(const Variables& variables, const isa::Variable& variable, Listing& listing,
               std::uint32_t first, std::uint32_t end) {
  Json runs = Json::array();
  std::optional<isa::VariablePlace> last;
  for (std::uint32_t pc = first; pc < end; ++pc) {
    const Listing::Line& line = listing.at(pc);
    const auto place = variables.table().place(line.function, variable, line.offset);
    if (place && place == last)
      runs.back()[1] = pc + 1;
    else if (place)
      runs.push_back({pc, pc + 1, place_json(variables, variable, *place)});
    last = place;
  }
  return runs;
}

// Those of an inner scope stand behind those of the outer.
Json variables_json(const simulator::LaunchRequest& request, Listing& listing,
                    const isa::Program& program, const simulator::LaunchOutcome& outcome,
                    Names& functions) {
  constexpr std::string_view kKinds[] = {"integer", "natural",   "floating",
                                         "boolean", "character", "pointer"};
  const Variables variables(request);
  Json json = Json::array();
  for (const auto& [first, end] : executed_functions(program, outcome)) {
    const std::string function = listing.at(first).function;
    for (const isa::Variable& variable : variables.table().of(function)) {
      const Json runs = runs_json(variables, variable, listing, first, end);
      if (runs.empty()) continue;
      json.push_back({{"fn", functions.number(function)},
                      {"name", variable.name},
                      {"type", variable.type.name},
                      {"kind", kKinds[static_cast<std::size_t>(variable.type.kind)]},
                      {"bytes", variable.type.bytes},
                      {"runs", runs}});
    }
  }
  return json;
}

Json dim(const simulator::Dim3& size) { return {size.x, size.y, size.z}; }

}  // namespace

Json launch_json(const simulator::LaunchRequest& request, const LaunchRecord& record,
                 const simulator::LaunchOutcome& outcome, const Recorder& recorder,
                 const Beside& beside,
                 const std::function<std::size_t(const std::string&)>& file_number) {
  Json json = Json::object();
  json["index"] = record.index;
  json["name"] = simulator::demangled(record.kernel);
  json["grid"] = dim(record.grid);
  json["block"] = dim(record.block);
  json["registers"] = record.registers;
  json["sharedBytes"] = record.static_shared_bytes + record.dynamic_shared_bytes;
  json["class"] = record.launch_class;
  json["fault"] = record.fault;
  if (const auto cycles = record.metrics.find("sm__cycles_elapsed.max");
      cycles != record.metrics.end())
    json["cycles"] = cycles->second;
  json["steps"] = recorder.divergence().steps();
  json["recorded"] = recorder.recorded();

  Names functions;
  Json code = Json::array();
  Listing listing(*request.module);
  const isa::Program& program = request.module->program();
  for (const auto& [first, end] : executed_functions(program, outcome))
    for (std::uint32_t pc = first; pc < end; ++pc) {
      const Listing::Line& line = listing.at(pc);
      const auto position = request.module->position(simulator::code_address_of_index(pc));
      const std::string inlined = position ? position->inlined_function : std::string();
      Json row = {pc, line.offset, functions.number(line.function), line.text};
      if (!line.file.empty() && line.line != 0) {
        row.push_back(file_number(line.file));
        row.push_back(line.line);
        if (!inlined.empty() || !line.calls.empty())
          row.push_back(inlined.empty() ? Json(-1) : Json(functions.number(inlined)));
        for (const Listing::Line::Call& call : line.calls) {
          row.push_back(file_number(call.file));
          row.push_back(call.line);
        }
      }
      code.push_back(row);
    }
  json["advice"] = Json::array();
  std::vector<Advice> all_advice = advise(request, recorder.watch());
  for (Advice& advice : stall_advice(request, outcome.timing, listing))
    all_advice.push_back(std::move(advice));
  for (const Advice& advice : all_advice)
    simulator::list_at(json, "advice")
        .push_back({{"title", advice.title}, {"text", advice.text}, {"pc", advice.pc}});
  json["variables"] = variables_json(request, listing, program, outcome, functions);
  json["functions"] = functions.json();
  json["code"] = code;
  json["metrics"] = metric_names(record, beside);
  const Places places = places_of(record, outcome);
  json["model"] = metric_rows(record, json["metrics"], places);
  if (beside.hardware != nullptr)
    json["hardware"] = metric_rows(*beside.hardware, json["metrics"], places);
  if (beside.baseline != nullptr)
    json["baseline"] = baseline_json(record, beside, json["metrics"], places);
  json["paths"] = paths_json(recorder.divergence());
  json["sites"] = sites_json(recorder.divergence());
  const SlotBudget& slots = recorder.divergence().slots();
  json["slots"] = {{"used", slots.used},   {"predicated", slots.predicated},
                   {"split", slots.split}, {"held", slots.held},
                   {"ended", slots.ended}, {"neverStarted", slots.never_started}};
  return json;
}

}  // namespace heddle::traces
