#include "cli/tests/terminal_reader.hpp"

#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>

namespace heddle::cli {

TerminalReader::TerminalReader(const std::vector<std::string>& program, int rows, int columns)
    : terminal_(vterm_new(rows, columns)),
      screen_(vterm_obtain_screen(terminal_)),
      rows_(rows),
      columns_(columns) {
  vterm_set_utf8(terminal_, 1);
  vterm_screen_enable_altscreen(screen_, 1);
  vterm_screen_reset(screen_, 1);
  std::vector<char*> words;
  for (const std::string& word : program) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  winsize size{};
  size.ws_row = static_cast<unsigned short>(rows);
  size.ws_col = static_cast<unsigned short>(columns);
  child_ = forkpty(&descriptor_, nullptr, nullptr, &size);
  if (child_ < 0) throw std::runtime_error("no pseudo-terminal");
  if (child_ == 0) {
    setenv("TERM", "xterm", 1);
    execv(words[0], words.data());
    _exit(127);
  }
}

TerminalReader::~TerminalReader() {
  if (child_ > 0) {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  close(descriptor_);
  vterm_free(terminal_);
}

bool TerminalReader::read_some(int milliseconds) {
  pollfd ready{descriptor_, POLLIN, 0};
  if (poll(&ready, 1, milliseconds) <= 0) return false;
  char buffer[4096];
  const ssize_t count = read(descriptor_, buffer, sizeof buffer);
  if (count <= 0) return false;
  vterm_input_write(terminal_, buffer, static_cast<std::size_t>(count));
  return true;
}

bool TerminalReader::press(const std::string& keys, const std::string& expected) {
  if (write(descriptor_, keys.data(), keys.size()) != static_cast<ssize_t>(keys.size()))
    return false;
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(10);
  do {
    while (read_some(30)) {  // until it has drawn all it wants to
    }
    if (screen().find(expected) != std::string::npos) return true;
  } while (Clock::now() < end);
  return false;
}

std::string TerminalReader::screen() {
  std::string text;
  for (int row = 0; row < rows_; ++row) {
    std::string line;
    for (int column = 0; column < columns_; ++column) {
      VTermScreenCell cell;
      vterm_screen_get_cell(screen_, {row, column}, &cell);
      const std::uint32_t character = cell.chars[0];
      line += character >= 32 && character < 127 ? static_cast<char>(character)
              : character == 0                   ? ' '
                                                 : '?';
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

int TerminalReader::wait() {
  for (int i = 0; i < 100; ++i) {
    constexpr int kMilliseconds = 50;
    // Once it has closed its terminal there is nothing to wait for but its end.
    if (!read_some(kMilliseconds)) usleep(kMilliseconds * 1000);
    int status = 0;
    if (waitpid(child_, &status, WNOHANG) == child_) {
      child_ = -1;
      return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
  }
  return -1;
}

}  // namespace heddle::cli
