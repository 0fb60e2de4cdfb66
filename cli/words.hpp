// What heddle explain says of words of the output that name no metric, opcode, stall reason or
// error.
#pragma once

#include <span>
#include <string_view>

namespace heddle::cli {

struct Word {
  // What the output says, in spellings that mean the same; empty ones are none. N is any number.
  std::string_view spellings[9];
  std::string_view meaning;
};
std::span<const Word> words();

}  // namespace heddle::cli
