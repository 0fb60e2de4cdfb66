#include "cli/difference_page.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

#include "cli/difference_text.hpp"
#include "cli/launch_text.hpp"
#include "cli/launch_watch.hpp"
#include "cli/source_files.hpp"
#include "gpu/runtime/capsule.hpp"
#include "simulator/base/file.hpp"
#include "simulator/base/json.hpp"
#include "traces/viewer/page.hpp"
#include "validation/replay.hpp"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Launches whose lanes are shown, and what they may take.
constexpr std::size_t kMostLaunches = 8;
constexpr std::uint64_t kMostSteps = 200'000;
constexpr std::size_t kMostBytes = 10'000'000;

// The launches of one variant that the page shows, by their index; and where each is in the page.
Json lanes_of(const Variant& variant, const std::set<std::uint64_t>& wanted,
              traces::PageParts& parts) {
  traces::Page page({.most_bytes = kMostBytes, .source = [&](const std::string& path) {
                       return source_text(path, variant.source_folders);
                     }});
  std::string device;
  LaunchWatch watch;
  for (std::size_t i = 0; i < variant.capsules.size(); ++i) {
    const std::uint64_t index = validation::launch_index(variant.capsules[i], i);
    if (!wanted.contains(index)) continue;
    runtime::CapsuleLaunch launch(runtime::load_capsule(variant.capsules[i]),
                                  variant.capsules[i].string());
    device = launch.device().model().name;
    traces::Recorder recorder({.max_steps = kMostSteps});
    simulator::LaunchOptions options;
    options.observer = &recorder;
    const simulator::LaunchOutcome outcome = watch.run(launch, index, options);
    page.add(launch.request(),
             simulator::make_launch_record(launch.request(), outcome, launch.device().model(),
                                           {.index = index, .per_instruction = true}),
             outcome, recorder, {});
  }
  return page.data(
      parts, {.device = device, .hardware_device = {}, .baseline = {}, .program = {variant.words}});
}

Json metric_facts() {
  Json json = Json::object();
  for (const simulator::Metric& metric : simulator::metrics())
    json[std::string(metric.name)] = {{"short", short_name(metric)},
                                      {"unit", metric.unit},
                                      {"meaning", metric.meaning},
                                      {"modelled", metric.kind == simulator::MetricKind::modelled}};
  return json;
}

}  // namespace

void check_viewer() {
  if (traces::page_template().empty())
    throw std::runtime_error(
        "this build has no viewer: run scripts/setup.sh, which fetches its build tools, and "
        "build again");
}

void write_difference_page(const Difference& difference, const std::vector<Variant>& variants,
                           const fs::path& html) {
  traces::PageParts parts;
  Json json = difference_json(difference, {});
  json["facts"] = metric_facts();
  json["lanes"] = Json::array();
  for (std::size_t side = 0; side < variants.size(); ++side) {
    std::set<std::uint64_t> wanted;
    for (const KernelDifference& kernel : difference.kernels)
      if (wanted.size() < kMostLaunches) wanted.insert(kernel.sides[side].launches.front());
    simulator::list_at(json, "lanes").push_back(lanes_of(variants[side], wanted, parts));
  }
  const std::string page = traces::filled_page({{"diff", json}}, parts);
  simulator::write_file(html, page);
  constexpr double kMegabyte = 1e6;
  fmt::print(stderr, "heddle: wrote {}, {:.1f} MB\n", html.string(),
             static_cast<double>(page.size()) / kMegabyte);
}

}  // namespace heddle::cli
