#include "traces/stepper/stepper.hpp"

#include <algorithm>

#include "isa/attributes.hpp"

namespace heddle::traces {

using simulator::CoreView;
using simulator::Issue;
using simulator::WarpView;

// Sees what the warp in view does, and tells the log of calls.
class Stepper::Watcher : public simulator::Observer {
 public:
  explicit Watcher(Stepper& stepper) : stepper_(stepper) {}
  void issuing(const CoreView& core, const WarpView& warp, const Issue& next) override {
    seen_ = stepper_.in_view(warp);
    if (seen_) watch_.before(core, warp, next);
  }
  void issued(const CoreView& core, const WarpView& warp, const Issue& issue) override {
    stepper_.calls_.issued(core, warp, issue);
    if (!seen_) return;
    stepper_.changes_ = watch_.after(core, warp, issue);
    if (text_for && saw(*text_for))
      stepper_.changes_text_ = traces::changes_text(stepper_.changes_, core, warp, issue,
                                                    stepper_.listing_, kMostValues);
  }
  // Whether the last instruction was the warp's, and one of these.
  bool saw(Event event) const {
    return seen_ &&
           (event == Event::any || (event == Event::divergence ? stepper_.changes_.diverged
                                                               : stepper_.changes_.reconverged));
  }
  std::optional<Event> text_for;  // say what they changed

