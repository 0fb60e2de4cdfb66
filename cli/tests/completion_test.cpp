// What the shells complete.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "cli/help.hpp"
#include "cli/tests/shell.hpp"
#include "tests/scratch_folder.hpp"

namespace heddle::cli {
namespace {

using ::testing::HasSubstr;

// The words bash offers when the last of `words` is being typed.
std::string offered(const std::string& words) {
  const tests::ScratchFolder folder;
  std::ofstream(folder / "completion") << bash_completion();
  std::ofstream(folder / "ask") << "source " << (folder / "completion").string() << "\nCOMP_WORDS=("
                                << words << ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n"
                                << "_heddle heddle \"${COMP_WORDS[COMP_CWORD]}\"\n"
                                << "echo \"${COMPREPLY[*]}\"\n";
  return run_shell("bash --norc " + (folder / "ask").string() + " 2>&1").text;
}

TEST(BashCompletion, OffersCommandsOptionsAndTheirWords) {
  EXPECT_EQ(offered("heddle dis"), "disasm\n");
  EXPECT_EQ(offered("heddle run --ignore"), "--ignore-faults\n");
  EXPECT_EQ(offered("heddle run --gpu h2"), "h200\n");
  EXPECT_EQ(offered("heddle run --gpu = h2"), "h200\n");
  EXPECT_EQ(offered("heddle run --check memory,ra"), "memory,races\n");
  EXPECT_EQ(offered("heddle run --metrics branch_eff"), "branch_efficiency\n");
}

TEST(Completion, OfEveryShellHasEveryOptionAndWord) {
  const std::string zsh = zsh_completion(), fish = fish_completion();
  for (const Command& command : commands())
    for (const Option& option : command.options) {
      EXPECT_THAT(zsh, HasSubstr("*--" + std::string(option.name)));
      EXPECT_THAT(fish, HasSubstr("-l " + std::string(option.name)));
      if (option.names == nullptr) continue;
      for (const std::string& word : option.names()) {
        EXPECT_THAT(zsh, HasSubstr(word));
        EXPECT_THAT(fish, HasSubstr(word));
      }
    }
}

// Where the shells are there.
TEST(Completion, IsReadByItsShell) {
  const tests::ScratchFolder folder;
  std::ofstream(folder / "zsh") << zsh_completion();
  std::ofstream(folder / "fish") << fish_completion();
  EXPECT_EQ(
      run_shell("! command -v zsh >/dev/null || zsh -n " + (folder / "zsh").string() + " 2>&1")
          .text,
      "");
  EXPECT_EQ(
      run_shell("! command -v fish >/dev/null || fish -n " + (folder / "fish").string() + " 2>&1")
          .text,
      "");
}

TEST(ManPages, OfACommandHasItsOptions) {
  for (const Command& command : commands()) {
    const std::string page = man_page(command);
    EXPECT_THAT(page, HasSubstr(".TH HEDDLE-" + std::string(command.name)));
    for (const Option& option : command.options) {
      std::string spelt;
      for (const char c : option.name) spelt += c == '-' ? std::string("\\-") : std::string(1, c);
      EXPECT_THAT(page, HasSubstr("\\-\\-" + spelt));
    }
    EXPECT_THAT(man_page(), HasSubstr(std::string(command.name) + " (1)"));
  }
}

}  // namespace
}  // namespace heddle::cli
