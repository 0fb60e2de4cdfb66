#include "cli/source_files.hpp"

#include "simulator/base/file.hpp"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytes = 4 << 20;

bool is_source(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error) && fs::file_size(file, error) <= kMostBytes;
}

std::optional<fs::path> find(const fs::path& path, const std::vector<fs::path>& folders) {
  for (const fs::path& folder : folders) {
    if (folder == kAsWritten && is_source(path)) return path;
    for (fs::path end = path.relative_path(); !end.empty() && folder != kAsWritten;) {
      if (is_source(folder / end)) return folder / end;
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
