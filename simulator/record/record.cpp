#include "simulator/record/record.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>

#include "simulator/base/file.hpp"
#include "simulator/base/json.hpp"
#include "simulator/record/record_json.hpp"

namespace heddle::simulator {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "heddle.record/1";
constexpr std::uint64_t kMaxFile = std::uint64_t{16} << 30;
constexpr int kMaxDepth = 16;
constexpr double kExactIntegers = 9007199254740992.0;  // 2^53

// Whole numbers are written as such: 240, not 240.0.
Json number(double value) {
  if (std::nearbyint(value) == value && std::abs(value) <= kExactIntegers)
    return static_cast<std::int64_t>(value);
  return value;
}

Json values_to_json(const MetricValues& values) {
  Json json = Json::object();
  // Not by json[name], which looks for the name among those that are there.
  auto& members = json.get_ref<Json::object_t&>();
  for (const auto& [name, value] : values) members.emplace_back(name.text(), number(value));
  return json;
}

Json dim_to_json(const Dim3& dim) { return Json::array({dim.x, dim.y, dim.z}); }

void put_text(Json& json, const char* key, const std::string& text) {
  if (!text.empty()) json[key] = text;
}

void put_list(Json& json, const char* key, const std::vector<std::string>& list) {
  if (!list.empty()) json[key] = list;
}

Json to_json(const InstructionRecord& instruction) {
  Json json = Json::object();
  json["function"] = instruction.function;
  json["pc"] = instruction.pc;
  put_text(json, "line", instruction.line);
  put_text(json, "inlined", instruction.inlined);
  put_text(json, "text", instruction.text);
  json["metrics"] = values_to_json(instruction.metrics);
  return json;
}

Json to_json(const checks::Side& side) {
  Json json = Json::object();
  json["what"] = side.what;
  json["block"] = dim_to_json(side.block);
  json["warp"] = side.warp;
  json["lanes"] = side.lanes.bits();
  json["thread"] = dim_to_json(side.thread);
  json["function"] = side.function;
  json["pc"] = side.pc;
  put_text(json, "line", side.line);
  put_text(json, "text", side.text);
  if (!side.calls.empty()) json["calls"] = side.calls;
  return json;
}

Json to_json(const checks::Finding& finding) {
  Json json = Json::object();
  json["check"] = finding.check;
  json["kind"] = finding.kind;
  json["message"] = finding.message;
  json["times"] = finding.times;
  if (finding.address != 0) json["address"] = finding.address;
  for (const checks::Side& side : finding.sides) list_at(json, "sides").push_back(to_json(side));
  put_text(json, "details", finding.details);
  return json;
}

Json to_json(const MemoryRecord& memory) {
  Json json = Json::object();
  if (memory.symbol.empty())
    json["allocation"] = memory.allocation;
  else
    json["symbol"] = memory.symbol;
  json["bytes"] = memory.bytes;
  json["sha256"] = memory.sha256;
  return json;
}

// One JSON object with the name of where it stands, for messages.
class Reader {
 public:
  Reader(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
    if (!json.is_object()) fail("is not an object");
  }

  std::string text(const char* key) const {
    return read<std::string>(key, need(key), &Json::is_string, "a text");
  }
  std::string text_or_empty(const char* key) const { return json_.contains(key) ? text(key) : ""; }

  template <typename T>
  T whole(const char* key) const {
    return whole_value<T>(key, need(key));
  }
  template <typename T>
  std::optional<T> whole_if(const char* key) const {
    if (!json_.contains(key)) return std::nullopt;
    return whole<T>(key);
  }

  bool flag_or(const char* key, bool otherwise) const {
    if (!json_.contains(key)) return otherwise;
    return read<bool>(key, json_[key], &Json::is_boolean, "true or false");
  }

  std::vector<std::string> texts(const char* key) const {
    std::vector<std::string> result;
    for (const Json& item : list_if(key))
      result.push_back(read<std::string>(key, item, &Json::is_string, "a list of texts"));
    return result;
  }

  Dim3 dim(const char* key) const {
    const Json& json = need(key);
    if (!json.is_array() || json.size() != 3) fail(fmt::format("{} is not three numbers", key));
    return {whole_value<std::uint32_t>(key, json[0]), whole_value<std::uint32_t>(key, json[1]),
            whole_value<std::uint32_t>(key, json[2])};
  }

