// docs/experiments/seed-kernels.md: the seed documents' kernels as sketches, as machine code on the
// model, and as an H200 counted them, with what makes the differences.
#pragma once

#include <string>

namespace heddle::validation {

// The whole page. Runs the sketches of traces/kernels and the capsules of validation/capsules of
// the source tree, and reads its H200 records. Throws std::runtime_error where one is missing.
std::string seed_page();

}  // namespace heddle::validation
