#include "cli/source_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "cli/command.hpp"
#include "cli/step_launches.hpp"
#include "tests/scratch_folder.hpp"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;

class SourceFiles : public testing::Test {
 protected:
  SourceFiles() {
    fs::create_directories(input_ / "src");
    put(folder_ / "secret", "secret");
    put(input_ / "src" / "a.cu", "source");
  }
  static void put(const fs::path& file, const char* text) { std::ofstream(file) << text; }
  std::string text(const fs::path& path) const {
    return source_text(path.string(), {input_}).value_or("none");
  }
  const tests::ScratchFolder folder_;
  const fs::path input_ = folder_ / "input";
};

TEST_F(SourceFiles, AreFoundByTheEndOfTheirPath) {
  EXPECT_EQ(text("/built/elsewhere/src/a.cu"), "source");
  EXPECT_EQ(text("src/a.cu"), "source");
  EXPECT_EQ(text("/built/elsewhere/a.cu"), "none");
}

// A capsule's line table may name any file of this machine.
TEST_F(SourceFiles, OutsideTheFoldersAreNotRead) {
  const fs::path secret = folder_ / "secret";
  EXPECT_EQ(text(secret), "none");
  EXPECT_EQ(text("../secret"), "none");
  EXPECT_EQ(text("x/../../secret"), "none");
  fs::create_symlink(secret, input_ / "link.cu");
  fs::create_directory_symlink(folder_.path(), input_ / "up");
  EXPECT_EQ(text("link.cu"), "none");
  EXPECT_EQ(text("up/secret"), "none");
  fs::create_symlink("src/a.cu", input_ / "inside.cu");
  EXPECT_EQ(text("inside.cu"), "source");
  EXPECT_EQ(source_text(secret.string(), {kAsWritten}).value_or("none"), "secret");
}

TEST_F(SourceFiles, OfCapsulesAreNeverReadAsWritten) {
  const Command& step = find_command("step");
  const std::string capsule = (input_ / "x.capsule").string();
  EXPECT_THAT(source_folders(parse(step, {capsule})), testing::ElementsAre(input_));
  EXPECT_THAT(source_folders(parse(step, {input_.string()})), testing::ElementsAre(input_));
  EXPECT_THAT(source_folders(parse(step, {"--source-folder", "/src", capsule})),
              testing::ElementsAre("/src", input_));
  EXPECT_THAT(source_folders(parse(step, {"--", "./program"})), Contains(kAsWritten));
}

}  // namespace
}  // namespace heddle::cli
