// What is compressed in a capsule.
#pragma once

#include <string>

#include "gpu/runtime/capsule.hpp"

namespace heddle::runtime {

// Throws CapsuleError when it is longer than a reader takes. encode_capsule compresses it.
std::string encode_capsule_contents(const Capsule& capsule);

}  // namespace heddle::runtime
