#include "cli/terminal.hpp"

#include <curses.h>
#include <unistd.h>

#include <clocale>
#include <cstdlib>
#include <stdexcept>

namespace heddle::cli {
namespace {

using Look = traces::ViewLine::Look;

attr_t attributes(Look look) {
  switch (look) {
    case Look::title:
      return A_UNDERLINE;
    case Look::current:
      return A_BOLD;
    case Look::changed:
      return A_BOLD;
    case Look::dim:
      return A_DIM;
    case Look::plain:
      break;
  }
  return A_NORMAL;
}

// The first `width` characters of a UTF-8 text, filled up with blanks.
std::string fitted(const std::string& text, int width) {
  std::string result;
  int columns = 0;
  for (const char c : text) {
    const bool begins = (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    if (begins && columns == width) break;
    if (begins) ++columns;
    result += c;
  }
  result.append(static_cast<std::size_t>(width - columns), ' ');
  return result;
}

int translated(int key) {
  switch (key) {
    case KEY_LEFT:
      return Terminal::kLeft;
    case KEY_RIGHT:
      return Terminal::kRight;
    case KEY_UP:
      return Terminal::kUp;
    case KEY_DOWN:
      return Terminal::kDown;
    case KEY_PPAGE:
      return Terminal::kPageUp;
    case KEY_NPAGE:
      return Terminal::kPageDown;
    case KEY_HOME:
      return Terminal::kHome;
    case KEY_END:
      return Terminal::kEnd;
    case KEY_ENTER:
    case '\r':
    case '\n':
      return Terminal::kEnter;
    case 27:
      return Terminal::kEscape;
    case KEY_RESIZE:
      return Terminal::kResized;
    default:
      return key >= 0 && key < 256 ? key : Terminal::kOther;
  }
}

}  // namespace

Terminal::Terminal() {
  const char* kind = std::getenv("TERM");
  if (isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0 || kind == nullptr)
    throw std::runtime_error(
        "the stepper needs a terminal; --html, or heddle run --trace text, do not");
  std::setlocale(LC_CTYPE, "");  // characters of source files; numbers stay as they are
  SCREEN* screen = newterm(nullptr, stdout, stdin);
  if (screen == nullptr)
    throw std::runtime_error(std::string("no terminal is known by the name ") + kind);
  set_term(screen);
  cbreak();
  noecho();
  nonl();
  keypad(stdscr, TRUE);
  set_escdelay(25);
  curs_set(0);
}

Terminal::~Terminal() { endwin(); }

int Terminal::rows() const { return LINES; }
int Terminal::columns() const { return COLS; }
void Terminal::clear() { erase(); }

void Terminal::put(int row, int column, int width, const traces::ViewLine& line) {
  if (row < 0 || row >= LINES || column >= COLS) return;
  if (column + width > COLS) width = COLS - column;
  if (width <= 0) return;
  attrset(attributes(line.look));
  mvaddstr(row, column, fitted(line.text, width).c_str());
  attrset(A_NORMAL);
}

void Terminal::put(int row, int column, int width, int height, const traces::Pane& pane,
                   std::size_t first) {
  for (int i = 0; i < height && first + static_cast<std::size_t>(i) < pane.size(); ++i)
    put(row + i, column, width, pane[first + static_cast<std::size_t>(i)]);
}

void Terminal::show() { refresh(); }

int Terminal::key() { return translated(getch()); }

bool Terminal::pressed() {
  nodelay(stdscr, TRUE);
  const int key = getch();
  nodelay(stdscr, FALSE);
  return key != ERR && key != KEY_RESIZE;
}

std::optional<std::string> Terminal::ask(const std::string& question) {
  std::string answer;
  for (;;) {
    put(LINES - 1, 0, COLS, {question + answer + "_", Look::current});
    show();
    const int typed = key();
    if (typed == kEnter) return answer;
    if (typed == kEscape) return std::nullopt;
    const bool erases = typed == 127 || typed == 8 || typed == kOther;  // KEY_BACKSPACE too
    if (erases && !answer.empty()) answer.pop_back();
    if (typed >= 32 && typed < 127) answer += static_cast<char>(typed);
  }
}

}  // namespace heddle::cli
