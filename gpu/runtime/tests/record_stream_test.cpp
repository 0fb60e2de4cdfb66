#include "gpu/runtime/record_stream.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "gpu/runtime/context.hpp"
#include "simulator/base/json.hpp"
#include "simulator/device/device.hpp"
#include "simulator/models/gpu_model.hpp"
#include "tests/scratch_folder.hpp"

namespace heddle::runtime {
namespace {

class RecordStreamTest : public testing::Test {
 protected:
  using Shapes = std::vector<LaunchShape>;
  // One launch of each shape on a context that writes its record.
  void run(bool complete, const Shapes& shapes = {{{1, 1, 1}, {64, 1, 1}}}, bool in_full = true) {
    const simulator::GpuModel& model = simulator::gpu_model("h200");
    auto writer = std::make_shared<RecordStreamWriter>(
        std::make_unique<simulator::StreamFile>(path), model,
        RecordStreamOptions{17, {"./program", "64"}, in_full, in_full});
    {
      ContextOptions options;
      options.observers = {writer};
      Context context(model, options);
      std::ifstream file(HEDDLE_SOURCE_DIR "/gpu/runtime/tests/data/accumulate.fatbin",
                         std::ios::binary);
      const std::string fat{std::istreambuf_iterator<char>(file), {}};
      CodeImage* image = nullptr;
      std::string why;
      ASSERT_EQ(context.load(std::as_bytes(std::span(fat)), "accumulate", image, why),
                Error::success)
          << why;
      std::uint64_t data = 0;
      context.allocate(256, "data", data);
      int factor = 2;
      void* arguments[] = {&data, &factor};
      for (const LaunchShape& shape : shapes)
        ASSERT_EQ(context.launch(*image->function("accumulate"), shape, arguments,
                                 *context.stream(nullptr, DefaultStream::legacy)),
                  Error::success);
    }
    if (complete) writer->complete();
  }
  void cut(std::uint64_t bytes) {
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - bytes);
  }
  const tests::ScratchFolder folder;
  const std::filesystem::path path = folder / "record";
};

TEST_F(RecordStreamTest, BecomesARecord) {
  run(true);
  const simulator::Record record = read_record_stream(path);
  EXPECT_TRUE(record.complete);
  EXPECT_EQ(record.source, "model");
  EXPECT_EQ(record.device, "NVIDIA H200");
  EXPECT_EQ(record.arch, "sm_90");
  EXPECT_EQ(record.program, (std::vector<std::string>{"./program", "64"}));
  ASSERT_EQ(record.launches.size(), 1u);
  EXPECT_EQ(record.launches[0].kernel, "accumulate");
  EXPECT_EQ(record.launches[0].block.x, 64u);
  EXPECT_FALSE(record.launches[0].instructions.empty());
  EXPECT_FALSE(record.launches[0].memory.empty());
}

TEST_F(RecordStreamTest, SaysOnceWhatLaunchesHaveInCommon) {
  const LaunchShape one{{1, 1, 1}, {64, 1, 1}}, smaller{{1, 1, 1}, {32, 1, 1}};
  LaunchShape shared = one;
  shared.dynamic_shared_bytes = 16;
  run(true, {one, one, shared, smaller, one, shared}, false);
  const simulator::Record record = read_record_stream(path);
  ASSERT_EQ(record.launches.size(), 6u);
  for (std::size_t i = 0; i < record.launches.size(); ++i) EXPECT_EQ(record.launches[i].index, i);
  const auto body = [&](std::size_t i) {
    simulator::LaunchRecord launch = record.launches[i];
    launch.index = 0;
    return to_json(launch);
  };
  EXPECT_EQ(body(1), body(0));
  EXPECT_EQ(body(4), body(0));
  EXPECT_EQ(body(5), body(2));
  EXPECT_EQ(record.launches[2].dynamic_shared_bytes, 16u);
  EXPECT_EQ(record.launches[3].block.x, 32u);
  std::ifstream file(path);
  std::size_t again = 0;
  for (std::string line; std::getline(file, line);)
    again += line.find("\"as\":") != std::string::npos ? 1 : 0;
  EXPECT_EQ(again, 3u);
}

TEST_F(RecordStreamTest, SaysWhatTheHostTookForALaunch) {
  run(true);
  RecordStreamReader reader(path);
  reader.read_on();
  ASSERT_EQ(reader.seconds().size(), 1u);
  EXPECT_GT(reader.seconds()[0], 0.0);
}

TEST_F(RecordStreamTest, KeepsWhatWasFinishedBeforeACrash) {
  run(false);
  EXPECT_FALSE(read_record_stream(path).complete);
  EXPECT_EQ(read_record_stream(path).launches.size(), 1u);
  cut(10);
  EXPECT_FALSE(read_record_stream(path).complete);
  EXPECT_EQ(read_record_stream(path).launches.size(), 0u);
}

TEST_F(RecordStreamTest, SaysHowFarALaunchWasThatHadNotEnded) {
  static std::chrono::steady_clock::time_point time;
  const simulator::GpuModel& model = simulator::gpu_model("h200");
  RecordStreamOptions options{17, {"./program"}, false, false};
  options.now = [] { return time; };
  RecordStreamWriter writer(std::make_unique<simulator::StreamFile>(path), model, options);
  simulator::Device device(model);
  isa::Kernel kernel;
  kernel.name = "_Z4slowv";
  simulator::LaunchRequest request;
  request.kernel = &kernel;
  writer.before(device, request);
  time += std::chrono::milliseconds(50);
  writer.during({.blocks_ended = 1, .blocks = 132});
  RecordStreamReader reader(path);
  reader.read_on();
  EXPECT_FALSE(reader.running());  // short launches leave nothing
  time += std::chrono::milliseconds(60);
  writer.during({.blocks_ended = 10, .blocks = 132});
  reader.read_on();
  ASSERT_TRUE(reader.running());
  EXPECT_EQ(reader.running()->kernel, "_Z4slowv");
  EXPECT_EQ(reader.running()->index, 0u);
  EXPECT_EQ(reader.running()->blocks_ended, 10u);
  EXPECT_EQ(reader.running()->blocks, 132u);
  EXPECT_FALSE(reader.record().complete);
}

TEST_F(RecordStreamTest, KeepsCallsOfLibrariesWithTheLaunchTheyCameBefore) {
  const LibraryCall call{0, "cublasSgemm_v2", "float32", "m=2 n=3 k=4"};
  RecordStreamWriter writer(std::make_unique<simulator::StreamFile>(path),
                            simulator::gpu_model("h200"),
                            RecordStreamOptions{17, {"./program"}, false, false});
  LibraryCall given = call;
  given.before = 99;
  writer.library_call(given);
  RecordStreamReader reader(path);
  reader.read_on();
  EXPECT_EQ(reader.library_calls(), std::vector{call});  // no launch came before it
  EXPECT_EQ(reader.record().launches.size(), 0u);
}

TEST_F(RecordStreamTest, OtherFilesAreRefusedWithTheirLine) {
  const auto error_of = [this](const char* text) {
    std::ofstream(path) << text;
    try {
      read_record_stream(path);
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_NE(error_of("").find("empty"), std::string::npos);
  EXPECT_NE(error_of("no json\n").find(":1:"), std::string::npos);
  EXPECT_NE(error_of("{\"schema\":\"other\"}\n").find(":1:"), std::string::npos);
  EXPECT_NE(error_of("{\"schema\":\"heddle.record-stream/3\",\"device\":\"d\",\"arch\":\"sm_90\","
                     "\"program\":[]}\n[]\n{}\n")
                .find(":2:"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle::runtime
