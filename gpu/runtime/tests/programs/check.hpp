// Checks for the programs here: each says what it wanted and ends the program, with status 1.
#pragma once

#include <cstdio>
#include <cstdlib>

#define EXPECT(condition)                                                          \
  do {                                                                             \
    if (!(condition)) {                                                            \
      std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                                \
    }                                                                              \
  } while (false)

#define EXPECT_CALL(expected, call)                                                               \
  do {                                                                                            \
    const cudaError_t got_ = (call);                                                              \
    if (got_ != (expected)) {                                                                     \
      std::fprintf(stderr, "%s:%d: %s gave %s (%s), not %s\n", __FILE__, __LINE__, #call,         \
                   cudaGetErrorName(got_), cudaGetErrorString(got_), cudaGetErrorName(expected)); \
      std::exit(1);                                                                               \
    }                                                                                             \
  } while (false)

#define OK(call) EXPECT_CALL(cudaSuccess, call)
