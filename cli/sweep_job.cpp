#include "cli/sweep_job.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/child.hpp"
#include "cli/record_text.hpp"
#include "cli/temporary_folder.hpp"
#include "cli/text.hpp"
#include "cli/variant.hpp"
#include "simulator/base/file.hpp"
#include "simulator/base/json.hpp"
#include "simulator/base/sha256.hpp"
#include "simulator/models/occupancy.hpp"
#include "simulator/record/metrics.hpp"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using simulator::LaunchRecord;
using simulator::MetricValues;

constexpr const char* kSchema = "heddle.sweep-job/1";
constexpr std::uint64_t kMostInput = std::uint64_t{1} << 30;

void add(MetricValues& sums, const MetricValues& more) {
  for (const auto& [name, value] : more) {
    const simulator::Metric* metric = simulator::find_metric(name.text());
    if (metric != nullptr && !metric->per.empty()) continue;  // made of the others
    double& sum = sums[name];
    sum = metric != nullptr && !metric->is_sum() ? std::max(sum, value) : sum + value;
  }
}

std::optional<double> value(const MetricValues& values, const char* name) {
  return simulator::value_of(values, *simulator::find_metric(name));
}

// "~62 % of warps' cycles: long_scoreboard"
std::string stall_text(const LaunchRecord& launch) {
  constexpr std::string_view kBegin = "smsp__average_warps_issue_stalled_",
                             kEnd = "_per_issue_active.ratio";
  double all = 0, most = 0;
  std::string reason;
  for (const auto& [name, value] : launch.metrics) {
    const std::string& text = name.text();
    if (!text.starts_with(kBegin) || !text.ends_with(kEnd)) continue;
    all += value;
    const std::string each = text.substr(kBegin.size(), text.size() - kBegin.size() - kEnd.size());
    if (each == "selected" || value <= most) continue;
    most = value;
    reason = each;
  }
  return all == 0 || most == 0 ? "" : fmt::format("~{:.0f} % {}", 100 * most / all, reason);
}

// What is far from what it could be, costliest kinds first.
std::string limit_of(const LaunchRecord& launch, const simulator::GpuModel& gpu) {
  constexpr double kLow = 50, kMany = 0.2;
  std::vector<std::string> parts;
  if (std::string stall = stall_text(launch); !stall.empty()) parts.push_back(std::move(stall));
  const auto share = [&](const char* metric, double below, const char* what) {
    const auto found = value(launch.metrics, metric);
    if (found && *found < below) parts.push_back(fmt::format("{} {:.0f} %", what, *found));
  };
  share("gld_efficiency", kLow, "load efficiency");
  share("gst_efficiency", kLow, "store efficiency");
  const auto wavefronts = value(launch.metrics, "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared");
  const auto ideal = value(launch.metrics, "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal");
  if (wavefronts && ideal && *wavefronts - *ideal > kMany * *wavefronts)
    parts.push_back(fmt::format("bank conflicts: {:.1f} passes for 1", *wavefronts / *ideal));
  constexpr double kBranches = 90, kLanes = 80;
  share("branch_efficiency", kBranches, "branch efficiency");
  share("warp_execution_efficiency", kLanes, "lanes");
  const auto occupancy = simulator::occupancy(
      gpu, {.threads_per_block = static_cast<std::uint32_t>(launch.block.count()),
            .registers_per_thread = launch.registers,
            .shared_bytes_per_block = launch.static_shared_bytes + launch.dynamic_shared_bytes,
            .preferred_carveout = launch.preferred_carveout});
  if (occupancy.fraction < 1)
    parts.push_back(fmt::format("occupancy {:.0f} % by {}", 100 * occupancy.fraction,
                                fmt::join(occupancy.limited_by, " and ")));
  constexpr std::size_t kMost = 3;
  if (parts.size() > kMost) parts.resize(kMost);
  return fmt::format("{}", fmt::join(parts, ", "));
}

Json dim(const simulator::Dim3& size) { return {size.x, size.y, size.z}; }
simulator::Dim3 dim(const Json& json) { return {json.at(0), json.at(1), json.at(2)}; }

