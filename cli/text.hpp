// How numbers, names and tables are written on a terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simulator/base/display_names.hpp"
#include "simulator/base/display_numbers.hpp"

namespace heddle::cli {

using simulator::demangled;
using simulator::display_name;
using simulator::readable;
using simulator::visible;
using simulator::visible_lines;

class Style {
 public:
  // "auto", "always" or "never"; auto asks whether `descriptor` is a terminal and minds NO_COLOR
  // and TERM=dumb.
  static Style choose(std::string_view when, int descriptor);
  std::string bold(std::string_view text) const { return wrap("1", text); }
  std::string red(std::string_view text) const { return wrap("31", text); }
  std::string green(std::string_view text) const { return wrap("32", text); }
  std::string dim(std::string_view text) const { return wrap("2", text); }

 private:
  std::string wrap(std::string_view code, std::string_view text) const;
  bool on_ = false;
};

// Columns as wide as their widest cell; cells that look like numbers stand at the right.
class Table {
 public:
  // Without a header when that has no cells.
  explicit Table(std::vector<std::string> header) : has_header_(!header.empty()) {
    if (has_header_) rows_.push_back(std::move(header));
  }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.size() == (has_header_ ? 1 : 0); }
  std::string text(std::size_t indent = 0) const;
  enum class Align { by_content, right };
  std::vector<std::string> lines(Align align = Align::by_content) const;

 private:
  bool has_header_;
  std::vector<std::vector<std::string>> rows_;
};

// Columns a text takes.
std::size_t width(std::string_view text);
// Breaks a paragraph at blanks and line ends, every line after the first behind `indent` blanks.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t columns = 90);

// One cell of a CSV file: visible, quoted where needed, and never a formula.
std::string csv_cell(std::string_view text);

}  // namespace heddle::cli
