// Where the variables of a module lie in device memory.
#pragma once

#include <cstddef>

#include "isa/cubin.hpp"

namespace heddle::simulator {

// A section of __device__ variables.
bool holds_variables(const isa::Section& section);

// One whose variables the host program uses too, at the same addresses (__managed__).
bool holds_managed(const isa::Cubin& cubin, std::size_t section);

// Moves the variables within their sections so that each begins at a multiple of 256 bytes, as the
// driver places them; in the cubin they follow each other as closely as their types allow. An
// H200's addresses of eleven variables (gpu/kernels/micro/variable_places, driver 580) were
// multiples of 256 without exception, with initial value or without. So an array of 128 bytes
// behind an integer takes four sectors, not five. Managed variables too: 256 bytes behind other
// variables are two lines to an H200 (what reads managed_words in programs that
// gpu/kernels/generated/generate_wide.py makes). Left as they are: sections whose parts code
// reaches by other ways than their symbols.
void part_variables(isa::Cubin& cubin);

}  // namespace heddle::simulator
