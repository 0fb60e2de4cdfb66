// The files and folders that options name to be written.
#pragma once

#include "cli/command.hpp"

namespace heddle::cli {

// Before a run: throws std::runtime_error naming the first path that could not be written.
void check_outputs(const Arguments& arguments, const Command& command);

// For the process's beginning: descriptors 0 to 2 are open from here on, so that no file gets their
// numbers. One that was closed still cannot be used, but stderr, which then says nothing.
void open_standard_streams();

// For the process's end: `status`, but `failed` where what was printed could not be written. Says
// so.
int flushed(int status, int failed);

}  // namespace heddle::cli
