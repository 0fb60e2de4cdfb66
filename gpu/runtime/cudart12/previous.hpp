// Functions of libcudart.so.13, called from those of libcudart.so.12.
#pragma once

#include "gpu/runtime/abi.hpp"
#include "gpu/runtime/error.hpp"

// previous_NAME: the function NAME of libcudart.so.13.
#define HEDDLE_OF_13(name, parameters)         \
  extern "C" Error previous_##name parameters; \
  __asm__(".symver previous_" #name ", " #name "@libcudart.so.13")

#define HEDDLE_API_12 extern "C" __attribute__((visibility("default")))
