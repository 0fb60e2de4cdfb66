// SARIF 2.1.0: https://docs.oasis-open.org/sarif/sarif/v2.1.0/
#include <fmt/format.h>

#include <map>

#include "cli/problems.hpp"
#include "simulator/base/json.hpp"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Everything but what a relative reference may hold is escaped (RFC 3986, 3.3).
std::string uri(std::string_view path) {
  constexpr std::string_view kPlain = "-._~/!$&'()*+,;=@";
  std::string text;
  for (const char c : path) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || kPlain.find(c) != kPlain.npos;
    text += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return text;
}

// Names of files in line tables as paths below a folder, where exactly one file fits.
class Sources {
 public:
  explicit Sources(fs::path folder) : folder_(std::move(folder)) {}

  std::string path(const std::string& name) {
    const auto [found, is_new] = known_.try_emplace(name, name);
    if (is_new) found->second = look(name);
    return found->second;
  }

 private:
  std::string look(const std::string& name) const {
    constexpr int kMostEntries = 20000;
    std::error_code ignored;
    const fs::path written(name);
    if (folder_.empty()) return name;
    if (!written.is_absolute() && fs::exists(folder_ / written, ignored)) return name;
    if (written.is_absolute())
      if (const fs::path relative = written.lexically_relative(folder_);
          !relative.empty() && *relative.begin() != "..")
        return relative.generic_string();
    std::string only;
    int entries = 0;
    for (fs::recursive_directory_iterator
             at(folder_, fs::directory_options::skip_permission_denied, ignored),
         end;
         at != end && ++entries < kMostEntries; at.increment(ignored)) {
      const std::string file = at->path().filename().string();
      if (file.starts_with('.') && at->is_directory(ignored)) at.disable_recursion_pending();
      if (file != fs::path(name).filename() || !at->is_regular_file(ignored)) continue;
      if (!only.empty()) return name;  // which of them is not known
      only = at->path().lexically_relative(folder_).generic_string();
    }
    return only.empty() ? name : only;
  }
  fs::path folder_;
  std::map<std::string, std::string> known_;
};

Json location(const Place& place, Sources& sources) {
  Json json = Json::object();
  if (!place.file.empty() && place.line != 0)
    json["physicalLocation"] = {{"artifactLocation", {{"uri", uri(sources.path(place.file))}}},
                                {"region", {{"startLine", place.line}}}};
  if (!place.function.empty())
    json["logicalLocations"] =
        Json::array({{{"fullyQualifiedName", visible(place.function)}, {"kind", "function"}}});
  if (!place.what.empty()) json["message"] = {{"text", visible(place.what)}};
  return json;
}

Json result(const Problem& problem, std::size_t rule, Sources& sources) {
  std::string text = visible(problem.message);
  if (problem.times != 1) text += fmt::format(" ({} times)", problem.times);
  if (!problem.details.empty()) text += "\n" + visible_lines(problem.details);
  Json json = {{"ruleId", visible(problem.rule)},
               {"ruleIndex", rule},
               {"level", "error"},
               {"message", {{"text", text}}}};
  if (problem.places.empty()) return json;
  json["locations"] = Json::array({location(problem.places.front(), sources)});
  for (std::size_t i = 0; i < problem.places.size(); ++i) {
    const auto relate = [&](const Place& place) {
      simulator::list_at(json, "relatedLocations").push_back(location(place, sources));
    };
    if (i != 0) relate(problem.places[i]);
    for (Place call : problem.places[i].calls) {
      call.what = "inlined at this call";
      if (call.line != 0) relate(call);
    }
  }
  json["partialFingerprints"] = {
      {"heddle/v1",
       fmt::format("{}:{}:{}:{}", visible(problem.rule), visible(problem.launch->kernel),
                   visible(problem.places.front().file), problem.places.front().line)}};
  return json;
}

}  // namespace

std::string sarif(const std::vector<Problem>& all, const fs::path& folder) {
  Sources sources(folder);
  std::map<std::string, std::size_t> rules;
  for (const Problem& problem : all) rules.emplace(problem.rule, 0);
  Json described = Json::array();
  for (auto& [rule, index] : rules) {
    index = described.size();
    described.push_back({{"id", visible(rule)}, {"shortDescription", {{"text", visible(rule)}}}});
  }
  Json results = Json::array();
  for (const Problem& problem : all)
    results.push_back(result(problem, rules.at(problem.rule), sources));
  const Json log = {
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs",
       Json::array({{{"tool",
                      {{"driver",
                        {{"name", "Heddle"}, {"version", HEDDLE_VERSION}, {"rules", described}}}}},
                     {"columnKind", "unicodeCodePoints"},
                     {"results", results}}})}};
  return log.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace heddle::cli
