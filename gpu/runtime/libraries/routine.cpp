#include "gpu/runtime/libraries/routine.hpp"

#include <cstdio>
#include <cstdlib>

#include "gpu/runtime/libraries/refuse.hpp"

extern "C" heddle::runtime::Error cudaGetExportTable(const void**,
                                                     const heddle::runtime::abi::Uuid*);
extern "C" heddle::runtime::Error cudaStreamSynchronize(heddle::runtime::abi::Handle);

namespace heddle::runtime::libraries {

const LibrarySupport& support() {
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

bool synchronize(abi::Handle stream) {
  return cudaStreamSynchronize(stream) == Error::success && !support().has_failed();
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
  return support().submit(stream,
                          {routine_name(), type, shape.text().c_str(), user, compute, drop});
}

}  // namespace heddle::runtime::libraries
