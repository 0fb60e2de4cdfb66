#include "simulator/base/output_file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <future>
#include <iterator>

#include "simulator/base/file.hpp"
#include "tests/scratch_folder.hpp"

namespace heddle::simulator {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string contents(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void put(const fs::path& file, std::string_view text) { std::ofstream(file) << text; }

mode_t mode_of(const fs::path& file) {
  struct stat now {};
  EXPECT_EQ(lstat(file.c_str(), &now), 0) << file;
  return now.st_mode;
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

// What `action` returns in a process of its own; -1: a signal ended it.
int in_child(const std::function<int()>& action) {
  const pid_t child = fork();
  if (child == 0) _exit(action());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class OutputFileTest : public testing::Test {
 protected:
  // Root may write everything: `action` runs as someone who may not. True: it failed nowhere.
  bool as_ordinary_user(const std::function<void()>& action) const {
    return in_child([&] {
             constexpr uid_t kNobody = 65534;
             if (geteuid() == 0) {
               for (const auto& entry : fs::directory_iterator(folder_.path()))
                 if (chown(entry.path().c_str(), kNobody, kNobody) != 0) return 2;
               if (chown(folder_.path().c_str(), kNobody, kNobody) != 0) return 2;
               if (setresuid(kNobody, kNobody, kNobody) != 0) return 2;
             }
             action();
             return HasFailure() ? 1 : 0;
           }) == 0;
  }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }
  const tests::ScratchFolder folder_;
  const fs::path file_ = folder_ / "out";
};

TEST_F(OutputFileTest, IsAnExistingFilesModeKept) {
  put(file_, "old");
  fs::permissions(file_, fs::perms(0640));
  write_file(file_, "new");
  EXPECT_EQ(contents(file_), "new");
  EXPECT_EQ(mode_of(file_) & 07777, 0640u);
}

TEST_F(OutputFileTest, HasANewFileTheModeOfTheUmask) {
  const mode_t before = umask(027);
  write_file(file_, "new");
  umask(before);
  EXPECT_EQ(mode_of(file_) & 07777, 0640u);
}

TEST_F(OutputFileTest, AreLinksFollowed) {
  const fs::path link = folder_ / "link", second = folder_ / "second";
  fs::create_symlink("out", link);
  fs::create_symlink(link, second);
  write_file(second, "through a dangling link");
  EXPECT_EQ(contents(file_), "through a dangling link");
  write_file(second, "again");
  EXPECT_EQ(contents(file_), "again");
  EXPECT_TRUE(S_ISLNK(mode_of(link)));
  fs::remove(link);
  fs::create_symlink("second", link);
  EXPECT_THAT(error_of([&] { write_file(link, "in a circle"); }), HasSubstr("link"));
}

TEST_F(OutputFileTest, IsAFifoWrittenAndStaysOne) {
  ASSERT_EQ(mkfifo(file_.c_str(), 0600), 0);
  auto reader = std::async(std::launch::async, [&] { return contents(file_); });
  write_file(file_, "through a FIFO");
  EXPECT_EQ(reader.get(), "through a FIFO");
  EXPECT_TRUE(S_ISFIFO(mode_of(file_)));
}

// By a link: what a rename would replace is not the device of this machine.
TEST_F(OutputFileTest, IsADeviceWrittenAndAFullOneReported) {
  const fs::path null = folder_ / "null", full = folder_ / "full";
  fs::create_symlink("/dev/null", null);
  fs::create_symlink("/dev/full", full);
  write_file(null, "nowhere");
  EXPECT_TRUE(S_ISLNK(mode_of(null)));
  EXPECT_THAT(error_of([&] { write_file(full, "too much"); }), HasSubstr("No space left"));
  EXPECT_TRUE(S_ISLNK(mode_of(full)));
  StreamFile stream(full);
  stream.write("too much");
  stream.flush();
  EXPECT_THAT(error_of([&] { stream.check(); }), HasSubstr("full: cannot be written: No space"));
}

TEST_F(OutputFileTest, IsAShellsDescriptorWrittenWhereItStands) {
  const int descriptor = open(file_.c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(::write(descriptor, "before ", 7), 7);
  write_file(fs::path("/dev/fd") / std::to_string(descriptor), "after");
  StreamFile(fs::path("/proc/self/fd") / std::to_string(descriptor)).write(" it");
  close(descriptor);
  EXPECT_EQ(contents(file_), "before after it");
}

TEST_F(OutputFileTest, IsADashStandardOutput) {
  const int status = in_child([&] {
    dup2(open(file_.c_str(), O_WRONLY | O_CREAT, 0600), STDOUT_FILENO);
    std::fputs("printed, ", stdout);
    write_file("-", "written, ");
    StreamFile("-").write("streamed");
    return fs::exists("-") ? 1 : 0;
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(contents(file_), "printed, written, streamed");
}

TEST_F(OutputFileTest, IsNothingLeftOfAFileThatWasNotFinished) {
  put(file_, "old");
  { NewFile(file_).write(std::string(1 << 20, 'x')); }
  EXPECT_EQ(contents(file_), "old");
  EXPECT_EQ(in_child([&]() -> int {
              NewFile file(file_);
              file.write(std::string(1 << 20, 'x'));
              ::raise(SIGKILL);
              return 0;
            }),
            -1);
  EXPECT_EQ(contents(file_), "old");
  // The file system may know no files without a name: then the next one who writes removes it.
  for (const auto& entry : fs::directory_iterator(folder_.path())) {
    if (entry.path() == file_) continue;
    EXPECT_THAT(entry.path().string(), HasSubstr(".out.heddle-"));
  }
}

TEST_F(OutputFileTest, AreFilesOfKilledProcessesRemovedAndNoOthers) {
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(1);
  const fs::path left = folder_ / ".out.heddle-abc123", held = folder_ / ".out.heddle-held12",
                 young = folder_ / ".out.heddle-young1", other = folder_ / ".out.abc123";
  for (const fs::path& each : {left, held, young, other}) {
    put(each, "x");
    if (each != young) fs::last_write_time(each, old);
  }
  const int lock = open(held.c_str(), O_RDONLY);
  ASSERT_EQ(flock(lock, LOCK_EX), 0);
  write_file(file_, "new");
  EXPECT_FALSE(fs::exists(left));
  for (const fs::path& each : {held, young, other}) EXPECT_TRUE(fs::exists(each)) << each;
  close(lock);
}

TEST_F(OutputFileTest, IsAFileSizeLimitAnErrorAndNoSignal) {
  EXPECT_EQ(in_child([&] {
              const rlimit limit{1000, 1000};
              setrlimit(RLIMIT_FSIZE, &limit);
              const std::string error =
                  error_of([&] { write_file(file_, std::string(2000, 'x')); });
              StreamFile stream(folder_ / "stream");
              stream.write("whole\n");
              stream.flush();
              stream.write(std::string(2000, 'x'));
              stream.flush();
              return error.find("File too large") != error.npos && stream.error() == EFBIG ? 0 : 1;
            }),
            0);
  EXPECT_FALSE(fs::exists(file_));
  EXPECT_EQ(contents(folder_ / "stream"), "whole\n");
}

TEST_F(OutputFileTest, IsAReaderThatLeftAnErrorAndNoSignal) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  EXPECT_EQ(in_child([&] {
              StreamFile stream(ends[1], "pipe");
              stream.write("x");
              stream.flush();
              return stream.error() == EPIPE ? 0 : 1;
            }),
            0);
  close(ends[1]);
}

TEST_F(OutputFileTest, IsWhatCannotBeWrittenSaidBefore) {
  EXPECT_THAT(error_of([&] { check_output(folder_ / "missing" / "out"); }),
              HasSubstr("missing/out: cannot be written: No such file"));
  EXPECT_THAT(error_of([&] { check_output(folder_.path()); }), HasSubstr("directory"));
  EXPECT_THAT(error_of([&] { check_output(""); }), HasSubstr("No such file"));
  EXPECT_THAT(error_of([&] { check_output("/dev/fd/987"); }), HasSubstr("Bad file"));
  EXPECT_THAT(error_of([&] { check_output(folder_ / std::string(300, 'x')); }),
              HasSubstr("too long"));
  EXPECT_NO_THROW(check_output(file_));
  EXPECT_NO_THROW(check_output("/dev/null"));
  put(file_, "x");
  EXPECT_NO_THROW(check_output(file_));
  EXPECT_NO_THROW(check_output_folder(folder_ / "a" / "b"));
  EXPECT_THAT(error_of([&] { check_output_folder(file_ / "b"); }), HasSubstr("directory"));
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFileTest, IsAReadOnlyFileKept) {
  put(file_, "old");
  fs::permissions(file_, fs::perms(0444));
  EXPECT_TRUE(as_ordinary_user([&] {
    EXPECT_THAT(error_of([&] { check_output(file_); }), HasSubstr("Permission denied"));
    EXPECT_THAT(error_of([&] { write_file(file_, "new"); }), HasSubstr("Permission denied"));
  }));
  EXPECT_EQ(contents(file_), "old");
}

TEST_F(OutputFileTest, IsAFileWrittenWhoseFolderMayNotBe) {
  put(file_, "old and long");
  fs::permissions(folder_.path(), fs::perms(0500));
  EXPECT_TRUE(as_ordinary_user([&] {
    write_file(file_, "new");
    EXPECT_THAT(error_of([&] { write_file(folder_ / "another", "new"); }),
                HasSubstr("another: cannot be written: Permission denied"));
  }));
  fs::permissions(folder_.path(), fs::perms(0700));
  EXPECT_EQ(contents(file_), "new");
}

TEST_F(OutputFileTest, IsAStreamNeverWrittenIntoAFileOfSomeoneElse) {
  const fs::path other = folder_ / "other";
  EXPECT_EQ(in_child([&] {
              StreamFile stream(file_);
              stream.write("one\n");
              stream.flush();
              for (int each = 3; each < 2000; ++each) close(each);
              const int taken = open(other.c_str(), O_WRONLY | O_CREAT, 0600);
              for (int each = taken + 1; each < 64; ++each) dup2(taken, each);
              for (int each = 990; each < 1020; ++each) dup2(taken, each);
              stream.write("two\n");
              stream.flush();
              return stream.error();
            }),
            0);
  EXPECT_EQ(contents(file_), "one\ntwo\n");
  EXPECT_THAT(contents(other), IsEmpty());
}

TEST_F(OutputFileTest, IsTheLossOfAStreamWithoutANameSaid) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(in_child([&] {
              StreamFile stream(ends[1], "pipe");
              for (int each = 3; each < 2000; ++each) close(each);
              stream.write("lost");
              stream.flush();
              return stream.error() == EBADF ? 0 : 1;
            }),
            0);
  close(ends[0]);
  close(ends[1]);
}

TEST_F(OutputFileTest, CanAStreamForgetItsEnd) {
  StreamFile stream(file_);
  stream.write("[1\n]");
  EXPECT_TRUE(stream.can_take_back());
  stream.take_back(2);
  stream.write(",2\n]");
  stream.flush();
  EXPECT_EQ(contents(file_), "[1,2\n]");
}

}  // namespace
}  // namespace heddle::simulator
