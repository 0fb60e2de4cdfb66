#include "traces/formats/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "simulator/base/display_names.hpp"
#include "simulator/base/json.hpp"
#include "simulator/base/spelling.hpp"
#include "traces/formats/accelsim_trace.hpp"
#include "traces/formats/advice_trace.hpp"
#include "traces/formats/branch_trace.hpp"
#include "traces/formats/perfetto_trace.hpp"
#include "traces/formats/text_trace.hpp"

namespace heddle::traces {
namespace {

constexpr std::string_view kForms[] = {"text", "perfetto", "accelsim", "advice", "branches"};

std::uint64_t number(std::string_view text, int base) {
  if (base == 16 && (text.starts_with("0x") || text.starts_with("0X"))) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::invalid_argument(fmt::format("\"{}\" is not a number", text));
  return value;
}

void read_form(const std::string& value, TraceOptions& options) {
  const std::size_t at = std::min(value.find('='), value.size());
  options.form = value.substr(0, at);
  if (at < value.size()) options.file = value.substr(at + 1);
  if ((options.form == "perfetto" || options.form == "accelsim") && options.file.empty())
    throw std::invalid_argument(
        fmt::format("{0} is written to a file: --trace {0}=FILE", options.form));
  if (std::ranges::find(kForms, options.form) != std::end(kForms)) return;
  const std::string_view near = simulator::nearest(options.form, kForms);
  throw std::invalid_argument(
      near.empty() ? fmt::format("no form {}; there are {}", options.form, fmt::join(kForms, ", "))
                   : fmt::format("no form {}; did you mean {}?", options.form, near));
}

void read_lines(const std::string& value, TraceOptions& options) {
  const std::size_t colon = value.rfind(':');
  if (colon != std::string::npos) options.source_file = value.substr(0, colon);
  options.lines = Ranges(value.substr(colon == std::string::npos ? 0 : colon + 1));
}

void read_option(std::string_view key, const std::string& value, TraceOptions& options) {
  if (key == "trace") return read_form(value, options);
  if (key == "trace-kernel") {
    options.kernel = value;
    simulator::KernelFilter{value};
  }
  if (key == "trace-block") options.blocks = Ranges(value);
  if (key == "trace-warp") options.warps = Ranges(value);
  if (key == "trace-pc") options.pcs = Ranges(value, 16);
  if (key == "trace-line") read_lines(value, options);
  if (key == "trace-changes") options.mask_changes = true;
  if (key == "trace-from") options.from_divergence = number(value, 10);
  if (key == "trace-count") options.most_lines = number(value, 10);
  if (key == "trace-values") options.all_values = true;
}

}  // namespace

Ranges::Ranges(std::string_view text, int base) {
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string_view piece = text.substr(at, comma - at);
    const std::size_t dash = std::min(piece.find('-'), piece.size());
    const std::uint64_t first = number(piece.substr(0, dash), base);
    const std::uint64_t last = dash == piece.size() ? first : number(piece.substr(dash + 1), base);
    if (last < first) throw std::invalid_argument(fmt::format("{} runs backwards", piece));
    ranges_.push_back({first, last});
    at = comma + 1;
  }
}

bool Ranges::contains(std::uint64_t value) const {
  return all() || std::ranges::any_of(ranges_, [value](const Range& range) {
           return value >= range.first && value <= range.last;
         });
}

std::uint64_t Ranges::least() const {
  return all() ? 0 : std::ranges::min(ranges_, {}, &Range::first).first;
}

TraceOptions trace_options(const TraceRequest& request) {
  TraceOptions options;
  for (const auto& [key, value] : request) try {
      read_option(key, value, options);
    } catch (const std::invalid_argument& bad) {
      throw std::invalid_argument(fmt::format("--{}: {}", key, bad.what()));
    }
  return options;
}

std::string encode(const TraceRequest& request) { return nlohmann::json(request).dump(); }

TraceRequest decode_trace_request(std::string_view text) try {
  return nlohmann::json::parse(text).get<TraceRequest>();
} catch (const nlohmann::json::exception&) {
  throw std::invalid_argument("not a trace request");
}

std::unique_ptr<Trace> make_trace(const TraceOptions& options) {
  if (options.form == "advice") return std::make_unique<AdviceTrace>(options);
  if (options.form == "perfetto") return std::make_unique<PerfettoTrace>(options);
  if (options.form == "accelsim") return std::make_unique<AccelsimTrace>(options);
  if (options.form == "branches") return std::make_unique<BranchTrace>(options);
  return std::make_unique<TextTrace>(options);
}

}  // namespace heddle::traces
