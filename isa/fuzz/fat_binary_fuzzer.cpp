// A fat binary as nvcc -fatbin writes it.
#include "isa/fuzz/target.hpp"

HEDDLE_FUZZ_TARGET(bytes) { heddle::isa::read_fat_binary(bytes, "fuzz"); }
