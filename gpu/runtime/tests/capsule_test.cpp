#include "gpu/runtime/capsule.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "gpu/runtime/capsule_writer.hpp"
#include "gpu/runtime/context.hpp"
#include "simulator/base/file.hpp"
#include "tests/scratch_folder.hpp"

namespace heddle::runtime {
namespace {

std::vector<std::byte> read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

Capsule small_capsule() {
  Capsule capsule;
  capsule.model = "h200";
  capsule.origin = "some.cu";
  capsule.kernel = "_Z4somePi";
  capsule.grid = {3, 2, 1};
  capsule.block = {64, 1, 1};
  capsule.dynamic_shared_bytes = 128;
  capsule.stack_limit = 1024;
  capsule.preferred_carveout = 40;
  capsule.cubin = std::vector<std::byte>(500, std::byte{7});
  capsule.parameters = std::vector<std::byte>(8, std::byte{1});
  capsule.allocations = {{0x1000, 16, 0, true, ".nv.global"},
                         {0x100000, 9000, 1, false, "cudaMalloc"}};
  capsule.before = {{0x100000, std::vector<std::byte>(4096, std::byte{2})}};
  capsule.after = {{0x100000, std::vector<std::byte>(4096, std::byte{3})},
                   {0x102000, std::vector<std::byte>(808, std::byte{2})}};
  return capsule;
}

TEST(Capsule, IsReadAsItWasWritten) {
  const Capsule before = small_capsule();
  const std::string bytes = encode_capsule(before);
  const Capsule after = decode_capsule(bytes, "test");
  EXPECT_EQ(after.kernel, before.kernel);
  EXPECT_EQ(after.grid, before.grid);
  EXPECT_EQ(after.preferred_carveout, before.preferred_carveout);
  EXPECT_EQ(after.cubin, before.cubin);
  EXPECT_EQ(after.before, before.before);
  EXPECT_EQ(after.after, before.after);
  ASSERT_EQ(after.allocations.size(), 2u);
  EXPECT_TRUE(after.allocations[0].of_module);
  EXPECT_EQ(after.allocations[1].label, "cudaMalloc");
  EXPECT_EQ(encode_capsule(after), bytes);
}

TEST(Capsule, StoresEqualPagesOnce) {
  Capsule capsule = small_capsule();
  capsule.before.clear();
  std::mt19937 random(1);
  std::vector<std::byte> noise(4096);
  for (std::byte& each : noise) each = static_cast<std::byte>(random());
  for (std::uint64_t i = 0; i < 1000; ++i) capsule.before.push_back({0x100000 + 4096 * i, noise});
  EXPECT_LT(encode_capsule(capsule).size(), 12000u);
}

// As the codec writes it, and compressed as well as can be.
std::string compressed_best(const std::string& bytes) {
  constexpr std::size_t kHeader = 16;
  const std::string_view body = std::string_view(bytes).substr(kHeader);
  return bytes.substr(0, kHeader) +
         simulator::compress(simulator::decompress(body, kMostCapsuleBytes, "test"));
}

// Few bytes may say of one page that it lies in a million places.
TEST(Capsule, ExpandsToNoMoreThanAThousandTimesTheFile) {
  constexpr std::uint64_t kPages = 5000;
  Capsule capsule = small_capsule();
  capsule.after.clear();
  capsule.before.clear();
  capsule.allocations[1].bytes = kPages * kCapsulePage;
  const std::vector<std::byte> same(kCapsulePage, std::byte{7});
  for (std::uint64_t i = 0; i < kPages; ++i)
    capsule.before.push_back({0x100000 + kCapsulePage * i, same});
  const std::string bytes = encode_capsule(capsule);
  EXPECT_EQ(decode_capsule(bytes, "test").before.size(), kPages);
  const std::string smaller = compressed_best(bytes);
  ASSERT_LT(smaller.size(), bytes.size());
  EXPECT_THROW(decode_capsule(smaller, "hostile"), CapsuleError);
}

TEST(Capsule, APageOutsideItsAllocationsIsNotCopied) {
  Capsule capsule = small_capsule();
  capsule.before[0].address = 0x200000;
  EXPECT_THROW(decode_capsule(encode_capsule(capsule), "hostile"), CapsuleError);
  capsule = small_capsule();
  capsule.after[1].bytes.pop_back();
  EXPECT_THROW(decode_capsule(encode_capsule(capsule), "hostile"), CapsuleError);
}

// Every file that starts like a capsule and is none must be refused, and quickly.
void expect_refused(std::string_view bytes) {
  try {
    const Capsule capsule = decode_capsule(bytes, "hostile");
    const CapsuleLaunch launch(capsule, "hostile");
    ADD_FAILURE() << "accepted " << bytes.size() << " bytes";
  } catch (const CapsuleError& error) {
    EXPECT_NE(std::string(error.what()).find("hostile"), std::string::npos) << error.what();
  } catch (const isa::CubinError&) {
  }
}

TEST(Capsule, RefusesWhatIsCutShort) {
  const std::string bytes = encode_capsule(small_capsule());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    expect_refused(std::string_view(bytes).substr(0, size));
}

TEST(Capsule, RefusesSizesThatLie) {
  const std::string whole = encode_capsule(small_capsule());
  const std::string header = whole.substr(0, 16);
  const std::string contents = simulator::decompress(whole.substr(16), 1 << 20, "test");
  const std::uint64_t lie = 0x7fff'ffff'ffff'fff0;
  for (std::size_t at = 0; at + 8 <= contents.size(); ++at) {
    std::string changed = contents;
    std::memcpy(changed.data() + at, &lie, sizeof lie);
    expect_refused(header + simulator::compress(changed));
  }
}

TEST(Capsule, RefusesOtherVersionsAndOtherFiles) {
  std::string bytes = encode_capsule(small_capsule());
  expect_refused("");
  expect_refused("HEDDLCAP");
  expect_refused(std::string(1000, 'x'));
  bytes[8] = 99;
  expect_refused(bytes);
}

TEST(Capsule, FileNamesHoldNoPaths) {
  EXPECT_EQ(capsule_file_name(3, "_Z1kPf"), "0003-_Z1kPf.capsule");
  EXPECT_EQ(capsule_file_name(3, "../../etc/passwd\n"), "0003-etcpasswd.capsule");
  EXPECT_EQ(capsule_file_name(12345, std::string(5000, 'a')).size(), 6 + 100 + 8u);
}

// Runs what a program would: loads code, allocates, launches; then replays what was captured.
class CapturedLaunch : public testing::Test {
 protected:
  static constexpr int kThreads = 64;
  void SetUp() override {
    ContextOptions options;
    options.observers = {std::make_shared<CapsuleWriter>(directory.path()),
                         std::make_shared<CapsuleWriter>(directory / "same", "regex:accum"),
                         std::make_shared<CapsuleWriter>(directory / "other", "accum")};
    options.notice = [](const std::string& text) { ADD_FAILURE() << text; };
    Context context(simulator::gpu_model("h200"), options);
    CodeImage* image = nullptr;
    std::string why;
    const auto fat = read_bytes(HEDDLE_SOURCE_DIR "/gpu/runtime/tests/data/accumulate.fatbin");
    ASSERT_EQ(context.load(fat, "accumulate", image, why), Error::success) << why;
    Function* function = image->function("accumulate");
    ASSERT_NE(function, nullptr);
    std::uint64_t unused = 0, data = 0;
    context.allocate(5000, "unused", unused);
    context.allocate(4 * kThreads, "data", data);
    const auto zero = context.stream(nullptr, DefaultStream::legacy);
    context.fill({{data}, {4 * kThreads}, 1}, *zero, true);
    int factor = 3;
    void* arguments[] = {&data, &factor};
    for (int i = 0; i < 2; ++i)
      ASSERT_EQ(context.launch(*function, {{1, 1, 1}, {kThreads, 1, 1}}, arguments, *zero),
                Error::success);
    ASSERT_EQ(context.synchronize(), Error::success);
  }
  const tests::ScratchFolder directory;
  const std::filesystem::path second = directory / "0001-accumulate.capsule";
};

TEST_F(CapturedLaunch, IsOfTheChosenKernel) {
  EXPECT_TRUE(std::filesystem::exists(directory / "same/0001-accumulate.capsule"));
  EXPECT_TRUE(std::filesystem::is_empty(directory / "other"));
}

TEST_F(CapturedLaunch, ReplaysToTheSameMemory) {
  const Capsule capsule = load_capsule(second);
  CapsuleLaunch launch(capsule, "second");
  EXPECT_FALSE(launch.differences(capsule).empty());  // nothing has run yet
  const auto outcome = launch.run({});
  EXPECT_FALSE(outcome.fault) << outcome.fault->message();
  EXPECT_TRUE(launch.differences(capsule).empty());
}

TEST_F(CapturedLaunch, HoldsWhatTheLaunchChanged) {
  const Capsule capsule = load_capsule(second);
  ASSERT_EQ(capsule.after.size(), 2u);   // the data, and the module's counter
  EXPECT_EQ(capsule.before.size(), 3u);  // … and its constants
  EXPECT_EQ(capsule.kernel, "accumulate");
}

TEST_F(CapturedLaunch, DifferencesAreFound) {
  Capsule capsule = load_capsule(second);
  CapsuleLaunch launch(capsule, "second");
  launch.run({});
  capsule.after[0].bytes[2] ^= std::byte{1};
  const auto differences = launch.differences(capsule);
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_EQ(differences[0].address, capsule.after[0].address + 2);
}

TEST_F(CapturedLaunch, RunsOnTheGpuThatIsAskedFor) {
  CapsuleLaunch captured(load_capsule(second), "second");
  CapsuleLaunch moved(load_capsule(second, "h100"), "second");
  EXPECT_EQ(captured.device().model().id, "h200");
  EXPECT_EQ(moved.device().model().id, "h100");
}

TEST_F(CapturedLaunch, GivesTheSameBytesEveryTime) {
  const auto first_time = read_bytes(second);
  SetUp();
  EXPECT_EQ(read_bytes(second), first_time);
}

TEST_F(CapturedLaunch, ContradictionsAreRefused) {
  const Capsule capsule = load_capsule(second);
  const auto refused = [](const Capsule& changed) {
    EXPECT_THROW(CapsuleLaunch(changed, "changed"), CapsuleError);
  };
  Capsule changed = capsule;
  changed.kernel = "other";
  refused(changed);
  changed = capsule;
  changed.model = "gpu9000";
  refused(changed);
  changed.model = "t4";  // which does not run code for sm_90
  EXPECT_THROW(CapsuleLaunch(changed, "changed"), CodeForAnotherGpu);
  changed = capsule;
  changed.parameters.pop_back();
  refused(changed);
  changed = capsule;
  changed.allocations.erase(changed.allocations.begin());  // the module's
  refused(changed);
  changed = capsule;
  changed.before[0].address += 8;
  refused(changed);
  changed = capsule;
  changed.allocations.push_back({capsule.allocations[1].address, 8, 9, false, "twice"});
  refused(changed);
  changed = capsule;
  changed.stack_limit = std::uint64_t{1} << 32;
  refused(changed);
  changed = capsule;
  changed.grid.x = 0;
  refused(changed);
}

}  // namespace
}  // namespace heddle::runtime
