// "Did you mean": the known name nearest to a misspelt one.
#pragma once

#include <span>
#include <string_view>

namespace heddle::simulator {

// The candidate one edit away, else the shortest that begins with the name, else the nearest within
// a third of the name's length in edits; empty when there is none.
std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace heddle::simulator
