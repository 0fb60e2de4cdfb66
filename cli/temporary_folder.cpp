#include "cli/temporary_folder.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <mutex>
#include <set>
#include <stdexcept>
#include <system_error>

namespace heddle::cli {
namespace {

std::mutex mutex;

std::set<std::filesystem::path>& folders() {
  static auto& all = *new std::set<std::filesystem::path>;  // a thread may outlive main
  return all;
}

void remove_all_of(const std::filesystem::path& folder) {
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
}

}  // namespace

void remove_temporary_folders() {
  std::lock_guard lock(mutex);
  for (const std::filesystem::path& folder : folders()) remove_all_of(folder);
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "heddle-XXXXXX").string();
  std::lock_guard lock(mutex);
  if (mkdtemp(pattern.data()) == nullptr)
    throw std::runtime_error(fmt::format("{}: cannot be created", pattern));
  path_ = pattern;
  folders().insert(path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::lock_guard lock(mutex);
  remove_all_of(path_);
  folders().erase(path_);
}

}  // namespace heddle::cli
