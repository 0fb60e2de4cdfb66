#include "gpu/runtime/record_stream.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "isa/arch.hpp"
#include "simulator/metrics.hpp"

namespace heddle::runtime {
namespace {

constexpr std::string_view kSchema = "heddle.record-stream/2";

using Json = nlohmann::ordered_json;

// Names come from files we did not write; what is not UTF-8 in them is replaced.
std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<std::string> names_of(const simulator::MetricValues& values) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values) names.push_back(name);
  return names;
}

bool has_names(const simulator::MetricValues& values, const std::vector<std::string>& names) {
  return std::ranges::equal(values, names, {}, [](const auto& item) { return item.first; });
}

simulator::MetricValues named(const std::vector<std::string>& names, const Json& list) {
  if (!list.is_array() || list.size() != names.size())
    throw std::runtime_error("metrics are not as many as were named");
  simulator::MetricValues values;
  for (std::size_t i = 0; i < names.size(); ++i)
    values.emplace_hint(values.end(), names[i], list[i].get<double>());
  return values;
}

simulator::LaunchRecord read_launch(Json json, const std::vector<std::string>& names,
                                    const std::string& origin) {
  simulator::MetricValues metrics = named(names, json.at("metrics"));
  json["metrics"] = Json::object();
  simulator::LaunchRecord launch = simulator::launch_from_json(json, origin);
  launch.metrics = std::move(metrics);
  return launch;
}

}  // namespace

RecordStreamWriter::RecordStreamWriter(int descriptor, const simulator::GpuModel& model,
                                       RecordStreamOptions options)
    : descriptor_(descriptor), options_(std::move(options)) {
  Json header;
  header["schema"] = kSchema;
  header["process"] = options_.process;
  header["device"] = model.name;
  header["arch"] = isa::name(model.arch);
  header["program"] = options_.program;
  write_line(dump(header));
}

RecordStreamWriter::~RecordStreamWriter() { close(descriptor_); }

void RecordStreamWriter::before(simulator::Device&, const simulator::LaunchRequest&) {}

void RecordStreamWriter::after(simulator::Device& device, const simulator::LaunchRequest& request,
                               const simulator::LaunchOutcome& outcome) {
  const simulator::RecordOptions options{
      .index = launches_++,
      .per_instruction = options_.per_instruction,
      .memory = options_.memory_digests ? &device.memory() : nullptr,
  };
  simulator::LaunchRecord launch = make_launch_record(request, outcome, device.model(), options);
  launch.nesting = std::exchange(nesting_, 0);
  const simulator::MetricValues metrics = std::exchange(launch.metrics, {});
  if (!has_names(metrics, names_)) {
    names_ = names_of(metrics);
    write_line(dump(Json{{"names", names_}}));
  }
  Json json = to_json(launch);
  Json& values = json["metrics"] = Json::array();
  for (const auto& [name, value] : metrics) values.push_back(value);
  write_line(dump(json));
}

void RecordStreamWriter::complete() { write_line(dump(Json{{"complete", true}})); }

void RecordStreamWriter::write_line(std::string line) {
  line += '\n';
  for (std::string_view rest = line; !rest.empty();) {
    const ssize_t written = write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0)
      throw std::system_error(errno, std::generic_category(), "cannot write the record");
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

simulator::Record read_record_stream(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(fmt::format("{}: cannot be read", path.string()));
  simulator::Record record;
  record.source = "model";
  record.complete = false;
  std::string line;
  std::vector<std::string> names;  // of the metrics of the launches that follow
  for (std::uint64_t number = 1; std::getline(file, line); ++number) {
    const bool torn = file.eof();  // the last line, without its end
    const std::string origin = fmt::format("{}:{}", path.string(), number);
    try {
      Json json = Json::parse(line);
      if (number == 1) {
        if (json.at("schema") != kSchema) throw std::runtime_error("not a " + std::string(kSchema));
        json.at("device").get_to(record.device);
        json.at("arch").get_to(record.arch);
        json.at("program").get_to(record.program);
      } else if (json.contains("complete")) {
        json.at("complete").get_to(record.complete);
      } else if (json.contains("names")) {
        json.at("names").get_to(names);
      } else {
        record.launches.push_back(read_launch(std::move(json), names, origin));
      }
    } catch (const std::exception& bad) {
      if (torn && number > 1) break;
      throw std::runtime_error(fmt::format("{}: {}", origin, bad.what()));
    }
  }
  if (record.device.empty()) throw std::runtime_error(fmt::format("{}: is empty", path.string()));
  return record;
}

}  // namespace heddle::runtime
