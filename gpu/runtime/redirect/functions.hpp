// The CUDA runtime's functions, by name, and those that take their place.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace heddle::runtime::redirect {

struct Replacement {
  const void* cuda_12 = nullptr;  // in libcudart.so.12; null: that version has no such function
  const void* cuda_13 = nullptr;  // in libcudart.so.13
};

std::span<const std::string_view> names();  // sorted
Replacement replacement(std::size_t name);  // of names()[name]

}  // namespace heddle::runtime::redirect
