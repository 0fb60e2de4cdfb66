#include "cli/text.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace heddle::cli {
namespace {

bool is_number(std::string_view text) {
  return text == "-" || (text.find_first_of("0123456789") != std::string_view::npos &&
                         text.find_first_not_of("0123456789,.+-~… ") == std::string_view::npos);
}

}  // namespace

Style Style::choose(std::string_view when, int descriptor) {
  Style style;
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool wanted = (no_color == nullptr || *no_color == 0) && term != nullptr &&
                      std::string_view(term) != "dumb" && isatty(descriptor) == 1;
  style.on_ = when == "always" || (when != "never" && wanted);
  return style;
}

std::string Style::wrap(std::string_view code, std::string_view text) const {
  return on_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

std::vector<std::string> Table::lines(Align align) const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i == widths.size()) widths.push_back(0);
      widths[i] = std::max(widths[i], width(row[i]));
    }
  std::vector<std::string> result;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - width(row[i]), ' ');
      if (i != 0) line += "  ";
      line += align == Align::right || is_number(row[i]) ? padding + row[i] : row[i] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    result.push_back(std::move(line));
  }
  return result;
}

std::string Table::text(std::size_t indent) const {
  std::string result;
  for (const std::string& line : lines())
    result += fmt::format("{:{}}{}\n", "", line.empty() ? 0 : indent, line);
  return result;
}

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t columns) {
  std::string result;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    if (column > indent && column + 1 + word.size() > columns) {
      result += fmt::format("\n{:{}}", "", indent);
      column = indent;
    } else if (column > indent) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
    if (end < text.size() && text[end] == '\n') {
      result += fmt::format("\n{:{}}", "", indent);
      column = indent;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

std::string csv_cell(std::string_view text) {
  std::string cell = visible(text);
  if (!cell.empty() && std::string_view("=+-@").find(cell[0]) != std::string_view::npos)
    cell = fmt::format("'{}", cell);
  if (cell.find_first_of(",\"") == std::string::npos) return cell;
  std::string quoted;
  for (const char c : cell) quoted.append(c == '"' ? 2 : 1, c);
  return fmt::format("\"{}\"", quoted);
}

}  // namespace heddle::cli
