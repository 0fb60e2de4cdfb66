// Grids that launch others without end, as device code can.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "gpu/runtime/context.hpp"
#include "simulator/base/file.hpp"
#include "simulator/device/device.hpp"
#include "simulator/launch/device_launches.hpp"
#include "simulator/models/gpu_model.hpp"

namespace heddle::runtime {
namespace {

// Puts down for each grid what a kernel that launches itself twice would.
class LaunchTwice : public LaunchObserver {
 public:
  void before(simulator::Device&, const simulator::LaunchRequest&) override { ++grids; }
  void after(simulator::Device& device, const simulator::LaunchRequest& request,
             const simulator::LaunchOutcome&) override {
    const auto bytes = static_cast<std::uint32_t>(request.parameters.size());
    const simulator::DeviceLaunch child{.kernel = request.module->program().entry(*request.kernel),
                                        .grid = request.grid,
                                        .block = request.block,
                                        .dynamic_shared_bytes = 0,
                                        .parameter_bytes = bytes};
    simulator::DeviceLaunches::create(device.memory());
    simulator::DeviceLaunches launches(device.memory());
    for (int i = 0; i < 2; ++i) {
      const std::uint64_t parameters = launches.prepare(child, {});
      std::memcpy(device.memory().view(parameters, bytes), request.parameters.data(), bytes);
      ASSERT_TRUE(launches.launch(parameters, 0, {}));
    }
  }
  std::uint64_t grids = 0;
};

// Each is kept in the record, so that memory would grow without end.
TEST(NestedLaunches, EndAtTheirLimitWithAnErrorAndAMessage) {
  const auto twice = std::make_shared<LaunchTwice>();
  std::string said;
  ContextOptions options;
  options.observers = {twice};
  options.notice = [&](const std::string& text) { said += text; };
  options.most_grids = 5;
  Context context(simulator::gpu_model("h200"), options);
  const std::string fat =
      simulator::read_file(HEDDLE_SOURCE_DIR "/gpu/runtime/tests/data/accumulate.fatbin", 1 << 20);
  CodeImage* image = nullptr;
  std::string why;
  ASSERT_EQ(context.load(std::as_bytes(std::span(fat)), "accumulate", image, why), Error::success);
  std::uint64_t data = 0;
  ASSERT_EQ(context.allocate(256, "data", data), Error::success);
  int factor = 2;
  void* arguments[] = {&data, &factor};
  ASSERT_EQ(context.launch(*image->function("accumulate"), {{1, 1, 1}, {32, 1, 1}}, arguments,
                           *context.stream(nullptr, DefaultStream::legacy)),
            Error::success);
  EXPECT_EQ(context.synchronize(), Error::launch_timeout);
  EXPECT_EQ(twice->grids, 5u);
  EXPECT_THAT(said, testing::HasSubstr("exceed 5 grids"));
}

}  // namespace
}  // namespace heddle::runtime
