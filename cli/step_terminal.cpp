// The keys of the stepper and where its panes stand.
#include "cli/step_terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>

#include "cli/reconvergence.hpp"
#include "cli/source_files.hpp"
#include "cli/step_launches.hpp"
#include "cli/terminal.hpp"
#include "simulator/base/display_names.hpp"
#include "traces/analysis/lanes.hpp"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using traces::Pane;
using traces::Stepper;
using traces::ValueForm;
using traces::ViewLine;
using Look = ViewLine::Look;
using Stop = Stepper::Stop;

constexpr std::string_view kHelp[] = {
    "s, right    one instruction of this warp    S, left   one back",
    "n, down     to another source line          N, up     back to one",
    "o           past what a call does",
    "d / D       to the next / last divergence",
    "r / R       to the next / last reconvergence",
    "b           set or remove a breakpoint:  04e0   :17   :17 if lane 3",
    "            04e0 if R5 == 0x20 and warp 1   (with blanks; == != < <= > >=)",
    "c / C       to the next / last breakpoint, of any warp",
    "l           to a line or instruction of this warp:  :17   04e0",
    "g           to a step, by its number",
    "w / W       next / last warp                t   to a warp:  BLOCK WARP",
    "k / K       next / last block",
    "[ / ]       another lane for the registers  v   every lane's registers",
    "f           registers as hexadecimal, integer or floating-point numbers",
    "PgUp, PgDn  other registers                 < / >  last / next launch",
    "Home, End   begin and end of the launch     q   quit",
    "",
    "Lanes, the first at the left:",
};

class SourceCache {
 public:
  explicit SourceCache(std::vector<fs::path> folders) : folders_(std::move(folders)) {}
  // Empty where the file is not found.
  const std::vector<std::string>& lines(const std::string& path) {
    const auto [entry, is_new] = files_.try_emplace(path);
    if (!is_new || path.empty()) return entry->second;
    if (const auto text = source_text(path, folders_)) {
      std::istringstream stream(*text);
      for (std::string line; std::getline(stream, line);) entry->second.push_back(line);
    } else if (!told_) {
      note_ = fmt::format("no source of {}: name its folder with --source-folder",
                          simulator::visible(fs::path(path).filename().string()));
      told_ = true;
    }
    return entry->second;
  }
  // What to say of a file that was not found; once, then empty.
  std::string note() { return std::exchange(note_, ""); }

 private:
  std::string note_;
  bool told_ = false;
  std::vector<fs::path> folders_;
  std::map<std::string, std::vector<std::string>> files_;
};

// One launch on the screen.
class StepScreen {
 public:
  enum class Leave { quit, next, last };

  StepScreen(Terminal& terminal, SourceCache& sources, runtime::CapsuleLaunch& launch,
             const simulator::ReplayOptions& options, std::string title)
      : terminal_(terminal),
        sources_(sources),
        stepper_(launch.device(), launch.request(), options),
        title_(std::move(title)) {
    stepper_.go_on = [this] {
      terminal_.put(
          terminal_.rows() - 2, 0, terminal_.columns(),
          {fmt::format("at step {}; any key stops here", stepper_.replay().step()), Look::current});
      terminal_.show();
      return !terminal_.pressed();
    };
  }

  Leave run() {
    for (;;) {
      draw();
      if (const std::string note = sources_.note(); !note.empty()) {
        message_ = note;
        draw();
      }
      const int key = terminal_.key();
      message_.clear();
      if (key == 'q') return Leave::quit;
      if (key == '>') return Leave::next;
      if (key == '<') return Leave::last;
      try {
        if (!look(key)) go(key);
      } catch (const std::invalid_argument& bad) {
        message_ = bad.what();
      }
    }
  }
  void say(std::string message) { message_ = std::move(message); }

 private:
  // Keys that change what is shown; false: it is another.
  bool look(int key) {
    switch (key) {
      case '?':
      case 'h':
        show_help();
        return true;
      case 'v':
        table_ = !table_;
        first_register_ = 0;
        return true;
      case 'f':
        form_ = form_ == ValueForm::hex       ? ValueForm::integer
                : form_ == ValueForm::integer ? ValueForm::floating
                                              : ValueForm::hex;
        return true;
      case ']':
        lane_ = (lane_ + 1) % simulator::kWarpSize;
        return true;
      case '[':
        lane_ = (lane_ + simulator::kWarpSize - 1) % simulator::kWarpSize;
        return true;
      case Terminal::kPageDown:
        first_register_ += kRegisterPage;
        return true;
      case Terminal::kPageUp:
        first_register_ -= std::min(first_register_, kRegisterPage);
        return true;
      case 'b':
        edit_breakpoints();
        return true;
      default:
        return false;
    }
  }

