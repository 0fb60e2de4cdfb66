// The files of simulator/models, embedded when the project is built.
#pragma once

#include <span>
#include <string_view>

namespace heddle::simulator {

struct BuiltinModel {
  std::string_view id, toml;
};

std::span<const BuiltinModel> builtin_models();  // by id

}  // namespace heddle::simulator
