#include "traces/formats/branch_trace.hpp"
#include "simulator/base/json.hpp"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

#include "simulator/base/code_address.hpp"

namespace heddle::traces {
namespace {

BranchCost cost_of(const simulator::Module& module, std::uint32_t index,
                   const simulator::InstructionCounts& counts, const Divergence& divergence) {
  BranchCost cost;
  const std::uint64_t address = simulator::code_address_of_index(index);
  if (const isa::CodeRange* range = module.program().range_at(address)) {
    cost.function = module.cubin().functions[range->function].name;
    cost.pc = address - range->address;
  }
  if (const auto position = module.position(address); position && position->line != 0)
    cost.line = fmt::format("{}:{}", position->file, position->line);
  cost.executed = counts.branch_uniform + counts.branch_divergent;
  cost.divergent = counts.branch_divergent;
  if (const auto site = divergence.sites().find(index); site != divergence.sites().end()) {
    cost.split_instructions = site->second.steps;
    cost.lost_slots = site->second.lost;
  }
  return cost;
}

}  // namespace

std::string BranchTrace::text(std::uint64_t index, const simulator::LaunchRequest& request,
                              const simulator::GpuModel&, const simulator::LaunchOutcome& outcome,
                              const DivergenceWatch& watch) {
  nlohmann::ordered_json line = {{"launch", index}, {"branches", nlohmann::ordered_json::array()}};
  for (const auto& [i, counts] : outcome.counts) {
    if (counts.branch_uniform + counts.branch_divergent == 0) continue;
    const BranchCost cost = cost_of(*request.module, i, counts, watch.divergence());
    simulator::list_at(line, "branches")
        .push_back({{"function", cost.function},
                    {"pc", cost.pc},
                    {"line", cost.line},
                    {"executed", cost.executed},
                    {"divergent", cost.divergent},
                    {"split_instructions", cost.split_instructions},
                    {"lost_slots", cost.lost_slots}});
  }
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::vector<LaunchBranches> read_branches(const std::filesystem::path& file) try {
  std::ifstream stream(file);
  std::vector<LaunchBranches> launches;
  for (std::string text; std::getline(stream, text);) {
    const auto json = nlohmann::json::parse(text);
    LaunchBranches& launch = launches.emplace_back();
    json.at("launch").get_to(launch.launch);
    for (const auto& each : json.at("branches")) {
      BranchCost& cost = launch.branches.emplace_back();
      each.at("function").get_to(cost.function);
      each.at("pc").get_to(cost.pc);
      each.at("line").get_to(cost.line);
      each.at("executed").get_to(cost.executed);
      each.at("divergent").get_to(cost.divergent);
      each.at("split_instructions").get_to(cost.split_instructions);
      each.at("lost_slots").get_to(cost.lost_slots);
    }
  }
  return launches;
} catch (const nlohmann::json::exception& bad) {
  throw std::runtime_error(fmt::format("{}: {}", file.string(), bad.what()));
}

}  // namespace heddle::traces
