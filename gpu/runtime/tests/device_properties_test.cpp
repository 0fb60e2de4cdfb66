#include "gpu/runtime/device_properties.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "simulator/models/gpu_model.hpp"

namespace heddle::runtime {
namespace {

int attribute(const char* model, int number) {
  return device_attribute(simulator::gpu_model(model), number).value();
}

TEST(DeviceProperties, DescribeAnH200) {
  const abi::DeviceProp prop = device_properties(simulator::gpu_model("h200"));
  EXPECT_STREQ(prop.name, "NVIDIA H200");
  EXPECT_EQ(prop.major, 9);
  EXPECT_EQ(prop.minor, 0);
  EXPECT_EQ(prop.multiProcessorCount, 132);
  EXPECT_EQ(prop.warpSize, 32);
  EXPECT_EQ(prop.maxThreadsDim[2], 64);
  EXPECT_EQ(prop.maxGridSize[0], 2147483647);
  EXPECT_EQ(prop.sharedMemPerBlock, 49152u);
  EXPECT_EQ(prop.sharedMemPerBlockOptin, 232448u);
  EXPECT_EQ(prop.sharedMemPerMultiprocessor, 233472u);
  EXPECT_EQ(prop.maxTexture2DLinear[2], 2097120);
  EXPECT_EQ(prop.clusterLaunch, 1);
}

TEST(DeviceProperties, FollowTheModel) {
  EXPECT_EQ(attribute("t4", 75), 7);
  EXPECT_EQ(attribute("t4", 76), 5);
  EXPECT_EQ(attribute("t4", 39), 1024);
  EXPECT_EQ(attribute("t4", 87), 32);
  EXPECT_EQ(attribute("t4", 120), 0);
  EXPECT_EQ(attribute("a100", 87), 2);
}

TEST(DeviceProperties, AttributesThatCudaDoesNotHaveAreAbsent) {
  EXPECT_FALSE(device_attribute(simulator::gpu_model("h200"), 0));
  EXPECT_FALSE(device_attribute(simulator::gpu_model("h200"), 148));
  EXPECT_FALSE(device_attribute(simulator::gpu_model("h200"), 1000));
  EXPECT_EQ(device_attributes().front(), 1);
  EXPECT_TRUE(std::ranges::is_sorted(device_attributes()));
}

}  // namespace
}  // namespace heddle::runtime
