#include "gpu/cupti/sha256.hpp"

#include <gtest/gtest.h>

#include <string>

namespace heddle::cupti {
namespace {

std::string hash(const std::string& text) {
  Sha256 sha;
  sha.update(text.data(), text.size());
  return sha.finish();
}

// The examples of FIPS 180-4, and lengths on both sides of where the padding needs another block.
TEST(Sha256, OfTheStandardsExamples) {
  EXPECT_EQ(hash(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hash(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, IsTheSameHoweverTheBytesComeIn) {
  const std::string text(300, 'x');
  for (const std::size_t first : {1, 55, 56, 63, 64, 65, 127, 128, 299}) {
    Sha256 sha;
    sha.update(text.data(), first);
    sha.update(text.data() + first, text.size() - first);
    EXPECT_EQ(sha.finish(), hash(text)) << first;
  }
}

}  // namespace
}  // namespace heddle::cupti