  MetricValues metrics(const char* key = "metrics") const {
    const Json& json = need(key);
    if (!json.is_object()) fail(fmt::format("{} is not an object", key));
    MetricValues values;
    for (const auto& [name, value] : json.items()) {
      if (!value.is_number() || !std::isfinite(value.get<double>()))
        fail(fmt::format("{}: {} is not a number", key, name));
      values[name] = value.get<double>();
    }
    return values;
  }

  MetricSamples samples(const char* key) const {
    const auto found = json_.find(key);
    MetricSamples samples;
    if (found == json_.end()) return samples;
    if (!found->is_object()) fail(fmt::format("{} is not an object", key));
    for (const auto& [name, list] : found->items()) {
      if (!list.is_array()) fail(fmt::format("{}: {} is not a list", key, name));
      for (const Json& value : list)
        samples[name].push_back(read<double>(name.c_str(), value, &Json::is_number, "numbers"));
    }
    return samples;
  }

  // Calls `read` with a reader for each object of a list that may be absent.
  template <typename Read>
  void each(const char* key, Read read) const {
    std::size_t i = 0;
    for (const Json& item : list_if(key))
      read(Reader(item, fmt::format("{}: {}[{}]", where_, key, i++)));
  }

  std::optional<Reader> object_if(const char* key) const {
    if (!json_.contains(key)) return std::nullopt;
    return Reader(json_[key], fmt::format("{}: {}", where_, key));
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw std::runtime_error(fmt::format("{}: {}", where_, what));
  }

 private:
  const Json& need(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) fail(fmt::format("{} is missing", key));
    return *found;
  }

  const Json& list_if(const char* key) const {
    static const Json empty = Json::array();
    const auto found = json_.find(key);
    if (found == json_.end()) return empty;
    if (!found->is_array()) fail(fmt::format("{} is not a list", key));
    return *found;
  }

  template <typename T>
  T read(const char* key, const Json& json, bool (Json::*is)() const noexcept,
         const char* kind) const {
    if (!(json.*is)()) fail(fmt::format("{} is not {}", key, kind));
    return json.get<T>();
  }

  template <typename T>
  T whole_value(const char* key, const Json& json) const {
    if (!json.is_number_integer() || json.get<double>() < 0 ||
        json.get<double>() > static_cast<double>(std::numeric_limits<T>::max()))
      fail(fmt::format("{} is not a whole number in its range", key));
    return json.get<T>();
  }

  const Json& json_;
  std::string where_;
};

// The metric that CUPTI's count of samples is; nothing for the samples of cycles in which no warp
// issued, which the others contain.
std::optional<std::string> sample_metric(std::string name) {
  if (name.ends_with("_not_issued")) return std::nullopt;
  for (const auto& [theirs, ours] :
       {std::pair{"no_instructions", "no_instruction"}, {"warpgroup_arrive", "gmma"}})
    if (name.ends_with(theirs)) name.replace(name.size() - std::strlen(theirs), name.npos, ours);
  return name + ".sum";
}

// Samples become metrics of the instructions.
void read_samples(const Reader& sampled, LaunchRecord& launch) {
  std::map<std::pair<std::string, std::uint64_t>, std::size_t> known;
  for (std::size_t i = 0; i < launch.instructions.size(); ++i)
    known[{launch.instructions[i].function, launch.instructions[i].pc}] = i;
  sampled.each("instructions", [&](const Reader& item) {
    const std::pair key(item.text("function"), item.whole<std::uint64_t>("pc"));
    const auto [at, is_new] = known.try_emplace(key, launch.instructions.size());
    if (is_new) launch.instructions.push_back({key.first, key.second, {}, {}, {}, {}});
    for (const auto& [name, count] : item.metrics("stalls"))
      if (const auto metric = sample_metric(name))
        launch.instructions[at->second].metrics[*metric] += count;
  });
}

checks::Finding read_finding(const Reader& reader) {
  checks::Finding finding;
  finding.check = reader.text("check");
  finding.kind = reader.text("kind");
  finding.message = reader.text("message");
  finding.times = reader.whole<std::uint64_t>("times");
  finding.address = reader.whole_if<std::uint64_t>("address").value_or(0);
  finding.details = reader.text_or_empty("details");
  reader.each("sides", [&](const Reader& side) {
    finding.sides.push_back(
        {side.text("what"), side.dim("block"), side.whole<std::uint32_t>("warp"),
         Mask(side.whole<std::uint32_t>("lanes")), side.dim("thread"), side.text("function"),
         side.whole<std::uint64_t>("pc"), side.text_or_empty("line"), side.text_or_empty("text"),
         side.texts("calls")});
  });
  return finding;
}

