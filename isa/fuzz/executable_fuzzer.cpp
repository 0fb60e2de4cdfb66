// A host executable or shared object with device code in it.
#include "isa/fuzz/target.hpp"

HEDDLE_FUZZ_TARGET(bytes) { heddle::isa::read_executable(bytes, "fuzz"); }
