// Where a path leads that something is to be written to.
#pragma once

#include <sys/types.h>

#include <filesystem>

namespace heddle::simulator {

// "-" is standard output. A name of one of our descriptors (/dev/stdout, /dev/fd/3, a shell's
// >(command)) is that descriptor. A regular file, or nothing yet, is replaced as a whole. Anything
// else (a device, a FIFO) is opened and written.
struct OutputTarget {
  enum class Kind { descriptor, regular, special };
  Kind kind = Kind::regular;
  std::filesystem::path path;  // behind all symbolic links
  int descriptor = -1;
  bool exists = false;
  // Of a regular file that exists.
  mode_t mode = 0;
  uid_t owner = 0;
  gid_t group = 0;
};

inline constexpr const char* kStandardOutput = "-";

// Throws std::runtime_error naming the path: a folder, too many links, a folder that is missing.
OutputTarget output_target(const std::filesystem::path& path);

// Before a run: whether a result could be written there as things are. Opens and creates nothing.
// Throws std::runtime_error naming the path.
void check_output(const std::filesystem::path& path);
// The same of a folder that is created where it is missing, with those above it.
void check_output_folder(const std::filesystem::path& path);

[[noreturn]] void output_failure(const std::filesystem::path& path, int error);

}  // namespace heddle::simulator
