// Writing files. Errors are std::runtime_error naming the path; a full disk, a file size limit and
// a reader that left are such errors.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "simulator/base/output_target.hpp"
#include "simulator/base/own_descriptor.hpp"

namespace heddle::simulator {

// A result, all or nothing: a regular file is written out of sight, then synced and renamed over
// the old one, whose mode and owner it gets. After a crash or on a full disk there is the old file
// or the new one. Where a file cannot be renamed (a bind mount, a folder that may not be written),
// its contents are copied over the old ones, once there is room for them. What is no regular file
// is written as it comes.
class NewFile {
 public:
  explicit NewFile(std::filesystem::path path);
  ~NewFile();  // what was not put in place is removed
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  void write(std::string_view bytes);
  void put_in_place();

 private:
  bool create_in(const std::filesystem::path& folder, bool may_copy);
  void flush();
  void keep_mode_and_owner() const;
  bool rename_into_place();
  void copy_into_place() const;

  const std::filesystem::path path_;
  const OutputTarget target_;
  OwnDescriptor descriptor_;
  std::string temporary_;  // the name it has meanwhile; empty: none
  std::string buffer_;
  bool copied_ = false;  // rather than renamed
};
void write_file(const std::filesystem::path& path, std::string_view bytes);

// Whether a result there replaces a file as a whole, rather than being written as it comes.
bool is_replaced_as_a_whole(const std::filesystem::path& path);

// What grows while others read it: a trace. The file is emptied or made at once. After the first
// failure nothing more is written and check() throws; only opening throws otherwise. Part of a
// write that failed is taken back.
class StreamFile {
 public:
  enum class Start { empty, append };
  explicit StreamFile(const std::filesystem::path& path, Start start = Start::empty);
  // Of a descriptor of someone else, which stays open; `name` is for messages.
  StreamFile(int descriptor, std::filesystem::path name);
  ~StreamFile();  // what is buffered is written
  StreamFile(const StreamFile&) = delete;
  StreamFile& operator=(const StreamFile&) = delete;

  void write(std::string_view bytes);  // buffered
  void flush();
  void check() const;
  int error() const { return error_; }  // errno of the first failure; 0: none
  // Forgets the last bytes of the file; not of a FIFO or a descriptor.
  bool can_take_back() const { return !name_.empty(); }
  void take_back(std::size_t bytes);

 private:
  bool reopen();

  const std::filesystem::path path_;
  OwnDescriptor descriptor_;
  std::filesystem::path name_;  // of a regular file, which can be opened again, and cut; or empty
  std::string buffer_;
  int error_ = 0;
};

// stderr where no path is given.
std::unique_ptr<StreamFile> file_or_stderr(const std::filesystem::path& path);

}  // namespace heddle::simulator
