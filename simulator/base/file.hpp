// Whole files, safely: bounded on the way in; output_file.hpp says how they go out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/base/output_file.hpp"

namespace heddle::simulator {

// Throws std::runtime_error when the file cannot be read or is longer than `limit` bytes.
std::string read_file(const std::filesystem::path& path, std::uint64_t limit);

// The same, and only of a regular file: for names that stand in files we did not write. A pipe or a
// device could make us wait for ever.
std::string read_regular_file(const std::filesystem::path& path, std::uint64_t limit);

// Zstandard, one frame. decompress throws std::runtime_error naming `origin` when the input is not
// whole and valid, or would grow beyond `limit` bytes or beyond `kMaxRatio` times its size.
inline constexpr std::uint64_t kMaxRatio = 1000;
inline constexpr int kBestCompression = 19;
inline constexpr int kQuickCompression = 12;  // records: 5 % larger, in 2 % of the time
std::string compress(std::string_view bytes, int level = kBestCompression);
std::string decompress(std::string_view bytes, std::uint64_t limit, std::string_view origin);

}  // namespace heddle::simulator