LaunchRecord read_launch(const Reader& reader) {
  LaunchRecord launch;
  launch.index = reader.whole<std::uint64_t>("index");
  launch.kernel = reader.text("kernel");
  launch.nesting = reader.whole_if<std::uint32_t>("nesting").value_or(0);
  launch.gpu = reader.whole_if<std::uint32_t>("gpu").value_or(0);
  launch.grid = reader.dim("grid");
  launch.block = reader.dim("block");
  launch.dynamic_shared_bytes = reader.whole_if<std::uint32_t>("dynamic_shared_bytes").value_or(0);
  launch.static_shared_bytes = reader.whole_if<std::uint32_t>("static_shared_bytes").value_or(0);
  launch.preferred_carveout = reader.whole_if<std::uint8_t>("preferred_carveout");
  launch.registers = reader.whole_if<std::uint32_t>("registers").value_or(0);
  launch.local_bytes = reader.whole_if<std::uint32_t>("local_bytes").value_or(0);
  launch.constant_bytes = reader.whole_if<std::uint32_t>("constant_bytes");
  launch.bank0_bytes = reader.whole_if<std::uint32_t>("bank0_bytes");
  launch.spill_store_bytes = reader.whole_if<std::uint32_t>("spill_store_bytes");
  launch.spill_load_bytes = reader.whole_if<std::uint32_t>("spill_load_bytes");
  launch.code_sha256 = reader.text_or_empty("code_sha256");
  launch.launch_class = reader.text_or_empty("class");
  launch.class_reasons = reader.texts("class_reasons");
  launch.races = reader.text_or_empty("races");
  launch.counts = reader.text_or_empty("counts");
  if (reader.text_or_empty("schedule") == "random")
    launch.random_schedule = reader.whole<std::uint64_t>("seed");
  launch.time_bound = reader.text_or_empty("time_bound");
  launch.cycles_error = reader.whole_if<std::uint32_t>("cycles_error");
  launch.metrics = reader.metrics();
  launch.selects = reader.texts("selects");
  launch.predicated = reader.texts("predicated");
  reader.each("instructions", [&](const Reader& item) {
    launch.instructions.push_back({item.text("function"), item.whole<std::uint64_t>("pc"),
                                   item.text_or_empty("line"), item.text_or_empty("inlined"),
                                   item.text_or_empty("text"), item.metrics()});
  });
  reader.each("memory", [&](const Reader& item) {
    launch.memory.push_back({item.whole<std::uint32_t>("allocation"), "",
                             item.whole<std::uint64_t>("bytes"), item.text("sha256")});
  });
  reader.each("globals", [&](const Reader& item) {
    launch.globals.push_back(
        {0, item.text("symbol"), item.whole<std::uint64_t>("bytes"), item.text("sha256")});
  });
  launch.varies = reader.texts("varies");
  launch.timing = reader.samples("timing");
  if (const auto sampled = reader.object_if("sampled")) read_samples(*sampled, launch);
  launch.unmodelled = reader.texts("unmodelled");
  reader.each("findings",
              [&](const Reader& item) { launch.findings.push_back(read_finding(item)); });
  launch.fault = reader.text_or_empty("fault");
  launch.fault_kind = reader.text_or_empty("fault_kind");
  return launch;
}

// About what a launch takes in memory.
std::uint64_t bytes_of(const LaunchRecord& launch) {
  constexpr std::uint64_t kText = 64, kValue = sizeof(MetricValues::value_type);
  std::uint64_t bytes =
      sizeof launch + kValue * launch.metrics.size() + launch.kernel.size() + launch.fault.size() +
      kText * (launch.class_reasons.size() + launch.selects.size() + launch.predicated.size() +
               launch.varies.size() + launch.timing.size() + launch.unmodelled.size()) +
      2 * sizeof(MemoryRecord) * (launch.memory.size() + launch.globals.size());
  for (const InstructionRecord& each : launch.instructions)
    bytes += sizeof each + each.function.size() + each.line.size() + each.text.size() +
             kValue * each.metrics.size();
  for (const checks::Finding& each : launch.findings) {
    bytes += sizeof each + each.message.size() + each.details.size();
    for (const checks::Side& side : each.sides)
      bytes += sizeof side + kText * (1 + side.calls.size());
  }
  return bytes;
}

