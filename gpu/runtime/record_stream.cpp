#include "gpu/runtime/record_stream.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "isa/arch.hpp"
#include "simulator/base/json.hpp"
#include "simulator/device/device.hpp"
#include "simulator/record/metrics.hpp"

namespace heddle::runtime {
namespace {

constexpr std::string_view kSchema = "heddle.record-stream/3";
// Between two lines about a launch that executes. Shorter launches have none.
constexpr std::chrono::milliseconds kBetweenLines{100};

using Json = nlohmann::ordered_json;

// Names come from files we did not write; what is not UTF-8 in them is replaced.
std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

using Names = std::vector<simulator::MetricName>;

Names names_of(const simulator::MetricValues& values) {
  Names names;
  for (const auto& [name, value] : values) names.push_back(name);
  return names;
}

bool has_names(const simulator::MetricValues& values, const Names& names) {
  return std::ranges::equal(values, names, {}, [](const auto& item) { return item.first; });
}

simulator::MetricValues named(const Names& names, const Json& list) {
  if (!list.is_array() || list.size() != names.size())
    throw std::runtime_error("the number of metrics is not that of the names");
  simulator::MetricValues values;
  values.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    values.emplace_hint(values.end(), names[i], list[i].get<double>());
  return values;
}

bool are_equal(const simulator::LaunchCounts& counts, const simulator::LaunchCounts& others) {
  using simulator::InstructionCounts;
  static_assert(std::has_unique_object_representations_v<InstructionCounts>);
  return std::ranges::equal(counts, others, [](const auto& one, const auto& other) {
    return one.pc == other.pc &&
           std::memcmp(&one.counts, &other.counts, sizeof(InstructionCounts)) == 0;
  });
}

bool are_equal(const simulator::LaunchClass& one, const simulator::LaunchClass& other) {
  const auto& [because, races] = one;
  return because == other.order_dependent_because && races == other.races;
}

simulator::LaunchRecord read_launch(Json json, const Names& names, const std::string& origin) {
  simulator::MetricValues metrics = named(names, json.at("metrics"));
  json["metrics"] = Json::object();
  simulator::LaunchRecord launch = simulator::launch_from_json(json, origin);
  launch.metrics = std::move(metrics);
  return launch;
}

}  // namespace

RecordStreamWriter::RecordStreamWriter(std::unique_ptr<simulator::StreamFile> file,
                                       const simulator::GpuModel& model,
                                       RecordStreamOptions options)
    : file_(std::move(file)), options_(std::move(options)) {
  Json header = Json::object();
  header["schema"] = kSchema;
  header["process"] = options_.process;
  header["device"] = model.name;
  header["arch"] = isa::name(model.arch);
  header["program"] = options_.program;
  write_line(dump(header));
}

void RecordStreamWriter::before(simulator::Device&, const simulator::LaunchRequest& request) {
  kernel_ = request.kernel->name;
  begun_ = options_.now();
  due_ = begun_ + kBetweenLines;
}

bool RecordStreamWriter::during(const simulator::LaunchProgress& progress) {
  const auto now = options_.now();
  if (now < due_) return true;
  due_ = now + kBetweenLines;
  write_line(dump(Json{{"running",
                        {{"index", launches_},
                         {"kernel", kernel_},
                         {"blocks_ended", progress.blocks_ended},
                         {"blocks", progress.blocks}}}}));
  return true;
}

void RecordStreamWriter::after(simulator::Device& device, const simulator::LaunchRequest& request,
                               const simulator::LaunchOutcome& outcome) {
  const double seconds = std::chrono::duration<double>(options_.now() - begun_).count();
  const std::uint64_t index = launches_++;
  std::optional<Told> told;
  if (may_be_told_again(outcome)) {
    told = {request, outcome, nesting_, device.place().ordinal};
    told->request.parameters = {};
    const auto same = std::ranges::find_if(
        told_, [&](const auto& each) { return each && say_the_same(*each, *told); });
    if (same != told_.end()) {
      nesting_ = 0;
      return write_again(index, seconds, static_cast<std::size_t>(same - told_.begin()));
    }
  }
  const simulator::RecordOptions options{
      .index = index,
      .per_instruction = options_.per_instruction,
      .memory = options_.memory_digests ? &device.memory() : nullptr,
  };
  simulator::LaunchRecord launch = make_launch_record(request, outcome, device.model(), options);
  launch.nesting = std::exchange(nesting_, 0);
  launch.gpu = device.place().ordinal;
  const simulator::MetricValues metrics = std::exchange(launch.metrics, {});
  if (!has_names(metrics, names_)) {
    names_ = names_of(metrics);
    Json names = Json::array();
    for (const simulator::MetricName& name : names_) names.push_back(name.text());
    write_line(dump(Json{{"names", names}}));
    recent_.fill({});
    told_.fill({});
  }
  Json json = to_json(launch);
  Json& values = json["metrics"] = Json::array();
  for (const auto& [name, value] : metrics) values.push_back(value);
  const std::string line = dump(json);
  // Behind {"index":…
  const std::size_t place = write_launch(index, seconds, line.substr(line.find(',')));
  if (told) told_[place] = std::move(told);
}

// Of launches that leave much behind, the next one seldom says the same, and comparing takes long.
bool RecordStreamWriter::may_be_told_again(const simulator::LaunchOutcome& outcome) const {
  constexpr std::size_t kMostInstructions = 512;
  return !options_.memory_digests && !outcome.fault && !outcome.timing && !outcome.unpatched &&
         outcome.findings.empty() && outcome.counts.size() <= kMostInstructions;
}

// Each member is named, so that this does not compile when there is another one.
bool RecordStreamWriter::say_the_same(const Told& told, const Told& other) {
  const auto& [module, kernel, grid, block, cluster, explicit_cluster, dynamic_shared, cooperative,
               carveout, parameters] = told.request;
  const simulator::LaunchRequest& request = other.request;
  if (module != request.module || kernel != request.kernel || grid != request.grid ||
      block != request.block || cluster != request.cluster ||
      explicit_cluster != request.explicit_cluster ||
      dynamic_shared != request.dynamic_shared_bytes || cooperative != request.cooperative ||
      carveout != request.preferred_carveout || told.nesting != other.nesting ||
      told.gpu != other.gpu)
    return false;
  const auto& [counts, counts_own_code, unpatched, warps, fault, launch_class, unmodelled,
               counters_incomplete, random_schedule, threads_note, timing, findings, calls_lost] =
      told.outcome;
  const simulator::LaunchOutcome& outcome = other.outcome;
  return are_equal(counts, outcome.counts) && counts_own_code == outcome.counts_own_code &&
         warps == outcome.warps && are_equal(launch_class, outcome.launch_class) &&
         unmodelled == outcome.unmodelled && counters_incomplete == outcome.counters_incomplete &&
         random_schedule == outcome.random_schedule && threads_note == outcome.threads_note &&
         calls_lost == outcome.printed_calls_lost;
}

void RecordStreamWriter::unloading(const simulator::Module& module) {
  for (std::optional<Told>& each : told_)
    if (each && each->request.module == &module) each.reset();
}

void RecordStreamWriter::write_again(std::uint64_t index, double seconds, std::size_t place) {
  write_line(fmt::format(R"({{"index":{},"seconds":{:.9f},"as":{}}})", index, seconds, place));
}

std::size_t RecordStreamWriter::write_launch(std::uint64_t index, double seconds,
                                             std::string body) {
  const auto same = std::ranges::find(recent_, body);
  if (same != recent_.end()) {
    const auto place = static_cast<std::size_t>(same - recent_.begin());
    write_again(index, seconds, place);
    return place;
  }
  write_line(fmt::format(R"({{"index":{},"seconds":{:.9f})", index, seconds) + body);
  const std::size_t place = in_full_++ % kRecentLaunches;
  recent_[place] = std::move(body);
  told_[place].reset();
  return place;
}

void RecordStreamWriter::library_call(LibraryCall call) {
  call.before = launches_;
  write_line(dump(Json{{"library_call", to_json(call)}}));
}

nlohmann::ordered_json to_json(const LibraryCall& call) {
  return {{"before", call.before},
          {"name", call.name},
          {"type", call.type},
          {"shape", call.shape},
          {"computed", "on the host"}};
}

void RecordStreamWriter::complete() { write_line(dump(Json{{"complete", true}})); }

void RecordStreamWriter::write_line(std::string_view line) {
  file_->write(line);
  file_->write("\n");
  file_->flush();
  file_->check();
}

RecordStreamReader::RecordStreamReader(const std::filesystem::path& path)
    : path_(path.string()), file_(path, std::ios::binary) {
  if (!file_) throw std::runtime_error(fmt::format("{}: cannot be read", path_));
  record_.source = "model";
  record_.complete = false;
}

bool RecordStreamReader::read_on(const OnLaunch& on_launch) {
  file_.clear();  // there may be more behind what was the end
  bool any = false;
  for (std::string line; std::getline(file_, line);) {
    rest_ += line;
    if (file_.eof()) break;  // without its end
    const auto launch = take(std::exchange(rest_, {}));
    if (launch && on_launch) on_launch(record_.launches.back(), launch->place, launch->again);
    any = true;
  }
  return any;
}

std::optional<RecordStreamReader::Taken> RecordStreamReader::take(const std::string& line) {
  const std::string origin = fmt::format("{}:{}", path_, ++lines_);
  try {
    Json json = Json::parse(line);
    if (lines_ == 1) {
      if (json.at("schema") != kSchema) throw std::runtime_error("not a " + std::string(kSchema));
      json.at("device").get_to(record_.device);
      json.at("arch").get_to(record_.arch);
      json.at("program").get_to(record_.program);
    } else if (json.contains("complete")) {
      json.at("complete").get_to(record_.complete);
    } else if (json.contains("running")) {
      const Json& running = json.at("running");
      running_ = {running.at("index").get<std::uint64_t>(), running.at("kernel").get<std::string>(),
                  running.at("blocks_ended").get<std::uint64_t>(),
                  running.at("blocks").get<std::uint64_t>()};
    } else if (json.contains("library_call")) {
      const Json& call = json.at("library_call");
      library_calls_.push_back(
          {call.at("before").get<std::uint64_t>(), call.at("name").get<std::string>(),
           call.at("type").get<std::string>(), call.at("shape").get<std::string>()});
    } else if (json.contains("names")) {
      names_.clear();
      for (const auto& name : json.at("names")) names_.emplace_back(name.get<std::string>());
    } else if (json.contains("as")) {
      const auto place = json.at("as").get<std::size_t>();
      if (place >= std::min<std::uint64_t>(in_full_, kRecentLaunches))
        throw std::runtime_error("no launch had that place");
      running_.reset();
      seconds_.push_back(json.value("seconds", 0.0));
      record_.launches.push_back(simulator::LaunchRecord(record_.launches[recent_[place]]));
      json.at("index").get_to(record_.launches.back().index);
      return Taken{place, true};
    } else {
      running_.reset();
      const std::size_t place = in_full_++ % kRecentLaunches;
      recent_[place] = record_.launches.size();
      seconds_.push_back(json.value("seconds", 0.0));
      record_.launches.push_back(read_launch(std::move(json), names_, origin));
      return Taken{place, false};
    }
    return std::nullopt;
  } catch (const std::exception& bad) {
    throw std::runtime_error(fmt::format("{}: {}", origin, bad.what()));
  }
}

simulator::Record read_record_stream(const std::filesystem::path& path) {
  RecordStreamReader reader(path);
  reader.read_on();
  if (reader.record().device.empty())
    throw std::runtime_error(fmt::format("{}: is empty", path.string()));
  return std::move(reader.record());
}

}  // namespace heddle::runtime
