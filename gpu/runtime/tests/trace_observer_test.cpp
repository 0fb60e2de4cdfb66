#include "gpu/runtime/trace_observer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "gpu/runtime/context.hpp"
#include "simulator/models/gpu_model.hpp"
#include "tests/scratch_folder.hpp"

namespace heddle::runtime {
namespace {

TEST(TraceObserver, TracesTheLaunchesOfAContext) {
  const tests::ScratchFolder folder;
  const std::filesystem::path path = folder / "trace.txt";
  {
    ContextOptions options;
    options.observers = {std::make_shared<TraceObserver>(traces::make_trace(traces::trace_options(
        {{"trace", "text=" + path.string()}, {"trace-warp", "1"}, {"trace-count", "3"}})))};
    Context context(simulator::gpu_model("h200"), std::move(options));
    std::ifstream file(HEDDLE_SOURCE_DIR "/gpu/runtime/tests/data/accumulate.fatbin",
                       std::ios::binary);
    const std::string fat{std::istreambuf_iterator<char>(file), {}};
    CodeImage* image = nullptr;
    std::string why;
    ASSERT_EQ(context.load(std::as_bytes(std::span(fat)), "accumulate", image, why), Error::success)
        << why;
    std::uint64_t data = 0;
    context.allocate(256, "data", data);
    int factor = 2;
    void* arguments[] = {&data, &factor};
    for (int i = 0; i < 2; ++i)
      ASSERT_EQ(context.launch(*image->function("accumulate"), {{1, 1, 1}, {64, 1, 1}}, arguments,
                               *context.stream(nullptr, DefaultStream::legacy)),
                Error::success);
  }
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(text, testing::HasSubstr("launch 0: accumulate"));
  EXPECT_THAT(text, testing::HasSubstr("launch 1: accumulate"));
  EXPECT_THAT(text, testing::ContainsRegex("\n +[0-9]+ +0 +1  0020  #{32}  "));
  EXPECT_THAT(text, testing::HasSubstr("more lines: --trace-count"));
}

}  // namespace
}  // namespace heddle::runtime