// Launches in full, and those that are told as one before them.
class LaunchList {
 public:
  LaunchList(std::vector<LaunchRecord>& launches, std::uint64_t most_alike)
      : launches_(launches), left_(most_alike) {}

  void add(const Reader& reader) {
    const auto as = reader.whole_if<std::uint64_t>("as");
    if (!as) {
      launches_.push_back(read_launch(reader));
      in_full_[launches_.back().index] = {launches_.size() - 1, bytes_of(launches_.back())};
      return;
    }
    const auto found = in_full_.find(*as);
    if (found == in_full_.end()) reader.fail(fmt::format("no launch {} is before it", *as));
    const auto [place, bytes] = found->second;
    if (bytes > left_) reader.fail("the launches told as others take too much memory");
    left_ -= bytes;
    LaunchRecord launch = launches_[place];
    launch.index = reader.whole<std::uint64_t>("index");
    launches_.push_back(std::move(launch));
  }

 private:
  struct InFull {
    std::size_t place = 0;
    std::uint64_t bytes = 0;
  };
  std::vector<LaunchRecord>& launches_;
  std::map<std::uint64_t, InFull> in_full_;  // by their indices
  std::uint64_t left_;
};

// Bounds the depth, and reads each launch as soon as it is complete: a long record's JSON takes ten
// times the memory of its text.
class LaunchesOnTheWay {
 public:
  LaunchesOnTheWay(std::string origin, LaunchList& launches)
      : origin_(std::move(origin)), launches_(launches) {}

  // As nlohmann::json's parser asks, with the depth of what is around; false: forget `parsed`.
  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth > kMaxDepth)
      throw std::runtime_error(fmt::format("{}: nested deeper than {}", origin_, kMaxDepth));
    if (depth == 1 && event == Json::parse_event_t::key) key_ = parsed.get<std::string>();
    if (depth == 1 && event == Json::parse_event_t::value && key_ == "schema")
      is_record_ = parsed == kSchema;
    if (depth == 1 && event == Json::parse_event_t::array_start) in_list_ = key_ == "launches";
    if (depth == 1 && event == Json::parse_event_t::array_end) in_list_ = false;
    if (depth != 2 || event != Json::parse_event_t::object_end || !in_list_ || !is_record_)
      return true;
    launches_.add(Reader(parsed, fmt::format("{}: launches[{}]", origin_, read_++)));
    return false;
  }

 private:
  const std::string origin_;
  LaunchList& launches_;
  std::string key_;  // of the record's own members, the last one
  bool is_record_ = false, in_list_ = false;
  std::size_t read_ = 0;
};

Json parse(const std::string& text, const std::string& origin, LaunchList& launches) {
  LaunchesOnTheWay on_the_way(origin, launches);
  try {
    return Json::parse(text, std::ref(on_the_way));
  } catch (const Json::parse_error& error) {
    throw std::runtime_error(
        fmt::format("{}: holds no record: it is no JSON from byte {} on", origin, error.byte));
  } catch (const Json::out_of_range&) {
    throw std::runtime_error(
        fmt::format("{}: holds no record: a number in it is too large", origin));
  }
}

}  // namespace

