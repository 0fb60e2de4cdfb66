#include "traces/viewer/page.hpp"

#include <algorithm>
#include <stdexcept>

#include "simulator/base/json.hpp"
#include "traces/viewer/flow_blob.hpp"
#include "traces/viewer/page_launch.hpp"

namespace heddle::traces {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kPlace = "<!--heddle:data-->";
// What names a piece takes besides its text, at most.
constexpr std::size_t kElementBytes = 160;

// JSON for an element of an HTML page: nothing in it can end the element or begin another.
std::string embedded(const Json& json) {
  std::string text;
  for (const char c : json.dump(-1, ' ', false, Json::error_handler_t::replace))
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  return text;
}

}  // namespace

Page::Page(PageOptions options) : options_(std::move(options)) {}

// Registers in pieces that are unpacked when one of their warps is looked at.
std::vector<Page::Piece> Page::pieces_of(const std::vector<WarpTrace>& warps) const {
  constexpr std::size_t kPiece = 1 << 20;  // bytes, unpacked
  std::vector<Piece> pieces;
  std::size_t total = 0;
  for (std::size_t first = 0; first < warps.size() && total < options_.most_bytes;) {
    std::size_t end = first, bytes = 0;
    while (end < warps.size() && bytes < kPiece) bytes += warps[end++].values.size();
    pieces.push_back({first, end - first,
                      base64(deflated(value_blob(std::span(warps).subspan(first, end - first))))});
    total += pieces.back().text.size();
    first = end;
  }
  return pieces;
}

void Page::add(const simulator::LaunchRequest& request, const simulator::LaunchRecord& record,
               const simulator::LaunchOutcome& outcome, const Recorder& recorder,
               const Beside& beside) {
  const auto file_number = [this](const std::string& path) {
    const auto [found, added] = file_numbers_.try_emplace(path, files_.size());
    if (added) {
      const std::optional<std::string> text =
          options_.source ? options_.source(path) : std::nullopt;
      files_.push_back({{"path", path}, {"text", text ? Json(*text) : Json(nullptr)}});
    }
    return found->second;
  };
  const std::string times = time_blob(recorder);
  launches_.push_back({launch_json(request, record, outcome, recorder, beside, file_number),
                       base64(deflated(flow_blob(recorder))),
                       times.empty() ? times : base64(deflated(times)),
                       pieces_of(recorder.warps())});
}

// How many pieces of each launch `bytes` hold, taken in turns.
std::vector<std::size_t> Page::pieces_that_fit(std::size_t bytes) const {
  std::vector<std::size_t> fit(launches_.size(), 0);
  for (std::size_t turn = 0;; ++turn) {
    bool more = false;
    for (std::size_t i = 0; i < launches_.size(); ++i) {
      if (fit[i] != turn || turn == launches_[i].values.size()) continue;
      const std::size_t size = launches_[i].values[turn].text.size() + kElementBytes;
      if (size > bytes) continue;
      bytes -= size;
      ++fit[i];
      more = true;
    }
    if (!more) return fit;
  }
}

std::string PageParts::keep_text(const std::string& base64_text) {
  const std::string id = "heddle-" + std::to_string(count_++);
  html_ += "<script type=\"text/plain\" id=\"" + id + "\">" + base64_text + "</script>\n";
  return id;
}

std::string filled_page(const Json& data, const PageParts& parts) {
  const std::string_view page = page_template();
  const std::size_t place = page.find(kPlace);
  if (place == std::string_view::npos)
    throw std::runtime_error(
        "this build has no viewer: run scripts/setup.sh, which fetches its build tools, and "
        "build again");
  std::string html(page.substr(0, place));
  html += "<script type=\"application/json\" id=\"heddle\">" + embedded(data) + "</script>\n";
  html += parts.html();
  html += page.substr(place + kPlace.size());
  return html;
}

Json Page::data(PageParts& parts, const PageNames& names) const {
  Json data = {{"device", names.device},
               {"hardwareDevice", names.hardware_device},
               {"baseline", names.baseline},
               {"program", names.program},
               {"files", files_},
               {"launches", Json::array()}};
  for (const Shown& launch : launches_) {
    simulator::list_at(data, "launches").push_back(launch.json);
    data["launches"].back()["flow"] = parts.keep_text(launch.flow);
    if (!launch.times.empty()) data["launches"].back()["times"] = parts.keep_text(launch.times);
  }
  const std::size_t used = page_template().size() + parts.html().size() + embedded(data).size();
  const std::vector<std::size_t> fit =
      pieces_that_fit(options_.most_bytes - std::min(options_.most_bytes, used));
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    Json& values = data["launches"][i]["values"] = Json::array();
    for (const Piece& piece : std::span(launches_[i].values).first(fit[i]))
      values.push_back(
          {{"first", piece.first}, {"count", piece.count}, {"blob", parts.keep_text(piece.text)}});
  }
  return data;
}

std::string Page::html(const PageNames& names) const {
  PageParts parts;
  const Json all = data(parts, names);
  return filled_page(all, parts);
}

}  // namespace heddle::traces
