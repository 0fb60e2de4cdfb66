#include "gpu/runtime/error.hpp"

#include <algorithm>
#include <array>

namespace heddle::runtime {
namespace {

struct Row {
  Error error;
  const char* name;
  const char* text;
};

constexpr std::array kRows{
#define HEDDLE_CUDA_ERROR(number, name, enumerator, text) Row{Error::enumerator, #name, text},
#include "gpu/runtime/errors.inc"
#undef HEDDLE_CUDA_ERROR
};

const Row* find(Error error) {
  const auto row = std::ranges::find(kRows, error, &Row::error);
  return row == kRows.end() ? nullptr : &*row;
}

}  // namespace

const char* error_name(Error error) {
  const Row* row = find(error);
  return row != nullptr ? row->name : "unrecognized error code";
}

const char* error_text(Error error) {
  const Row* row = find(error);
  return row != nullptr ? row->text : "unrecognized error code";
}

std::optional<Error> error_by_name(std::string_view name) {
  const auto row = std::ranges::find(kRows, name, &Row::name);
  if (row == kRows.end()) return std::nullopt;
  return row->error;
}

bool is_sticky(Error error) {
  switch (error) {
    case Error::illegal_address:
    case Error::launch_timeout:
    case Error::assert_failed:
    case Error::hardware_stack_error:
    case Error::illegal_instruction:
    case Error::misaligned_address:
    case Error::invalid_address_space:
    case Error::invalid_pc:
    case Error::launch_failure:
    case Error::unknown:
      return true;
    default:
      return false;
  }
}

}  // namespace heddle::runtime
