// What the targets that take a capsule share: how bytes become one, and which exceptions are
// answers. An input is a capsule file or what is inside one; capsule_mutator.cpp makes the second
// kind, so that mutations need not get past the compression.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gpu/runtime/capsule.hpp"

namespace heddle::runtime {

// Throws CapsuleError.
Capsule capsule_of(std::span<const std::byte> bytes);

// Bits by which a target chooses between options: they vary with the capsule's origin, a text that
// nothing else depends on.
std::uint64_t choices_of(const Capsule& capsule);

// Runs `target` on what an input holds. std::runtime_error is an answer to a bad input, and
// std::bad_alloc to one that asks for more memory than there is; anything else is a find.
int try_capsule(std::span<const std::byte> bytes, void (*target)(const Capsule& capsule));

}  // namespace heddle::runtime

#define HEDDLE_CAPSULE_TARGET(capsule)                                                   \
  static void fuzz_one(const heddle::runtime::Capsule& capsule);                         \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {    \
    return heddle::runtime::try_capsule(std::as_bytes(std::span(data, size)), fuzz_one); \
  }                                                                                      \
  static void fuzz_one(const heddle::runtime::Capsule& capsule)
