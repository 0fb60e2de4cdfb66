#include "traces/formats/perfetto_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "simulator/base/json.hpp"
#include "simulator/launch/observer.hpp"
#include "traces/analysis/values.hpp"

namespace heddle::traces {
namespace {

using simulator::CoreView;
using simulator::Issue;
using simulator::WarpView;

// Names come from files that we did not write.
std::string json_text(const std::string& text) {
  return nlohmann::json(simulator::visible(text))
      .dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

// "IADD3" of "@!P0 IADD3 R1, …".
std::string opcode_of(const std::string& text) {
  const std::size_t begin = text.starts_with('@') ? text.find(' ') + 1 : 0;
  return text.substr(begin, text.find(' ', begin) - begin);
}

const std::string& named(const std::string& path) {
  if (path.empty()) throw std::invalid_argument("--trace: perfetto needs a file: perfetto=FILE");
  return path;
}

constexpr std::string_view kEnd = "\n]";  // of the list

}  // namespace

PerfettoTrace::PerfettoTrace(const TraceOptions& options)
    : options_(options), kernels_(options.kernel), file_(named(options.file)) {
  file_.write("[\n");
}

PerfettoTrace::~PerfettoTrace() {
  if (!whole_) file_.write(kEnd);
}

void PerfettoTrace::write(const std::string& event) {
  if (!std::exchange(empty_, false)) file_.write(",\n");
  file_.write(event);
}

simulator::Observer* PerfettoTrace::begin_launch(std::uint64_t index,
                                                 const simulator::LaunchRequest& request,
                                                 const simulator::GpuModel& gpu) {
  if (!kernels_.matches(request.kernel->name)) return nullptr;
  open_list();
  listing_.emplace(*request.module);
  kernel_ = fmt::format("launch {}: {}", index, simulator::display_name(request.kernel->name));
  start_ = end_;
  first_.reset();
  lines_ = 0;
  tracks_.clear();
  if (named_.insert({0, 0}).second)
    write(fmt::format(R"({{"ph":"M","name":"process_name","pid":0,"args":{{"name":{}}}}})",
                      json_text(gpu.name)));
  return this;
}

void PerfettoTrace::end_launch(const simulator::LaunchOutcome& outcome) {
  for (auto& [place, track] : tracks_) write_wait(track);
  write(fmt::format(
      R"({{"ph":"X","name":{},"pid":0,"tid":0,"ts":{},"dur":{},"args":{{"result":{}}}}})",
      json_text(kernel_), start_, std::max<std::uint64_t>(1, end_ - start_),
      json_text(outcome.fault ? outcome.fault->message() : "ran to its end")));
  close_list();
  listing_.reset();
}

void PerfettoTrace::open_list() {
  if (std::exchange(whole_, false)) file_.take_back(kEnd.size());
}

// What cannot be taken back, of a FIFO, is written once, at the end.
void PerfettoTrace::close_list() {
  file_.flush();
  if (file_.can_take_back()) {
    whole_ = true;
    file_.write(kEnd);
    file_.flush();
  }
  file_.check();
}

void PerfettoTrace::stream_work(const StreamSlice& slice) {
  constexpr std::uint64_t kStreams = 1'000'000;  // behind all SMs
  const bool between_launches = whole_ || empty_;
  open_list();
  if (named_.insert({kStreams, 0}).second)
    write(fmt::format(
        R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":"streams, 1 us is 1 ns"}}}})",
        kStreams));
  const std::uint64_t track = slice.stream + 1;
  if (named_.insert({kStreams, track}).second)
    write(fmt::format(
        R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":"{}"}}}})", kStreams,
        track, slice.stream == 0 ? "default stream" : fmt::format("stream {}", slice.stream)));
  write(fmt::format(R"({{"ph":"X","name":{},"pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f}}})",
                    json_text(slice.name), kStreams, track, slice.begin, slice.end - slice.begin));
  if (between_launches) close_list();
}

