// A JSON writer for the few shapes a record has. Members are kept as text (`"name": value, …`
// without the braces), so that what several runs measured about one launch can be spliced without
// parsing it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::cupti {

// Quoted; control characters, quotes and backslashes escaped. Bytes above 0x7f pass as they are.
std::string json_string(std::string_view text);
// Integers below 2^53 without a fraction, other finite values with 17 digits; NaN and infinities as
// null.
std::string json_number(double value);

class Members {
 public:
  Members& add(std::string_view name, std::string_view text);
  Members& add(std::string_view name, const char* text) {
    return add(name, std::string_view(text));
  }
  Members& add(std::string_view name, double value);
  Members& add(std::string_view name, std::uint64_t value);
  Members& add(std::string_view name, std::uint32_t value) {
    return add(name, std::uint64_t{value});
  }
  // `json` is already JSON.
  Members& add_raw(std::string_view name, std::string_view json);
  // Members that are already text, as text() gives them.
  Members& add_members(std::string_view text);
  const std::string& text() const { return text_; }
  std::string object() const { return "{" + text_ + "}"; }
  bool empty() const { return text_.empty(); }

 private:
  std::string text_;
};

// [a, b, c] of elements that are already JSON.
std::string json_array(const std::vector<std::string>& elements);

}  // namespace heddle::cupti
