// SHA-256, by Nettle.
#pragma once

#include <nettle/sha2.h>

#include <cstddef>
#include <span>
#include <string>

namespace heddle::simulator {

class Sha256 {
 public:
  Sha256() { sha256_init(&context_); }
  void update(std::span<const std::byte> bytes) {
    sha256_update(&context_, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
  }
  // Lower-case hexadecimal; the object starts afresh.
  std::string hex() {
    std::uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_digest(&context_, sizeof digest, digest);
    constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (std::uint8_t byte : digest) {
      text += kDigits[byte >> 4];
      text += kDigits[byte & 15];
    }
    return text;
  }

 private:
  sha256_ctx context_;
};

}  // namespace heddle::simulator
