// CUDA's error codes, names and texts.
#pragma once

#include <optional>
#include <string_view>

namespace heddle::runtime {

enum class Error : int {
#define HEDDLE_CUDA_ERROR(number, name, enumerator, text) enumerator = number,
#include "gpu/runtime/errors.inc"
#undef HEDDLE_CUDA_ERROR
};

// As cudaGetErrorName and cudaGetErrorString give them; "unrecognized error code" for others.
const char* error_name(Error error);
const char* error_text(Error error);
// From a name such as "cudaErrorInvalidValue".
std::optional<Error> error_by_name(std::string_view name);

// Whether the context is lost with this error: every later call returns it again, until a reset.
bool is_sticky(Error error);

}  // namespace heddle::runtime