Json to_json(const LaunchRecord& launch) {
  Json json = Json::object();
  json["index"] = launch.index;
  json["kernel"] = launch.kernel;
  if (launch.nesting != 0) json["nesting"] = launch.nesting;
  if (launch.gpu != 0) json["gpu"] = launch.gpu;
  json["grid"] = dim_to_json(launch.grid);
  json["block"] = dim_to_json(launch.block);
  json["dynamic_shared_bytes"] = launch.dynamic_shared_bytes;
  json["static_shared_bytes"] = launch.static_shared_bytes;
  if (launch.preferred_carveout) json["preferred_carveout"] = *launch.preferred_carveout;
  json["registers"] = launch.registers;
  json["local_bytes"] = launch.local_bytes;
  if (launch.constant_bytes) json["constant_bytes"] = *launch.constant_bytes;
  if (launch.bank0_bytes) json["bank0_bytes"] = *launch.bank0_bytes;
  if (launch.spill_store_bytes) json["spill_store_bytes"] = *launch.spill_store_bytes;
  if (launch.spill_load_bytes) json["spill_load_bytes"] = *launch.spill_load_bytes;
  put_text(json, "code_sha256", launch.code_sha256);
  put_text(json, "class", launch.launch_class);
  put_list(json, "class_reasons", launch.class_reasons);
  put_text(json, "races", launch.races);
  put_text(json, "counts", launch.counts);
  if (launch.random_schedule) {
    json["schedule"] = "random";
    json["seed"] = *launch.random_schedule;
  }
  put_text(json, "time_bound", launch.time_bound);
  if (launch.cycles_error) json["cycles_error"] = *launch.cycles_error;
  json["metrics"] = values_to_json(launch.metrics);
  put_list(json, "selects", launch.selects);
  put_list(json, "predicated", launch.predicated);
  for (const InstructionRecord& instruction : launch.instructions)
    list_at(json, "instructions").push_back(to_json(instruction));
  for (const MemoryRecord& memory : launch.memory)
    list_at(json, "memory").push_back(to_json(memory));
  for (const MemoryRecord& global : launch.globals)
    list_at(json, "globals").push_back(to_json(global));
  put_list(json, "varies", launch.varies);
  for (const auto& [name, values] : launch.timing) object_at(json, "timing")[name] = values;
  put_list(json, "unmodelled", launch.unmodelled);
  for (const checks::Finding& finding : launch.findings)
    list_at(json, "findings").push_back(to_json(finding));
  put_text(json, "fault", launch.fault);
  put_text(json, "fault_kind", launch.fault_kind);
  return json;
}

Json to_json(const Record& record) {
  Json json = Json::object();
  json["schema"] = kSchema;
  json["source"] = record.source;
  put_text(json, "device", record.device);
  put_text(json, "arch", record.arch);
  put_text(json, "toolchain", record.toolchain);
  put_text(json, "driver", record.driver);
  put_text(json, "date", record.date);
  json["program"] = record.program;
  if (!record.complete) json["complete"] = false;
  json["launches"] = Json::array();
  for (const LaunchRecord& launch : record.launches)
    list_at(json, "launches").push_back(to_json(launch));
  return json;
}

LaunchRecord launch_from_json(const Json& json, const std::string& origin) {
  return read_launch(Reader(json, origin));
}

namespace {

// All but the launches.
void read_head(const Reader& reader, Record& record) {
  if (const std::string schema = reader.text("schema"); schema != kSchema)
    reader.fail(fmt::format("its schema is \"{}\", not \"{}\"", schema, kSchema));
  record.source = reader.text("source");
  if (record.source != "model" && record.source != "hardware")
    reader.fail("source is neither \"model\" nor \"hardware\"");
  record.device = reader.text_or_empty("device");
  record.arch = reader.text_or_empty("arch");
  record.toolchain = reader.text_or_empty("toolchain");
  record.driver = reader.text_or_empty("driver");
  record.date = reader.text_or_empty("date");
  record.program = reader.texts("program");
  record.complete = reader.flag_or("complete", true);
}

}  // namespace

Record record_from_json(const Json& json, const std::string& origin, std::uint64_t most_alike) {
  const Reader reader(json, origin);
  Record record;
  read_head(reader, record);
  LaunchList launches(record.launches, most_alike);
  reader.each("launches", [&](const Reader& item) { launches.add(item); });
  return record;
}

Record read_record(const std::filesystem::path& path) {
  std::string text = read_file(path, kMaxFile);
  if (path.extension() == ".zst") text = decompress(text, kMaxFile, path.string());
  constexpr std::uint64_t kAlikeRatio = 100;
  Record record;
  LaunchList launches(record.launches, kAlikeBytes + kAlikeRatio * text.size());
  const Json json = parse(text, path.string(), launches);
  const Reader reader(json, path.string());
  read_head(reader, record);
  reader.each("launches", [&](const Reader& item) { launches.add(item); });
  return record;
}

void write_record(const Record& record, const std::filesystem::path& path, std::string_view more) {
  const auto write_to = [&](RecordJson::Sink sink) {
    RecordJson text(record, std::move(sink));
    for (const LaunchRecord& launch : record.launches)
      text.add(launch.index, RecordJson::body(launch));
    text.end(record.complete, more);
  };
  if (path.extension() == ".zst") {
    std::string text;
    write_to([&](std::string_view piece) { text += piece; });
    return write_file(path, compress(text, kQuickCompression));
  }
  NewFile file(path);
  write_to([&](std::string_view piece) { file.write(piece); });
  file.put_in_place();
}

}  // namespace heddle::simulator
