// What the programs here share: error checks, a clock, the verdict of their self-check.
//
// Times go to stderr, so that what a program prints to stdout is the same on every device of a kind.
#pragma once

#include <cuda_runtime.h>
#include <sys/time.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                       \
  do {                                                                                    \
    const cudaError_t error = (call);                                                     \
    if (error != cudaSuccess) {                                                           \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error)); \
      exit(EXIT_FAILURE);                                                                 \
    }                                                                                     \
  } while (0)

inline double seconds() {
  timeval now;
  gettimeofday(&now, nullptr);
  return double(now.tv_sec) + double(now.tv_usec) * 1e-6;
}

// The whole argument must be a number from `least` to `most`; otherwise the program ends with 2.
inline long argument(int argc, char** argv, int index, long fallback, long least, long most) {
  if (index >= argc) return fallback;
  char* end = nullptr;
  const long value = strtol(argv[index], &end, 0);
  if (*argv[index] == '\0' || *end != '\0' || value < least || value > most) {
    fprintf(stderr, "%s: argument %d must be a number from %ld to %ld, not '%s'\n", argv[0], index,
            least, most, argv[index]);
    exit(2);
  }
  return value;
}

// Says what a check found; the program's exit status is the number of failures, at most 1.
struct Verdict {
  int failures = 0;
  bool expect(bool ok, const char* what) {
    if (!ok) {
      printf("WRONG: %s\n", what);
      ++failures;
    }
    return ok;
  }
  int finish() const {
    printf("%s\n", failures == 0 ? "result correct" : "result WRONG");
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  }
};
