#include "cli/source_files.hpp"

#include <algorithm>

#include "simulator/base/file.hpp"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytes = 4 << 20;

bool is_source(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error) && fs::file_size(file, error) <= kMostBytes;
}

// Neither ".." nor a link leads out of the folder.
bool is_within(const fs::path& file, const fs::path& folder) {
  std::error_code no_file, no_folder;
  const fs::path real = fs::canonical(file, no_file), root = fs::canonical(folder, no_folder);
  if (no_file || no_folder) return false;
  const auto [root_end, rest] = std::mismatch(root.begin(), root.end(), real.begin(), real.end());
  return root_end == root.end() && rest != real.end();
}

std::optional<fs::path> find(const fs::path& path, const std::vector<fs::path>& folders) {
  for (const fs::path& folder : folders) {
    if (folder == kAsWritten && is_source(path)) return path;
    for (fs::path end = path.relative_path(); !end.empty() && folder != kAsWritten;) {
      if (is_source(folder / end) && is_within(folder / end, folder)) return folder / end;
      fs::path shorter;
      for (auto part = std::next(end.begin()); part != end.end(); ++part) shorter /= *part;
      end = shorter;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> source_text(const std::string& path,
                                       const std::vector<fs::path>& folders) {
  if (const auto file = find(path, folders)) return simulator::read_file(*file, kMostBytes);
  return std::nullopt;
}

}  // namespace heddle::cli
