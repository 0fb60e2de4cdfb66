// A sketch's text as tokens. Comments and #pragma lines are dropped; the names of #define (without
// parameters) are replaced by what they stand for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "traces/sketch/source.hpp"

namespace heddle::isa::sketch {

struct Token {
  enum class Kind : std::uint8_t { name, integer, floating, string, mark, end };
  Kind kind = Kind::end;
  std::string_view text;    // as written, in the text given to tokens(); strings without quotes
  std::uint64_t value = 0;  // integer; floating: the bits of the double
  bool suffixed = false;    // integer: u; floating: f
  Position at;

  bool is(std::string_view mark) const { return kind == Kind::mark && text == mark; }
  bool is_name(std::string_view name) const { return kind == Kind::name && text == name; }
  std::string described() const;  // for "found …"
};

// Ends with a token of kind end. The text must outlive the tokens. Throws SketchError.
std::vector<Token> tokens(std::string_view text, std::string_view file);

}  // namespace heddle::isa::sketch