bool PerfettoTrace::is_wanted(const WarpView& warp) const {
  return options_.blocks.contains(warp.block().linear()) && options_.warps.contains(warp.index());
}

PerfettoTrace::Track& PerfettoTrace::track_of(const WarpView& warp) {
  const auto [entry, is_new] = tracks_.try_emplace({warp.block().linear(), warp.index()});
  Track& track = entry->second;
  if (!is_new) return track;
  track.block = warp.block().linear();
  track.warp = warp.index();
  track.process = warp.block().sm() + 1;
  track.thread = track.block * warp.block().warps() + track.warp + 1;
  if (named_.insert({track.process, 0}).second)
    write(fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":"SM {}"}}}})",
                      track.process, warp.block().sm()));
  name_track(warp, track, -1);
  return track;
}

void PerfettoTrace::name_track(const WarpView&, const Track& track, int sub_core) {
  const std::string place = fmt::format("block {} warp {}", track.block, track.warp);
  write(fmt::format(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":"{}"}}}})",
                    track.process, track.thread,
                    sub_core < 0 ? place : fmt::format("sub-core {}: {}", sub_core, place)));
  if (sub_core >= 0)
    write(fmt::format(
        R"({{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}}}})",
        track.process, track.thread, sub_core));
}

void PerfettoTrace::issuing(const CoreView& core, const WarpView& warp, const Issue& next) {
  if (!is_wanted(warp) || lines_ == options_.most_lines) return;
  const Listing::Line& line = listing_->at(next.pc);
  const std::uint64_t now = core.cycle().value_or(core.issued());
  if (!first_) first_ = now;
  const std::uint64_t time = start_ + (now - std::min(now, *first_));
  Track& track = track_of(warp);
  write_wait(track);
  write_lanes(track, time, next.active.count());
  end_ = std::max(end_, time + 1);
  if (!options_.pcs.contains(line.offset) || !options_.lines.contains(line.line)) return;
  ++lines_;
  write(fmt::format(
      R"({{"ph":"X","name":"{}","pid":{},"tid":{},"ts":{},"dur":1,"args":{{"instruction":{},)"
      R"("pc":"{:04x}","source":{},"lanes":"{}","predicate holds":"{}"}}}})",
      opcode_of(line.text), track.process, track.thread, time, json_text(line.text), line.offset,
      json_text(line.source()), lanes_text(next.active), lanes_text(next.on)));
}

void PerfettoTrace::waited(const CoreView&, const WarpView& warp, const simulator::Waited& wait) {
  if (!is_wanted(warp) || wait.reason == "selected" || lines_ == options_.most_lines) return;
  if (!first_) first_ = wait.from;
  const bool is_new = !tracks_.contains({warp.block().linear(), warp.index()});
  Track& track = track_of(warp);
  if (is_new) name_track(warp, track, static_cast<int>(wait.sub_core));
  const auto placed = [this](std::uint64_t cycle) {
    return start_ + (cycle - std::min(cycle, *first_));
  };
  if (track.reason != wait.reason || track.until != placed(wait.from)) {
    write_wait(track);
    track.reason = wait.reason;
    track.from = placed(wait.from);
  }
  track.until = placed(wait.until);
  end_ = std::max(end_, track.until);
}

void PerfettoTrace::write_wait(Track& track) {
  if (!track.reason.empty() && track.until > track.from)
    write(fmt::format(
        R"({{"ph":"X","name":"{}","cat":"stall","pid":{},"tid":{},"ts":{},"dur":{}}})",
        track.reason, track.process, track.thread, track.from, track.until - track.from));
  track.reason = {};
}

void PerfettoTrace::write_lanes(Track& track, std::uint64_t time, unsigned lanes) {
  if (std::exchange(track.active, lanes) == lanes) return;
  write(fmt::format(
      R"({{"ph":"C","name":"lanes of block {} warp {}","pid":{},"ts":{},"args":{{"active":{}}}}})",
      track.block, track.warp, track.process, time, lanes));
}

}  // namespace heddle::traces
