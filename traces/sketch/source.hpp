// Where something stands in a sketch, and what is thrown when it is wrong.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace heddle::isa::sketch {

struct Position {
  std::uint32_t line = 1, column = 1;  // 1 is the first; columns count bytes
};

// "file:line:column: what is wrong and what was expected".
class SketchError : public std::runtime_error {
 public:
  SketchError(std::string_view file, Position at, std::string_view message);
  Position at() const { return at_; }

 private:
  Position at_;
};

}  // namespace heddle::isa::sketch
