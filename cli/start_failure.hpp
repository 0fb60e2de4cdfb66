// Why a program could not be started.
#pragma once

#include <string>

namespace heddle::cli {

// One sentence with what to do, where that is known. `name`: as the user typed it; `file`: what was
// to be started, searched in PATH where it has no slash; `error`: errno of the attempt.
std::string start_failure(const std::string& name, const std::string& file, int error);

}  // namespace heddle::cli
