// A file that a trace writes.
#pragma once

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

namespace heddle::traces {

using OutputFile = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

// `mode` as of fopen. Throws std::system_error naming the file.
inline OutputFile open_file(const std::filesystem::path& path, const char* mode) {
  OutputFile file(std::fopen(path.c_str(), mode), &std::fclose);
  if (!file)
    throw std::system_error(errno, std::generic_category(), "cannot write " + path.string());
  return file;
}

// Null, for stderr, where no path is given.
inline OutputFile open_file_if_named(const std::filesystem::path& path) {
  return path.empty() ? OutputFile(nullptr, &std::fclose) : open_file(path, "w");
}

}  // namespace heddle::traces
