#include "simulator/record/record_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "simulator/base/json.hpp"

namespace heddle::simulator {
namespace {

// Names from files we did not write may not be UTF-8; what is not is replaced, not refused.
std::string dump(const nlohmann::ordered_json& json) {
  return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

RecordJson::RecordJson(const Record& head, Sink sink) : sink_(std::move(sink)) {
  const Record bare{.source = head.source,
                    .device = head.device,
                    .arch = head.arch,
                    .toolchain = head.toolchain,
                    .driver = head.driver,
                    .date = head.date,
                    .program = head.program,
                    .launches = {}};
  constexpr std::string_view kEnd = "]\n}";  // of its empty list of launches, and its own
  const std::string text = dump(to_json(bare));
  sink_(std::string_view(text).substr(0, text.size() - kEnd.size()));
}

std::string RecordJson::body(const LaunchRecord& launch) {
  const std::string text = dump(to_json(launch));
  std::string indented;
  for (const char each : std::string_view(text).substr(text.find(','))) {
    indented += each;
    if (each == '\n') indented += "  ";
  }
  return indented;
}

const RecordJson::Recent* RecordJson::alike(std::uint64_t index, std::string_view body) {
  const auto found = std::ranges::find(recent_, body, &Recent::body);
  if (found != recent_.end()) return &*found;
  recent_[next_++ % recent_.size()] = {index, std::string(body)};
  return nullptr;
}

void RecordJson::add(std::uint64_t index, std::string_view body) {
  // Readers of short records need not know of "as".
  constexpr std::uint64_t kPlain = 1000, kPlainBytes = 64'000'000;
  const char* const between = written_ == 0 ? "" : ",";
  const Recent* const same = alike(index, body);
  if (same != nullptr && (written_ >= kPlain || bytes_ >= kPlainBytes)) {
    sink_(fmt::format("{}\n  {{\"index\": {}, \"as\": {}}}", between, index, same->index));
  } else {
    sink_(fmt::format("{}\n  {{\n   \"index\": {}", between, index));
    sink_(body);
    bytes_ += body.size();
  }
  ++written_;
}

void RecordJson::end(bool complete, std::string_view more) {
  sink_(written_ != 0 ? "\n ]" : "]");
  sink_(more);
  sink_(complete ? "\n}\n" : ",\n \"complete\": false\n}\n");
}

}  // namespace heddle::simulator
