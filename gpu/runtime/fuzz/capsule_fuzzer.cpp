// A capsule: read, written and read again, placed on a device, and run for a moment. Inputs that do
// not start like a capsule are taken for what is inside one, so that mutations need not get past
// the compression.
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "gpu/runtime/capsule.hpp"
#include "simulator/base/file.hpp"

namespace {

constexpr std::string_view kHeader{"HEDDLCAP\1\0\0\0\0\0\0\0", 16};
constexpr std::uint64_t kWarpInstructions = 2000;

// What was read can be written, and says the same when it is read again.
void write_again(const heddle::runtime::Capsule& capsule) {
  const std::string once = heddle::runtime::encode_capsule(capsule);
  try {
    if (heddle::runtime::encode_capsule(heddle::runtime::decode_capsule(once, "fuzz")) != once)
      std::abort();
  } catch (const heddle::runtime::CapsuleError&) {
    std::abort();
  }
}

void run(const std::string& file) {
  const heddle::runtime::Capsule capsule = heddle::runtime::decode_capsule(file, "fuzz");
  write_again(capsule);
  heddle::runtime::CapsuleLaunch launch(capsule, "fuzz");
  heddle::simulator::LaunchOptions options;
  options.max_instructions = kWarpInstructions;
  launch.run(options);
  launch.differences(capsule);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    if (bytes.starts_with("HEDDLCAP"))
      run(std::string(bytes));
    else
      run(std::string(kHeader) + heddle::simulator::compress(bytes));
  } catch (const heddle::runtime::CapsuleError&) {
  } catch (const heddle::isa::CubinError&) {
  }
  return 0;
}
