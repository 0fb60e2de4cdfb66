// Whose fault an invalid access is: Heddle's, or that of the program in whose process it runs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::runtime {

// Says on stderr, before SIGSEGV or SIGBUS ends this process, where the access was: in the code of
// the library (or executable) that calls this, or in a thread of its own, it is Heddle's own fault,
// to be reported; else the program's. A program that handles these signals itself is left alone.
void report_crashes();

// Of the calling thread, for as long as it lives: a stack for the report, unless it has one.
// Without it a thread ends silently whose own stack is full.
void report_full_stack();

// Of the calling thread: all that it executes is Heddle's, wherever the code lies.
void all_is_ours();

// Memory of the program's own that kernels reach (cudaHostRegister), until it is forgotten: the
// report says when the program has taken its pages away. Of more than some hundred it does not.
void note_registered(const void* begin, std::size_t bytes);
void forget_registered(const void* begin);

// While one lives the calling thread touches memory by addresses that the program gave.
class TouchingProgramMemory {
 public:
  TouchingProgramMemory();
  ~TouchingProgramMemory();
  TouchingProgramMemory(const TouchingProgramMemory&) = delete;
  TouchingProgramMemory& operator=(const TouchingProgramMemory&) = delete;

 private:
  bool outer_;
};

// While one lives the calling thread executes the program's code (host functions in streams).
class ExecutingProgramCode {
 public:
  ExecutingProgramCode();
  ~ExecutingProgramCode();
  ExecutingProgramCode(const ExecutingProgramCode&) = delete;
  ExecutingProgramCode& operator=(const ExecutingProgramCode&) = delete;

 private:
  bool outer_;
};

}  // namespace heddle::runtime
