// Libraries such as cuBLAS-XT take operands from the program's own memory too.
#pragma once

namespace heddle::runtime::libraries {

// Of the calls that this thread submits while one lives, operands may lie where the device does not
// reach them: those are the program's, as they are.
class ProgramOperands {
 public:
  ProgramOperands();
  ~ProgramOperands();
  ProgramOperands(const ProgramOperands&) = delete;
  ProgramOperands& operator=(const ProgramOperands&) = delete;
};

}  // namespace heddle::runtime::libraries
