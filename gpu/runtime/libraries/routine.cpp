#include "gpu/runtime/libraries/routine.hpp"

#include <cstdio>
#include <cstdlib>

#include "gpu/runtime/libraries/program_operands.hpp"
#include "gpu/runtime/libraries/refuse.hpp"

extern "C" heddle::runtime::Error cudaGetExportTable(const void**,
                                                     const heddle::runtime::abi::Uuid*);
extern "C" heddle::runtime::Error cudaStreamSynchronize(heddle::runtime::abi::Handle);
extern "C" heddle::runtime::Error cudaDeviceSynchronize();
extern "C" heddle::runtime::Error cudaStreamIsCapturing(heddle::runtime::abi::Handle, int*);

namespace heddle::runtime::libraries {

namespace {

// Of what a thread submits, and of what it computes.
thread_local bool takes_program_operands = false;

const LibrarySupport& runtime_support() {
  static const LibrarySupport* const table = [] {
    const void* found = nullptr;
    if (cudaGetExportTable(&found, &kLibrarySupport) != Error::success) {
      std::fputs("heddle: libcublas or its like and libcudart.so.13 are of different builds\n",
                 stderr);
      std::abort();
    }
    return static_cast<const LibrarySupport*>(found);
  }();
  return *table;
}

void* reach(std::uint64_t address, std::uint64_t bytes) {
  const auto& known = runtime_support();
  void* const found = known.reach(address, bytes);
  const bool programs =
      found == nullptr && takes_program_operands && known.reach(address, 1) == nullptr;
  return programs ? reinterpret_cast<void*>(address) : found;
}

}  // namespace

ProgramOperands::ProgramOperands() { takes_program_operands = true; }
ProgramOperands::~ProgramOperands() { takes_program_operands = false; }

const LibrarySupport& support() {
  static const LibrarySupport table = [] {
    LibrarySupport made = runtime_support();
    made.reach = reach;
    return made;
  }();
  return table;
}

bool synchronize(abi::Handle stream) {
  return cudaStreamSynchronize(stream) == Error::success && !support().has_failed();
}

bool synchronize_device() {
  return cudaDeviceSynchronize() == Error::success && !support().has_failed();
}

bool is_capturing(abi::Handle stream) {
  int status = 0;
  return cudaStreamIsCapturing(stream, &status) == Error::success && status != 0;
}

const char*& routine_name() {
  thread_local const char* name = "";
  return name;
}

void say_once(const std::string& text) {
  support().say_once((std::string(routine_name()) + ": " + text).c_str());
}

int say_refused(const char* name, int status) noexcept {
  try {
    support().say_once((std::string(name) + " is not supported").c_str());
  } catch (...) {  // it is said, or not; the status tells
  }
  return status;
}

Error submit(abi::Handle stream, const char* type, const Shape& shape, void* user,
             const char* (*compute)(void*), void (*drop)(void*)) {
  const std::string text = shape.text();
  if (!takes_program_operands)
    return support().submit(stream, {routine_name(), type, text.c_str(), user, compute, drop});
  struct Work {
    void* user;
    const char* (*compute)(void*);
    void (*drop)(void*);
  };
  return support().submit(stream,
                          {routine_name(), type, text.c_str(), new Work{user, compute, drop},
                           [](void* given) {
                             const auto& work = *static_cast<Work*>(given);
                             const ProgramOperands allowed;
                             return work.compute(work.user);
                           },
                           [](void* given) {
                             const std::unique_ptr<Work> work(static_cast<Work*>(given));
                             work->drop(work->user);
                           }});
}

}  // namespace heddle::runtime::libraries