Json to_json(const Job& job, const JobResult& result) {
  Json kernels = Json::array();
  for (const KernelResult& each : result.kernels) {
    Json metrics = Json::object();
    for (const auto& [name, number] : each.metrics) metrics[name.text()] = number;
    kernels.push_back({{"kernel", each.kernel},
                       {"launches", each.launches},
                       {"grid", dim(each.grid)},
                       {"block", dim(each.block)},
                       {"limit", each.limit},
                       {"metrics", metrics}});
  }
  return {{"schema", kSchema},
          {"words", job.words},
          {"status", result.status},
          {"said", result.said},
          {"kernels", kernels}};
}

JobResult from_json(const Json& json) {
  JobResult result;
  result.status = json.at("status");
  result.said = json.at("said");
  for (const Json& each : json.at("kernels")) {
    KernelResult kernel{
        each.at("kernel"), each.at("launches"), dim(each.at("grid")), dim(each.at("block")), {},
        each.at("limit")};
    for (const auto& [name, number] : each.at("metrics").items())
      kernel.metrics[simulator::MetricName(name)] = number;
    result.kernels.push_back(std::move(kernel));
  }
  return result;
}

}  // namespace

std::vector<KernelResult> summed(const simulator::Record& record) {
  std::vector<KernelResult> kernels;
  for (const LaunchRecord& launch : record.launches) {
    const std::string name = display_name(launch.kernel);
    auto found = std::ranges::find(kernels, name, &KernelResult::kernel);
    if (found == kernels.end())
      found = kernels.insert(found, {name, 0, launch.grid, launch.block, {}, {}});
    if (found->launches == 0) found->limit = limit_of(launch, gpu_of(record));
    ++found->launches;
    add(found->metrics, launch.metrics);
  }
  for (KernelResult& each : kernels) simulator::complete(each.metrics);
  return kernels;
}

JobResult run_job(const Job& job, const std::vector<std::string>& options) {
  const TemporaryFolder folder;
  const fs::path record = folder.path() / "record.json", said = folder.path() / "said";
  std::vector<std::string> command = {own_executable().string(), "run", "--quiet", "--record",
                                      record.string()};
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(), job.words.begin(), job.words.end());
  const ChildResult child = run_child(command, {}, std::nullopt, {"/dev/null", said});
  JobResult result;
  result.status = child.status;
  result.interrupted = child.interrupted;
  if (fs::exists(record)) result.kernels = summed(simulator::read_record(record));
  if (result.failed()) result.said = tail(said);
  return result;
}

JobStore::JobStore(fs::path folder, std::vector<std::string> options)
    : folder_(std::move(folder)), options_(std::move(options)) {
  fs::create_directories(folder_);
}

fs::path JobStore::file_of(const Job& job) const {
  simulator::Sha256 digest;
  const auto update = [&](const std::string& text) {
    digest.update(std::as_bytes(std::span(text.data(), text.size() + 1)));
  };
  for (const auto* words : {&options_, &job.words})
    for (const std::string& word : *words) {
      update(word);
      std::error_code none;
      if (fs::is_regular_file(word, none)) update(simulator::read_file(word, kMostInput));
    }
  constexpr std::size_t kDigits = 24;
  return folder_ / (digest.hex().substr(0, kDigits) + ".json");
}

std::optional<JobResult> JobStore::find(const Job& job) const {
  const fs::path file = file_of(job);
  if (!fs::exists(file)) return std::nullopt;
  try {
    const Json json = Json::parse(simulator::read_file(file, kMostInput));
    if (json.at("schema") != kSchema || json.at("words") != Json(job.words)) return std::nullopt;
    return from_json(json);
  } catch (const Json::exception&) {
    throw std::runtime_error(fmt::format(
        "{}: is not a result of heddle sweep; delete it to repeat its run", file.string()));
  }
}

void JobStore::keep(const Job& job, const std::string& text) const {
  simulator::write_file(file_of(job), text);
}

std::string job_text(const Job& job, const JobResult& result) {
  return to_json(job, result).dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

JobResult job_result(const std::string& text) { return from_json(Json::parse(text)); }

}  // namespace heddle::cli
