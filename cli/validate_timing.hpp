// heddle validate --timing: the suite's times on the model beside the H200's.
#pragma once

#include <vector>

#include "cli/command.hpp"
#include "cli/suite_runs.hpp"

namespace heddle::cli {

// Prints a row per program and kernel, what they come to, and the ratios and values of the file
// `suite`. `sources.timing`
// must not be empty. Returns the exit status: 0, or 2 where an entry could not be run.
int validate_timing(const std::vector<validation::SuiteEntry>& entries,
                    const std::filesystem::path& suite, const SuiteSources& sources,
                    SuiteRuns& runs, const Arguments& arguments);

}  // namespace heddle::cli
