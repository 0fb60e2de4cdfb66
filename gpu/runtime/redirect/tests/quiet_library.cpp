// A library with a runtime of its own inside, which it does not call.
#define FAKE_QUIET
#include "gpu/runtime/redirect/tests/fake_runtime.inc"

extern "C" __attribute__((visibility("default"))) int answer() { return 42; }
