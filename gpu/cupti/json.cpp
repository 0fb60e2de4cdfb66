#include "gpu/cupti/json.hpp"

#include <cmath>
#include <cstdio>

namespace heddle::cupti {

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      out += escape;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string json_number(double value) {
  if (!std::isfinite(value)) return "null";
  char text[40];
  const bool integral = value == std::floor(value) && std::fabs(value) < 9007199254740992.0;
  std::snprintf(text, sizeof text, integral ? "%.0f" : "%.17g", value);
  return text;
}

Members& Members::add_raw(std::string_view name, std::string_view json) {
  if (!text_.empty()) text_ += ", ";
  text_ += json_string(name);
  text_ += ": ";
  text_ += json;
  return *this;
}

Members& Members::add_members(std::string_view text) {
  if (!text_.empty() && !text.empty()) text_ += ", ";
  text_ += text;
  return *this;
}

Members& Members::add(std::string_view name, std::string_view text) {
  return add_raw(name, json_string(text));
}

Members& Members::add(std::string_view name, double value) {
  return add_raw(name, json_number(value));
}

Members& Members::add(std::string_view name, std::uint64_t value) {
  return add_raw(name, std::to_string(value));
}

std::string json_array(const std::vector<std::string>& elements) {
  std::string out = "[";
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (i != 0) out += ", ";
    out += elements[i];
  }
  return out + "]";
}

}  // namespace heddle::cupti
