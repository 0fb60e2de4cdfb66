// Checks of the driver's calls.
#pragma once

#include <cuda.h>

#include "check.hpp"

#define EXPECT_RESULT(expected, call)                                             \
  do {                                                                            \
    const CUresult got_ = (call);                                                 \
    if (got_ != (expected)) {                                                     \
      const char* name_ = nullptr;                                                \
      cuGetErrorName(got_, &name_);                                               \
      std::fprintf(stderr, "%s:%d: %s gave %s (%d)\n", __FILE__, __LINE__, #call, \
                   name_ == nullptr ? "?" : name_, static_cast<int>(got_));       \
      std::exit(1);                                                               \
    }                                                                             \
  } while (false)
#define DRIVER(call) EXPECT_RESULT(CUDA_SUCCESS, call)
