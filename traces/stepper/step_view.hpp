// What a stepper shows, as lines of text: whoever draws it places and clips them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/stepper/stepper.hpp"

namespace heddle::traces {

struct ViewLine {
  enum class Look : std::uint8_t { plain, title, current, changed, dim };
  std::string text;
  Look look = Look::plain;
};
using Pane = std::vector<ViewLine>;

// "mathKernel1(float*)  block 0 of 1  warp 0 of 2  step 75".
std::string place_text(Stepper& stepper);
// A ruler, the warp's 32 lanes (traces/analysis/lanes.hpp says what the signs mean) and a mark
// under one.
Pane lanes_pane(Stepper& stepper, unsigned lane);
// `height` lines of code around the next instruction; other groups' places are marked.
Pane listing_pane(Stepper& stepper, int height);
// Source lines that the next instruction comes from, the innermost first: its own, then those of
// the calls that it is inlined into, then those of the calls that execute.
std::vector<Listing::Line::Call> source_places(Stepper& stepper);
// The same of the source. `place`: which of those is shown; `lines`: its file's, or none: the pane
// says so.
Pane source_pane(Stepper& stepper, const Listing::Line::Call& place,
                 const std::vector<std::string>& lines, int height);
// The groups the warp has split into and where each waits, barrier registers, the call stack.
Pane groups_pane(Stepper& stepper);
// Variables of the source that registers hold; empty in code without debug information.
Pane variables_pane(Stepper& stepper);
// Registers and predicates; one whose value all lanes share stands once, others with the value of
// `lane` and with all lanes' values.
Pane registers_pane(Stepper& stepper, unsigned lane, ValueForm form = ValueForm::hex);
// Every lane's value, a line per lane: `count` registers from `first` on.
Pane table_pane(Stepper& stepper, unsigned first, unsigned count, ValueForm form = ValueForm::hex);
// Columns that a register of the table takes.
int table_column(ValueForm form);
// Registers of a thread, as the kernel was compiled.
unsigned register_count(const Stepper& stepper);

// The place of the next instruction of the warp in view; null when it has none.
const Listing::Line* line_here(Stepper& stepper);

}  // namespace heddle::traces
