// What is wrong with tensor copies, bulk copies, barriers and products is what it is to an H200
// (docs/experiments/tensor-probe.md; gpu/kernels/micro/tensor_faults).
#include <gtest/gtest.h>

#include <cstring>

#include "fault_cases.hpp"
#include "isa/cubin.hpp"
#include "simulator/device/device.hpp"
#include "simulator/launch/launch.hpp"
#include "simulator/memory/tensor_map.hpp"
#include "simulator/tests/recorded_probe.hpp"

namespace heddle::simulator {
namespace {

constexpr std::uint32_t kData = 1 << 16, kShared = 32768;

TensorMap tiled(std::uint64_t address, unsigned rank, unsigned interleave = 0) {
  TensorMap map;
  map.type = TensorType::u8;
  map.rank = rank;
  map.address = address;
  map.interleave = interleave;
  map.size = {64, rank == 1 ? 1u : 256u, 4};
  map.stride = {interleave == 0 ? 64u : 16u, 64 * 256};
  map.box = {interleave == 0 ? 64u : 16u, 32, 1};
  map.step = {1, 1, 1};
  return map;
}

TensorMap im2col(std::uint64_t address) {
  TensorMap map = tiled(address, 3);
  map.is_im2col = true;
  map.size = {64, 16, 16};
  map.stride = {64, 1024};
  map.channels = 64;
  map.pixels = 32;
  return map;
}

TensorMapBytes other_map(unsigned what, std::uint64_t data) {
  TensorMapBytes bytes{};
  switch (what) {
    case faults::kMapZeros:
      return bytes;
    case faults::kMapGarbage:
      for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 37 + 11);
      return bytes;
    case faults::kMapOfIm2col:
      return encode(im2col(data)).value();
    case faults::kMapOfLine:
      return encode(tiled(data, 1)).value();
    case faults::kMapInterleaved:
      return encode(tiled(data, 3, 1)).value();
    case faults::kMapOfNothing:
    case faults::kStoreNowhere:
    case faults::kPrefetchNowhere:
      return encode(tiled(0x10000, 2)).value();
    default:
      return encode(tiled(data, 2)).value();
  }
}

// As the driver's names of errors.
std::string result_of(const LaunchOutcome& outcome) {
  if (!outcome.fault) return "CUDA_SUCCESS";
  switch (outcome.fault->kind) {
    case Fault::Kind::illegal_address:
      return "CUDA_ERROR_ILLEGAL_ADDRESS";
    case Fault::Kind::misaligned_address:
      return "CUDA_ERROR_MISALIGNED_ADDRESS";
    case Fault::Kind::illegal_instruction:
      return "CUDA_ERROR_ILLEGAL_INSTRUCTION";
    case Fault::Kind::launch_failure:
      return "CUDA_ERROR_LAUNCH_FAILED";
    default:
      return outcome.fault->message();
  }
}

// The launch's result, whether the bytes came, and a sum of what is in shared memory.
std::string answer(unsigned what) {
  Device device(default_model(isa::Arch::sm_90));
  Module module(recorded_cubins("tensor_faults").at(0).bytes, "tensor_faults", device.memory());
  const std::uint64_t data = *device.memory().allocate(kData, "data");
  const std::uint64_t out = *device.memory().allocate(16, "out");
  std::memset(device.memory().view(data, kData), 1, kData);
  std::memset(device.memory().view(out, 16), 0, 16);
  LaunchRequest request;
  request.module = &module;
  request.kernel = module.cubin().find_kernel("ask");
  request.block = {128, 1, 1};
  request.cluster = {1, 1, 1};
  request.explicit_cluster = true;
  request.dynamic_shared_bytes = kShared;
  request.parameters.resize(request.kernel->parameter_bytes);
  std::size_t number = 0;
  const auto put = [&](const auto& value) {
    std::memcpy(request.parameters.data() + request.kernel->parameters.at(number++).offset, &value,
                sizeof value);
  };
  put(encode(tiled(data, 2)).value());
  put(other_map(what, data));
  put(what);
  put(data);
  put(out);
  const LaunchOutcome outcome = device.launch(request, {});
  std::uint32_t words[4]{};
  if (!outcome.fault) std::memcpy(words, device.memory().view(out, 16), sizeof words);
  char text[128];
  std::snprintf(text, sizeof text, "%s:%08x:%08x", result_of(outcome).substr(0, 96).c_str(),
                words[0], words[3]);
  return text;
}

TEST(TensorFaults, AreThoseOfTheH200) {
  const auto answers = recorded_hashes("tensor_faults");
  ASSERT_EQ(answers.size(), faults::kCases);
  for (unsigned what = 0; what < faults::kCases; ++what)
    EXPECT_EQ(answer(what), answers.at(faults::kNames[what])) << faults::kNames[what];
}

}  // namespace
}  // namespace heddle::simulator