  // Keys that go somewhere.
  void go(int key) {
    switch (key) {
      case 's':
      case Terminal::kRight:
        return tell(stepper_.forward());
      case 'S':
      case Terminal::kLeft:
        return tell(stepper_.back());
      case 'n':
      case Terminal::kDown:
        return tell(stepper_.next_line());
      case 'N':
      case Terminal::kUp:
        return tell(stepper_.last_line());
      case 'o':
        return tell(stepper_.over());
      case 'd':
        return tell(stepper_.next_divergence());
      case 'D':
        return tell(stepper_.last_divergence());
      case 'r':
        return tell(stepper_.next_reconvergence());
      case 'R':
        return tell(stepper_.last_reconvergence());
      case 'c':
        return tell(stepper_.next_breakpoint());
      case 'C':
        return tell(stepper_.last_breakpoint());
      case Terminal::kHome:
        return tell(stepper_.to_step(0));
      case Terminal::kEnd:
        return tell(stepper_.to_step(~std::uint64_t{0}));
      default:
        return go_where_asked(key);
    }
  }

  void go_where_asked(int key) {
    const std::uint64_t block = stepper_.block();
    const std::uint32_t warp = stepper_.warp_index();
    switch (key) {
      case 'l':
        if (const auto place = terminal_.ask("to line or instruction: "))
          tell(stepper_.to(traces::CodePlace(*place)));
        return;
      case 'g':
        if (const auto step = terminal_.ask("to step: ")) tell(stepper_.to_step(number(*step)));
        return;
      case 'w':
        return view(block, (warp + 1) % warps());
      case 'W':
        return view(block, (warp + warps() - 1) % warps());
      case 'k':
        return view((block + 1) % blocks(), warp);
      case 'K':
        return view((block + blocks() - 1) % blocks(), warp);
      case 't':
        if (const auto words = terminal_.ask("to block and warp: ")) {
          const std::size_t blank = std::min(words->find(' '), words->size());
          const std::uint64_t wanted = number(words->substr(0, blank));
          const std::uint64_t its_warp =
              blank < words->size() ? number(words->substr(blank + 1)) : 0;
          if (wanted >= blocks() || its_warp >= warps())
            throw std::invalid_argument(
                fmt::format("there are {} blocks of {} warps", blocks(), warps()));
          view(wanted, static_cast<std::uint32_t>(its_warp));
        }
        return;
      default:
        message_ = key == Terminal::kResized ? "" : "? shows what the keys do";
    }
  }

  static std::uint64_t number(const std::string& text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
      throw std::invalid_argument(fmt::format("\"{}\" is not a number", text));
    return value;
  }
  std::uint64_t blocks() const { return stepper_.request().grid.count(); }
  std::uint32_t warps() const {
    return static_cast<std::uint32_t>(
        (stepper_.request().block.count() + simulator::kWarpSize - 1) / simulator::kWarpSize);
  }

  void view(std::uint64_t block, std::uint32_t warp) { tell(stepper_.view(block, warp)); }

  void edit_breakpoints() {
    std::string known;
    for (const auto& breakpoint : stepper_.breakpoints)
      known += fmt::format("{}{}", known.empty() ? "" : ", ", breakpoint.text());
    if (!known.empty()) message_ = "breakpoints: " + known;
    draw();
    const auto text = terminal_.ask("breakpoint (a known one is removed): ");
    message_.clear();
    if (!text || text->empty()) return;
    const auto gone = std::erase_if(
        stepper_.breakpoints, [&](const auto& breakpoint) { return breakpoint.text() == *text; });
    if (gone == 0) stepper_.breakpoints.emplace_back(*text);
    message_ = gone == 0 ? "set: " + *text : "gone: " + *text;
  }

  void tell(Stop stop) {
    switch (stop) {
      case Stop::there:
        return;
      case Stop::warp_ended:
        message_ = "this warp has ended";
        return;
      case Stop::ended:
        message_ = stepper_.replay().fault()
                       ? simulator::visible(stepper_.replay().fault()->message())
                       : "the launch has ended";
        return;
      case Stop::none:
        message_ = "there is none";
        return;
      case Stop::interrupted:
        message_ = "stopped on the way";
        return;
    }
  }

