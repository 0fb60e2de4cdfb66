// The terminal as a grid of characters and a row of keys; ncurses does the work.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "traces/stepper/step_view.hpp"

namespace heddle::cli {

class Terminal {
 public:
  Terminal();  // throws std::runtime_error when this is no terminal that can be drawn on
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  int rows() const;
  int columns() const;
  void clear();
  // A line at a place, cut or padded to `width` columns.
  void put(int row, int column, int width, const traces::ViewLine& line);
  void put(int row, int column, int width, int height, const traces::Pane& pane,
           std::size_t first = 0);
  void show();

  // Waits for a key: its character, or one of these.
  enum Key : int {
    kLeft = 0x110000,  // beyond every character
    kRight,
    kUp,
    kDown,
    kPageUp,
    kPageDown,
    kHome,
    kEnd,
    kEnter,
    kEscape,
    kResized,
    kOther,
  };
  int key();
  // Whether a key was pressed; takes it.
  bool pressed();
  // A line typed in the last row; nothing when it was left with Escape.
  std::optional<std::string> ask(const std::string& question);
};

}  // namespace heddle::cli
