#include "gpu/runtime/fuzz/capsule_input.hpp"

#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

namespace heddle::runtime {
namespace {

constexpr std::string_view kHeader{"HEDDLCAP\2\0\0\0\0\0\0\0", 16};

void put(std::string& text, std::uint64_t number, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) text += static_cast<char>(number >> 8 * i);
}

// A Zstandard frame that holds the contents as they are (RFC 8878, 3.1.1: one segment whose size is
// given in eight bytes, raw blocks).
std::string stored(std::string_view contents) {
  constexpr std::size_t kMostBlock = 1 << 17;
  std::string frame = "\x28\xb5\x2f\xfd\xe0";
  put(frame, contents.size(), 8);
  do {
    const std::string_view block = contents.substr(0, kMostBlock);
    contents.remove_prefix(block.size());
    put(frame, block.size() << 3 | (contents.empty() ? 1 : 0), 3);
    frame += block;
  } while (!contents.empty());
  return frame;
}

}  // namespace

Capsule capsule_of(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with("HEDDLCAP")) return decode_capsule(text, "fuzz");
  return decode_capsule(std::string(kHeader) + stored(text), "fuzz");
}

std::uint64_t choices_of(const Capsule& capsule) {  // FNV-1a
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char each : capsule.origin)
    hash = (hash ^ static_cast<unsigned char>(each)) * 0x100000001b3;
  return hash ^ hash >> 32;
}

int try_capsule(std::span<const std::byte> bytes, void (*target)(const Capsule& capsule)) {
  try {
    target(capsule_of(bytes));
  } catch (const std::runtime_error&) {
  } catch (const std::bad_alloc&) {
  }
  return 0;
}

}  // namespace heddle::runtime
