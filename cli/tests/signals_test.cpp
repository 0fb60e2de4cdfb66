// What is left when `heddle` is asked to end: nothing.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tests/scratch_folder.hpp"

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

bool within(std::chrono::seconds limit, const std::function<bool()>& holds) {
  for (const auto end = std::chrono::steady_clock::now() + limit;
       std::chrono::steady_clock::now() < end;) {
    if (holds()) return true;
    std::this_thread::sleep_for(20ms);
  }
  return holds();
}

class Ending : public testing::Test {
 protected:
  fs::path temporary() const { return folder_ / "temporary"; }

  void start(std::vector<std::string> words) {
    fs::create_directory(temporary());
    heddle_ = fork();
    ASSERT_GE(heddle_, 0);
    if (heddle_ != 0) return;
    setenv("TMPDIR", temporary().c_str(), 1);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
    freopen("/dev/null", "w", stdout);
    freopen("/dev/null", "w", stderr);
    std::vector<char*> arguments{const_cast<char*>(HEDDLE_EXECUTABLE)};
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    _exit(99);
  }

  // A shell script that `heddle run` runs: it leaves its number first.
  void start_program(const std::string& script) {
    const fs::path number = folder_ / "number";
    start({"run", "--", "sh", "-c", "echo $$ > " + number.string() + "; " + script});
    ASSERT_TRUE(within(20s, [&] { return static_cast<bool>(std::ifstream(number) >> program_); }));
    EXPECT_FALSE(fs::is_empty(temporary()));
  }

  // As a shell says it.
  int status() {
    int status = 0;
    EXPECT_TRUE(within(20s, [&] { return waitpid(heddle_, &status, WNOHANG) == heddle_; }));
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

  void expect_nothing_left() {
    EXPECT_TRUE(within(5s, [&] { return kill(program_, 0) < 0 && errno == ESRCH; }));
    EXPECT_TRUE(fs::is_empty(temporary()));
  }

  const heddle::tests::ScratchFolder folder_;
  pid_t heddle_ = 0, program_ = 0;
};

// A program that is not built with the sanitizer cannot take a library that is.
#ifndef HEDDLE_SANITIZED
TEST_F(Ending, PassesTheSignalOnToTheProgram) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    start_program("exec sleep 60");
    kill(heddle_, signal);
    EXPECT_EQ(status(), 128 + signal);
    expect_nothing_left();
    fs::remove_all(temporary());
    fs::remove(folder_ / "number");
  }
}

TEST_F(Ending, KillsAProgramThatDoesNotEnd) {
  start_program("trap '' TERM; while :; do sleep 1; done");
  kill(heddle_, SIGTERM);
  EXPECT_EQ(status(), 128 + SIGTERM);
  expect_nothing_left();
}

TEST_F(Ending, KillsAProgramAtOnceAtTheSecondSignal) {
  start_program("trap '' INT; while :; do sleep 1; done");
  kill(heddle_, SIGINT);
  std::this_thread::sleep_for(100ms);
  const auto begin = std::chrono::steady_clock::now();
  kill(heddle_, SIGINT);
  EXPECT_EQ(status(), 128 + SIGINT);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 1800ms);
  expect_nothing_left();
}

// Nobody may be there who asks how it ended.
bool has_ended(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string number, name, state;
  return !(file >> number >> name >> state) || state == "Z";
}

TEST_F(Ending, TakesTheProgramAlongWhenItIsKilled) {
  start_program("exec sleep 60");
  kill(heddle_, SIGKILL);
  EXPECT_EQ(status(), 128 + SIGKILL);
  EXPECT_TRUE(within(5s, [&] { return has_ended(program_); }));
}

TEST_F(Ending, LeavesItsFolderToTheNextOneWhenItIsKilled) {
  start_program("exec sleep 60");
  kill(heddle_, SIGKILL);
  EXPECT_EQ(status(), 128 + SIGKILL);
  ASSERT_FALSE(fs::is_empty(temporary()));
  for (const auto& left : fs::directory_iterator(temporary()))
    fs::last_write_time(left, fs::file_time_type::clock::now() - 2min);
  start({"run", "--", "true"});
  EXPECT_EQ(status(), 0);
  EXPECT_TRUE(fs::is_empty(temporary()));
}
#endif

TEST_F(Ending, NeedsNoProgram) {
  const fs::path sketch = folder_ / "endless.warp";
  std::ofstream(sketch) << "__global__ void endless(int *out) {\n"
                           "  unsigned i = 1;\n"
                           "  while (i != 0) i += 2;\n"
                           "  out[0] = i;\n"
                           "}\n";
  start({"run", "--no-progress", "--grid", "1", "--block", "32", "--param", "out=zeros(64)",
         sketch.string()});
  ASSERT_TRUE(within(20s, [&] { return !fs::is_empty(temporary()); }));
  kill(heddle_, SIGTERM);
  EXPECT_EQ(status(), 128 + SIGTERM);
  EXPECT_TRUE(fs::is_empty(temporary()));
}

}  // namespace