 private:
  static constexpr unsigned kMostValues = 4;
  Stepper& stepper_;
  ChangeWatch watch_;
  bool seen_ = false;
};

Stepper::Stepper(simulator::Device& device, const simulator::LaunchRequest& request,
                 const simulator::ReplayOptions& options)
    : request_(request),
      replay_(device, request_, options),
      listing_(*request_.module),
      variables_(request_) {}

std::optional<WarpView> Stepper::warp() const {
  const std::optional<simulator::BlockView> block = replay_.block(block_);
  return block ? std::optional(block->warp(warp_)) : std::nullopt;
}

std::vector<std::uint32_t> Stepper::calls() const {
  const std::optional<WarpView> here = warp();
  if (!here || here->current() == nullptr) return {};
  const auto lane = here->current()->lanes.first();
  return calls_.stack(block_, warp_, lane, replay_.step());
}

std::optional<std::uint32_t> Stepper::pc_here() const {
  const std::optional<WarpView> here = warp();
  if (!here || here->current() == nullptr) return std::nullopt;
  return here->current()->pc;
}

std::uint32_t Stepper::line_here() {
  const auto pc = pc_here();
  return pc ? listing_.at(*pc).line : 0;
}

bool Stepper::asked_to_stop() {
  constexpr std::uint32_t kOften = 1 << 14;
  return ++patience_ % kOften == 0 && go_on && !go_on();
}

// Executes what other warps do until the one in view is next.
Stepper::Stop Stepper::settle() {
  while (!is_next()) {
    if (replay_.ended()) return Stop::ended;
    const std::optional<WarpView> here = warp();
    if (!here || here->finished()) return Stop::warp_ended;
    if (asked_to_stop()) return Stop::interrupted;
    replay_.forward(&calls_);
  }
  return Stop::there;
}

// Executes instructions of the warp in view up to and with one of these.
Stepper::Stop Stepper::execute(Event until) {
  Watcher watcher(*this);
  watcher.text_for = until;
  for (;;) {
    if (const Stop stop = settle(); stop != Stop::there) return stop;
    replay_.forward(&watcher);
    if (watcher.saw(until)) return settle();
    if (asked_to_stop()) return Stop::interrupted;
  }
}

Stepper::Stop Stepper::back_to(Event wanted) {
  Watcher watcher(*this);
  const bool found = replay_.back_to(
      watcher, [&] { return watcher.saw(wanted); }, go_on);
  changes_ = {};
  changes_text_.clear();
  return found ? Stop::there : Stop::none;
}

Stepper::Stop Stepper::forward() { return execute(Event::any); }
Stepper::Stop Stepper::back() { return back_to(Event::any); }
Stepper::Stop Stepper::next_divergence() { return execute(Event::divergence); }
Stepper::Stop Stepper::next_reconvergence() { return execute(Event::reconvergence); }

// To after the last one but that which the warp has just executed.
Stepper::Stop Stepper::last_divergence() {
  const std::uint64_t begin = replay_.step();
  if (back() == Stop::there && back_to(Event::divergence) == Stop::there) return forward();
  replay_.go_to(begin, &calls_);
  return Stop::none;
}

Stepper::Stop Stepper::last_reconvergence() {
  const std::uint64_t begin = replay_.step();
  if (back() == Stop::there && back_to(Event::reconvergence) == Stop::there) return forward();
  replay_.go_to(begin, &calls_);
  return Stop::none;
}

Stepper::Stop Stepper::run_until(const std::function<bool()>& there) {
  Stop stop = forward();
  while (stop == Stop::there && !there()) {
    if (asked_to_stop()) return Stop::interrupted;
    stop = forward();
  }
  return stop;
}

Stepper::Stop Stepper::over() {
  const auto pc = pc_here();
  if (!pc) return Stop::warp_ended;
  const simulator::MicroOp& step = replay_.core().instruction(*pc);
  const bool is_call =
      step.instruction != nullptr && isa::effect(*step.instruction) == isa::Effect::call;
  const std::size_t depth = calls().size();
  const simulator::Mask lanes = warp()->current()->lanes;
  if (!is_call) return forward();
  return run_until(
      [&] { return (warp()->current()->lanes & lanes).any() && calls().size() <= depth; });
}

Stepper::Stop Stepper::next_line() {
  const std::uint32_t line = line_here();
  return run_until([&] { return line_here() != line && line_here() != 0; });
}

Stepper::Stop Stepper::last_line() {
  const std::uint32_t line = line_here();
  Stop stop = back();
  while (stop == Stop::there && (line_here() == line || line_here() == 0)) {
    if (asked_to_stop()) return Stop::interrupted;
    stop = back();
  }
  return stop;
}

Stepper::Stop Stepper::to(const CodePlace& place) {
  return run_until([&] {
    const auto pc = pc_here();
    return pc && place.matches(listing_.at(*pc), request_.kernel->name);
  });
}

bool Stepper::at_breakpoint(const WarpView& warp, const Issue& next) {
  for (const Breakpoint& breakpoint : breakpoints)
    if (breakpoint.holds(warp, next, listing_.at(next.pc), request_.kernel->name)) return true;
  return false;
}

void Stepper::follow_next() {
  if (const std::optional<WarpView> next = replay_.next()) {
    block_ = next->block().linear();
    warp_ = next->index();
  }
  changes_ = {};
  changes_text_.clear();
}

Stepper::Stop Stepper::next_breakpoint() {
  const std::uint64_t begin = replay_.step();
  while (!replay_.ended()) {
    const WarpView next = *replay_.next();
    const simulator::Group& group = *next.current();
    if (replay_.step() != begin &&
        at_breakpoint(
            next, {.pc = group.pc, .active = group.lanes, .on = {}, .flow = {}, .accesses = {}})) {
      follow_next();
      return Stop::there;
    }
    if (asked_to_stop()) {
      follow_next();
      return Stop::interrupted;
    }
    replay_.forward(&calls_);
  }
  return Stop::ended;
}

Stepper::Stop Stepper::last_breakpoint() {
  class Look : public simulator::Observer {
   public:
    explicit Look(Stepper& stepper) : stepper_(stepper) {}
    void issuing(const CoreView&, const WarpView& warp, const Issue& next) override {
      hit = stepper_.at_breakpoint(warp, next);
    }
    void issued(const CoreView&, const WarpView&, const Issue&) override {}
    bool hit = false;

   private:
    Stepper& stepper_;
  };
  Look look(*this);
  if (!replay_.back_to(
          look, [&] { return look.hit; }, go_on))
    return Stop::none;
  follow_next();
  return Stop::there;
}

Stepper::Stop Stepper::to_step(std::uint64_t step) {
  constexpr std::uint64_t kSlice = 1 << 16;
  while (replay_.step() < step && !replay_.ended()) {
    replay_.go_to(std::min(step, replay_.step() + kSlice), &calls_);
    if (go_on && !go_on()) break;
  }
  if (replay_.step() > step) replay_.go_to(step, &calls_);
  follow_next();
  if (replay_.ended()) return Stop::ended;
  return replay_.step() == step ? Stop::there : Stop::interrupted;
}

Stepper::Stop Stepper::view(std::uint64_t block, std::uint32_t warp) {
  const std::uint64_t before = block_;
  const std::uint32_t warp_before = warp_;
  block_ = block;
  warp_ = warp;
  changes_ = {};
  changes_text_.clear();
  if (this->warp()) return settle();
  // The last it did, if its block has been and gone; otherwise forward to where that begins.
  if (back_to(Event::any) == Stop::there) return Stop::there;
  const std::uint64_t begin = replay_.step();
  while (!replay_.ended() && !this->warp() && !asked_to_stop()) replay_.forward(&calls_);
  if (this->warp()) return settle();
  replay_.go_to(begin);
  block_ = before;
  warp_ = warp_before;
  return Stop::none;
}

}  // namespace heddle::traces
