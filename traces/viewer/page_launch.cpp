#include "traces/viewer/page_launch.hpp"

#include <map>
#include <set>

#include "isa/program.hpp"
#include "simulator/base/display_names.hpp"
#include "simulator/record/metrics.hpp"
#include "traces/analysis/advice.hpp"
#include "traces/analysis/listing.hpp"

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
    const bool padding = !instruction || instruction->op == isa::Op::NOP;
    if (!padding || ranges.find(first) == ranges.end()) ranges[first] = i + 1;
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> result;
  for (const auto& [first, end] : ranges)
    if (executed.contains(first)) result.emplace_back(first, end);
  return result;
}

// The metrics that any instruction of the records has, and per instruction their values in that
// order; null where the record lacks one.
Json metric_names(const LaunchRecord& record, const LaunchRecord* hardware) {
  std::set<std::string> used;
  for (const LaunchRecord* each : {&record, hardware})
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

Json metric_row(std::uint32_t pc, const simulator::InstructionRecord& instruction,
                const Json& names) {
  Json values = Json::array();
  for (const Json& metric : names) {
    const auto found = instruction.metrics.find(metric["name"].get<std::string>());
    values.push_back(found == instruction.metrics.end() ? 0 : found->second);
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
      rows.push_back(metric_row(place->second, instruction, names));
  return rows;
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
      patterns.push_back({lanes.first, lanes.second, times});
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

Json dim(const simulator::Dim3& size) { return {size.x, size.y, size.z}; }

}  // namespace

Json launch_json(const simulator::LaunchRequest& request, const LaunchRecord& record,
                 const simulator::LaunchOutcome& outcome, const Recorder& recorder,
                 const LaunchRecord* hardware,
                 const std::function<std::size_t(const std::string&)>& file_number) {
  Json json;
  json["index"] = record.index;
  json["name"] = simulator::demangled(record.kernel);
  json["grid"] = dim(record.grid);
  json["block"] = dim(record.block);
  json["registers"] = record.registers;
  json["sharedBytes"] = record.static_shared_bytes + record.dynamic_shared_bytes;
  json["class"] = record.launch_class;
  json["fault"] = record.fault;
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
        if (!inlined.empty()) row.push_back(functions.number(inlined));
      }
      code.push_back(row);
    }
  json["advice"] = Json::array();
  for (const Advice& advice : advise(request, recorder.watch()))
    json["advice"].push_back({{"title", advice.title}, {"text", advice.text}, {"pc", advice.pc}});
  json["functions"] = functions.json();
  json["code"] = code;
  json["metrics"] = metric_names(record, hardware);
  const Places places = places_of(record, outcome);
  json["model"] = metric_rows(record, json["metrics"], places);
  if (hardware != nullptr) json["hardware"] = metric_rows(*hardware, json["metrics"], places);
  json["paths"] = paths_json(recorder.divergence());
  json["sites"] = sites_json(recorder.divergence());
  const SlotBudget& slots = recorder.divergence().slots();
  json["slots"] = {{"used", slots.used},   {"predicated", slots.predicated},
                   {"split", slots.split}, {"held", slots.held},
                   {"ended", slots.ended}, {"neverStarted", slots.never_started}};
  return json;
}

}  // namespace heddle::traces
