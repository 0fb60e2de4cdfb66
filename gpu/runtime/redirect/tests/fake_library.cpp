// A library with a runtime of its own inside, such as an extension module.
#include "gpu/runtime/redirect/tests/fake_runtime.inc"

extern "C" __attribute__((visibility("default"))) int answer() { return use_runtime(); }
