// The commands' entry points; commands.cpp lists them with their options.
#pragma once

#include "cli/command.hpp"

namespace heddle::cli {

int run_calibrate(const Arguments& arguments);
int run_compare(const Arguments& arguments);
int run_diff(const Arguments& arguments);
int run_disasm(const Arguments& arguments);
int run_explain(const Arguments& arguments);
int run_measure(const Arguments& arguments);
int run_roofline(const Arguments& arguments);
int run_occupancy(const Arguments& arguments);
int run_reference(const Arguments& arguments);
int run_run(const Arguments& arguments);
int run_show(const Arguments& arguments);
int run_simplify(const Arguments& arguments);
int run_step(const Arguments& arguments);
int run_sweep(const Arguments& arguments);
int run_validate(const Arguments& arguments);

}  // namespace heddle::cli