  void draw() {
    const int rows = terminal_.rows(), columns = terminal_.columns();
    terminal_.clear();
    terminal_.put(0, 0, columns,
                  {fmt::format("{}  {}", title_, traces::place_text(stepper_)), Look::title});
    terminal_.put(1, 0, columns, 3, traces::lanes_pane(stepper_, lane_));
    const std::string& changed = stepper_.changes_text();
    terminal_.put(4, 0, columns,
                  {changed.empty() ? "" : "it changed: " + simulator::visible(changed)});
    const int top = 5, height = rows - top - 2;
    if (table_)
      draw_table(top, height, columns);
    else
      draw_panes(top, height, columns);
    terminal_.put(rows - 2, 0, columns, {message_, Look::current});
    terminal_.put(rows - 1, 0, columns,
                  {"? help  q quit  s step  S back  n line  d diverge  r reconverge  b break  c "
                   "continue  w warp",
                   Look::dim});
    terminal_.show();
  }

  void draw_table(int top, int height, int columns) {
    const auto fit =
        static_cast<unsigned>(std::max(1, (columns - 5) / traces::table_column(form_)));
    const unsigned most = traces::register_count(stepper_);
    first_register_ = std::min(first_register_, most > fit ? most - fit : 0);
    terminal_.put(top, 0, columns, height,
                  traces::table_pane(stepper_, first_register_, fit, form_));
  }

  void draw_panes(int top, int height, int columns) {
    const int left = columns * 5 / 9, right = columns - left - 1;
    const int listing = height * 3 / 5;
    terminal_.put(top, 0, left, listing, traces::listing_pane(stepper_, listing));
    draw_source(top + listing, height - listing, left);
    const Pane groups = traces::groups_pane(stepper_);
    const int group_rows = std::min<int>(static_cast<int>(groups.size()), height / 2);
    terminal_.put(top, left + 1, right, group_rows, groups);
    const Pane variables = traces::variables_pane(stepper_);
    const int variable_rows =
        std::min<int>(static_cast<int>(variables.size()), (height - group_rows) / 2);
    terminal_.put(top + group_rows, left + 1, right, variable_rows, variables);
    const Pane registers = traces::registers_pane(stepper_, lane_, form_);
    const int above = group_rows + variable_rows;
    const auto fit = static_cast<unsigned>(height - above);
    const auto all = static_cast<unsigned>(registers.size());
    first_register_ = std::min(first_register_, all > fit ? all - fit : 0);
    terminal_.put(top + above, left + 1, right, static_cast<int>(fit), registers, first_register_);
  }

  // Of the code's own line or, where its file is not there (a library's), of the nearest call's.
  void draw_source(int top, int height, int width) {
    const auto places = traces::source_places(stepper_);
    const auto found = std::ranges::find_if(
        places, [&](const auto& place) { return !sources_.lines(place.file).empty(); });
    const traces::Listing::Line::Call none;
    const auto& place = found != places.end() ? *found : places.empty() ? none : places.front();
    terminal_.put(top, 0, width, height,
                  traces::source_pane(stepper_, place, sources_.lines(place.file), height));
  }

  void show_help() {
    terminal_.clear();
    int row = 0;
    for (const std::string_view line : kHelp)
      terminal_.put(row++, 0, terminal_.columns(), {std::string(line)});
    for (const std::string_view line : traces::kLaneLegend)
      terminal_.put(row++, 2, terminal_.columns() - 2, {std::string(line)});
    terminal_.put(terminal_.rows() - 1, 0, terminal_.columns(),
                  {"any key goes back", Look::current});
    terminal_.show();
    terminal_.key();
  }

  static constexpr unsigned kRegisterPage = 8;
  Terminal& terminal_;
  SourceCache& sources_;
  Stepper stepper_;
  std::string title_, message_;
  unsigned lane_ = 0, first_register_ = 0;
  bool table_ = false;
  ValueForm form_ = ValueForm::hex;
};

}  // namespace

int step_in_terminal(const Arguments& arguments) {
  simulator::ReplayOptions options;
  options.settings.reconvergence = chosen_reconvergence(arguments);
  const StepLaunches launches(arguments);
  const std::vector<fs::path> files = launches.chosen_files();
  if (files.empty()) throw Usage("--launch-skip and --launch-count leave no launch");
  SourceCache sources(source_folders(arguments));
  Terminal terminal;
  std::string message = "? shows what the keys do";
  for (std::size_t i = 0;;) {
    const runtime::Capsule capsule = runtime::load_capsule(files[i], arguments.value("gpu"));
    runtime::CapsuleLaunch launch(capsule, files[i].string());
    StepScreen screen(terminal, sources, launch, options,
                      fmt::format("launch {} of {}", i + 1, files.size()));
    screen.say(std::exchange(message, ""));
    const StepScreen::Leave leave = screen.run();
    if (leave == StepScreen::Leave::quit) return launches.status();
    const bool next = leave == StepScreen::Leave::next;
    if (next ? i + 1 == files.size() : i == 0)
      message = next ? "that was the last launch" : "that was the first launch";
    else
      i += next ? 1 : -1;
  }
}

}  // namespace heddle::cli
