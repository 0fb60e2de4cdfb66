// The text of a kernel of a derived sketch, line by line.
#pragma once

#include <cstddef>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace heddle::traces {

// A kernel that cannot be simplified, and why.
class NotSimplified : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class SketchText {
 public:
  // Throws NotSimplified where it becomes too long to be of use.
  void line(const std::string& text);
  // work(count); neighbouring stretches of up to `most` become one.
  void work(unsigned count, unsigned most);
  void open(const std::string& text);  // what follows is within it
  void close(const std::string& text);
  void reopen() { ++depth_; }
  // Whether nothing reaches what follows the last line.
  bool ends_in_a_jump() const;
  // Before the first line, once.
  void declare(const std::string& text);
  void speaks_of(bool t, bool x, bool y);

  // The text that goes to a label; label() places it, if something goes there.
  std::string go_to(const std::string& name);
  void label(const std::string& name);

  // The whole kernel.
  std::string kernel(const std::string& name) const;

 private:
  std::vector<std::string> lines_, declarations_;
  std::set<std::string> declared_, labels_;
  std::size_t depth_ = 1;
  unsigned pending_work_ = 0;  // of the last line, where that is work(n)
  bool t_ = false, x_ = false, y_ = false;
};

}  // namespace heddle::traces
