// What `heddle run` tells when launches are over, and the exit status that follows from it.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/conditions.hpp"
#include "cli/launch_text.hpp"
#include "cli/record_follower.hpp"

namespace heddle::cli {

// Throws Usage for options that contradict each other.
void check_report_options(const Arguments& arguments);

class RunReport {
 public:
  // `program`: stdout is a program's own. Else tables go there, unless a file does.
  RunReport(const Arguments& arguments, bool program);

  // Prints the record and writes the files that are of one process. The record must outlive this.
  void add(const ProcessRecord& each);
  // Prints where the tables are printed.
  void print(const std::string& text) const { std::fputs(text.c_str(), tables_); }
  // Writes the files that are of all processes, says what is wrong, and gives the exit status:
  // `status` where that is a failure already, --error-exitcode (default 1) where anything is wrong.
  int finish(int status) const;

 private:
  const Arguments& arguments_;
  const bool quiet_;
  const FaultText faults_;
  std::FILE* const tables_;
  std::vector<const simulator::LaunchRecord*> launches_;  // that are looked at
};

// Writes --sarif and --junit.
void write_problem_files(const Arguments& arguments, Launches launches);

}  // namespace heddle::cli
