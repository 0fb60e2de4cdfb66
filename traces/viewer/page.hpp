// One HTML file that shows launches step by step: the viewer of traces/viewer with what a Recorder
// wrote down beside it. It needs nothing else and asks the network for nothing.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/base/json.hpp"
#include "simulator/launch/launch.hpp"
#include "simulator/record/record.hpp"
#include "traces/viewer/flow_blob.hpp"
#include "traces/viewer/recorder.hpp"

namespace heddle::traces {

struct PageOptions {
  // Bytes of the whole file. Registers are left out where it would be larger: of the last warps,
  // as many in every launch.
  std::size_t most_bytes = 20'000'000;
  // Text of a source file as line tables name it; nothing where it cannot be found.
  std::function<std::optional<std::string>(const std::string& path)> source;
};

// What the page is of.
struct PageNames {
  std::string device;
  std::string hardware_device;  // empty: nothing measured is beside it
  std::string baseline;         // empty: no baseline
  std::vector<std::string> program;
};

// Streams that a page holds besides its JSON.
class PageParts {
 public:
  // Compresses; returns the name by which the JSON refers to it.
  std::string keep(const std::string& bytes) { return keep_text(base64(deflated(bytes))); }
  std::string keep_text(const std::string& base64_text);
  const std::string& html() const { return html_; }

 private:
  std::string html_;
  std::size_t count_ = 0;
};

// What a launch is compared with.
struct Beside {
  const simulator::LaunchRecord* hardware = nullptr;  // the same launch, measured
  // An earlier run's launch. Its lines are by the file and number of this one's lines that stand
  // for them; where the code is the same, its instructions are shown instead.
  const simulator::LaunchRecord* baseline = nullptr;
  std::map<std::pair<std::string, unsigned>, simulator::MetricValues> baseline_lines;
  std::string meaning;  // what the baseline did differently, in a sentence
};

class Page {
 public:
  explicit Page(PageOptions options);

  // `record` with its instructions.
  void add(const simulator::LaunchRequest& request, const simulator::LaunchRecord& record,
           const simulator::LaunchOutcome& outcome, const Recorder& recorder, const Beside& beside);
  // What the viewer reads; its streams go into `parts`, up to `most_bytes` of the options.
  nlohmann::ordered_json data(PageParts& parts, const PageNames& names) const;
  // Throws std::runtime_error in a build without the viewer.
  std::string html(const PageNames& names) const;

 private:
  // Registers of some warps, one behind the other in WarpTrace::values.
  struct Piece {
    std::size_t first = 0, count = 0;
    std::string text;  // base64
  };
  struct Shown {
    nlohmann::ordered_json json;
    std::string flow, times;    // base64; times: empty where the launch was not timed
    std::vector<Piece> values;  // as many as the page could hold if it held nothing else
  };
  std::vector<Piece> pieces_of(const std::vector<WarpTrace>& warps) const;
  std::vector<std::size_t> pieces_that_fit(std::size_t bytes) const;

  PageOptions options_;
  std::vector<Shown> launches_;
  nlohmann::ordered_json files_ = nlohmann::ordered_json::array();
  std::map<std::string, std::size_t> file_numbers_;
};

// The viewer with its data. Throws std::runtime_error in a build without the viewer.
std::string filled_page(const nlohmann::ordered_json& data, const PageParts& parts);

// The viewer, with a place for the data; empty in a build without it.
std::string_view page_template();

}  // namespace heddle::traces
