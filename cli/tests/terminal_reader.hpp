// A program on a terminal of its own: keys go in, libvterm holds the screen it draws.
#pragma once

#include <sys/types.h>
#include <vterm.h>

#include <string>
#include <vector>

namespace heddle::cli {

class TerminalReader {
 public:
  TerminalReader(const std::vector<std::string>& program, int rows, int columns);
  ~TerminalReader();
  TerminalReader(const TerminalReader&) = delete;
  TerminalReader& operator=(const TerminalReader&) = delete;

  // Sends keys and waits until the screen holds `expected`, at most ten seconds. Whether it does.
  bool press(const std::string& keys, const std::string& expected);
  std::string screen();  // its rows, without blanks at their ends
  // Waits for the program's end; its exit status, -1 when a signal ended it or it goes on.
  int wait();

 private:
  bool read_some(int milliseconds);

  VTerm* terminal_;
  VTermScreen* screen_;
  int rows_, columns_;
  int descriptor_ = -1;
  pid_t child_ = -1;
};

}  // namespace heddle::cli
