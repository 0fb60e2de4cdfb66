// From tokens to a tree, by recursive descent.
#pragma once

#include <string_view>
#include <vector>

#include "traces/sketch/ast.hpp"
#include "traces/sketch/lexer.hpp"

namespace heddle::isa::sketch {

// The tree's texts point into the text that the tokens were read from. Throws SketchError.
Sketch parse(const std::vector<Token>& tokens, std::string_view file);
// One expression and nothing behind it.
ExpressionPtr parse_expression(const std::vector<Token>& tokens, std::string_view file);

}  // namespace heddle::isa::sketch
