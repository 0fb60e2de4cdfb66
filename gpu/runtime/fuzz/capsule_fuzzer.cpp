// A capsule: read, written and read again, and placed on a device.
#include <cstdlib>
#include <string>

#include "gpu/runtime/capsule_contents.hpp"
#include "gpu/runtime/fuzz/capsule_input.hpp"

HEDDLE_CAPSULE_TARGET(capsule) {
  using namespace heddle::runtime;
  const std::string once = encode_capsule_contents(capsule);
  try {
    if (encode_capsule_contents(capsule_of(std::as_bytes(std::span(once)))) != once) std::abort();
  } catch (const CapsuleError&) {
    std::abort();
  }
  CapsuleLaunch(capsule, "fuzz");
}
