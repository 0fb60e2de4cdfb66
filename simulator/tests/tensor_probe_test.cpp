// Tensor maps are those of an H200's driver, and boxes of tensors are copied and combined as the
// H200 does it (driver 580.159.04, CUDA 13.0.88, 2026-11-29; gpu/kernels/micro/tensor_probe).
#include <gtest/gtest.h>

#include <cstring>

#include "isa/cubin.hpp"
#include "simulator/device/device.hpp"
#include "simulator/launch/launch.hpp"
#include "simulator/memory/tensor_map.hpp"
#include "simulator/tests/recorded_probe.hpp"
#include "tensor_inputs.hpp"

namespace heddle::simulator {
namespace {

namespace probe = tensor_probe;

TensorMap map_of(const probe::Tensor& t, std::uint64_t memory) {
  TensorMap map;
  map.type = static_cast<TensorType>(t.type);
  map.rank = t.rank;
  map.address = memory + t.offset;
  map.size = t.size;
  map.stride = t.stride;
  map.box = t.box;
  map.step = t.step;
  map.interleave = t.interleave;
  map.swizzle = t.swizzle;
  map.promotion = t.promotion;
  map.fill = t.fill;
  map.is_im2col = t.im2col;
  map.lower = t.lower;
  map.upper = t.upper;
  map.channels = t.channels;
  map.pixels = t.pixels;
  return map;
}

TEST(TensorMaps, AreThoseOfTheDriver) {
  const std::string maps = recorded_bytes("tensor_probe/maps.bin.zst");
  constexpr std::size_t kAnswer = 4 + kTensorMapBytes;
  ASSERT_EQ(maps.size(), probe::kMaps * kAnswer);
  for (unsigned number = 0; number < probe::kMaps; ++number) {
    const char* answer = maps.data() + number * kAnswer;
    std::int32_t result = 0;
    std::memcpy(&result, answer, sizeof result);
    const auto ours = encode(map_of(probe::any_tensor(number), probe::kMapAddress));
    EXPECT_EQ(ours.has_value(), result == 0) << number;
    if (!ours || result != 0) continue;
    EXPECT_EQ(std::memcmp(ours->data(), answer + 4, kTensorMapBytes), 0) << number;
    const auto back = decode_tensor_map(ours->data());
    ASSERT_TRUE(back) << number;
    EXPECT_EQ(encode(*back), ours) << number;
  }
}

// As if they were rows of a plain box (docs/experiments/tensor-probe.md#interleaved-tensors).
TEST(TensorMaps, RowsOfInterleavedBoxesAreMultiplesOfSixteenBytes) {
  TensorMap map;
  map.type = TensorType::u16;
  map.rank = 3;
  map.address = probe::kMapAddress;
  map.size = {12, 4, 2};
  map.stride = {192, 768};
  map.step = {1, 1, 1};
  map.interleave = 1;
  map.swizzle = 1;
  for (const std::uint32_t elements : {8, 12, 24}) {
    map.box = {elements, 2, 1};
    EXPECT_EQ(encode(map).has_value(), elements % 8 == 0) << elements;
  }
}

struct Request {
  int rank, at[5], corner[3];
  unsigned bytes, shared, dump;
};

std::string kernel_of(const probe::Case& c) {
  static const char* const kOperations[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
  static const char* const kKernels[] = {"tensor_load",         "tensor_store",
                                         "tensor_reduce_",      "tensor_load_im2col",
                                         "tensor_store_im2col", "tensor_multicast"};
  const std::string name = kKernels[static_cast<unsigned>(c.does)];
  return c.does == probe::Does::reduce ? name + kOperations[c.operation] : name;
}

class Boxes {
 public:
  Boxes()
      : device_(default_model(isa::Arch::sm_90)),
        module_(recorded_cubins("tensor_probe").at(0).bytes, "tensor_probe", device_.memory()),
        tensor_(*device_.memory().allocate(probe::kTensorBytes, "tensor")),
        other_(*device_.memory().allocate(probe::kTensorBytes, "other")) {}

  // The hash of what a case leaves, or "refused" and the fault's text.
  std::string answer(unsigned number) {
    const probe::Case c = probe::case_of(number);
    const auto map = encode(map_of(c.tensor, tensor_));
    if (!map) return "no map";
    const bool loads = c.does == probe::Does::load || c.does == probe::Does::load_im2col ||
                       c.does == probe::Does::multicast;
    probe::fill(view(tensor_), number, 0);
    std::memset(view(other_), 0, probe::kTensorBytes);
    if (!loads) probe::fill(view(other_), number, 1);
    const unsigned blocks = c.does == probe::Does::multicast ? 2 : 1;
    const LaunchOutcome outcome = launch(c, *map, blocks);
    if (outcome.fault) return "refused " + outcome.fault->message();
    const std::size_t bytes = loads ? blocks * probe::kLeft : probe::kTensorBytes;
    char text[24];
    std::snprintf(text, sizeof text, "%016llx",
                  static_cast<unsigned long long>(
                      instruction_probe::hash(view(loads ? other_ : tensor_), bytes)));
    return text;
  }

 private:
  LaunchOutcome launch(const probe::Case& c, const TensorMapBytes& map, unsigned blocks) {
    const isa::Kernel* kernel = module_.cubin().find_kernel(kernel_of(c));
    Request request{static_cast<int>(c.tensor.rank), {}, {}, c.tensor.box_bytes(), c.shared, 0};
    std::copy(c.at.begin(), c.at.end(), request.at);
    std::copy(c.corner.begin(), c.corner.end(), request.corner);
    LaunchRequest asked;
    asked.module = &module_;
    asked.kernel = kernel;
    asked.grid = {blocks, 1, 1};
    asked.block = {32, 1, 1};
    if (blocks == 2) asked.cluster = {2, 1, 1};
    asked.dynamic_shared_bytes = probe::kSharedBytes;
    asked.parameters.resize(kernel->parameter_bytes);
    const auto put = [&](std::size_t parameter, const void* from, std::size_t bytes) {
      std::memcpy(asked.parameters.data() + kernel->parameters.at(parameter).offset, from, bytes);
    };
    put(0, map.data(), map.size());
    put(1, &request, sizeof request);
    put(2, &other_, sizeof other_);
    LaunchOptions options;
    options.settings.max_instructions = 20'000'000;
    return device_.launch(asked, options);
  }

  unsigned char* view(std::uint64_t address) {
    return reinterpret_cast<unsigned char*>(device_.memory().view(address, probe::kTensorBytes));
  }

  Device device_;
  Module module_;
  std::uint64_t tensor_, other_;
};

TEST(TensorCopies, LeaveWhatTheH200LeftOrAreRefusedWithAReason) {
  const auto answers = recorded_hashes("tensor_probe");
  ASSERT_EQ(answers.size(), probe::kCases);
  Boxes boxes;
  for (const auto& [number, theirs] : answers) {
    const std::string ours = boxes.answer(static_cast<unsigned>(std::stoul(number)));
    EXPECT_EQ(ours.substr(0, theirs.size()), theirs) << number << ": " << ours;
    if (theirs == "refused") {
      EXPECT_NE(ours.find("UTMA"), std::string::npos) << number;
    }
  }
}

}  // namespace
}  // namespace heddle::simulator
