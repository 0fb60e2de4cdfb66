#include "cli/temporary_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace heddle::cli {
namespace {

// Memory may run out while it is held, and remove_temporary_folders needs it again then.
std::recursive_mutex mutex;

// Each with a descriptor that holds a lock on it, so that others see it is in use.
std::map<std::filesystem::path, int>& folders() {
  static auto& all = *new std::map<std::filesystem::path, int>;  // a thread may outlive main
  return all;
}

constexpr std::string_view kName = "heddle-run-";

// The lock on a folder, or -1.
int lock(const std::filesystem::path& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
  if (descriptor >= 0) close(descriptor);
  return -1;
}

// Called while a process ends. What it lacked for a moment, such as memory, may be there the second
// time.
void remove_all_of(const std::filesystem::path& folder) noexcept {
  for (int left = 2; left != 0; --left) try {
      std::error_code failed;
      std::filesystem::remove_all(folder, failed);
      if (!failed) return;
    } catch (const std::bad_alloc&) {
    }
}

// What processes have left that were killed: folders that nobody holds. New ones may not be locked
// yet.
void remove_abandoned(const std::filesystem::path& in) {
  constexpr std::chrono::minutes kYoung{1};
  std::error_code failed;
  const auto now = std::filesystem::file_time_type::clock::now();
  for (const auto& entry : std::filesystem::directory_iterator(in, failed)) {
    if (!entry.path().filename().string().starts_with(kName)) continue;
    const auto changed = entry.last_write_time(failed);
    if (failed || now - changed < kYoung) continue;
    const int held = lock(entry.path());
    if (held < 0) continue;
    remove_all_of(entry.path());
    close(held);
  }
}

}  // namespace

void remove_temporary_folders() {
  std::lock_guard guard(mutex);
  for (const auto& [folder, descriptor] : folders()) remove_all_of(folder);
}

TemporaryFolder::TemporaryFolder() {
  const std::filesystem::path in = std::filesystem::temp_directory_path();
  std::string pattern = (in / fmt::format("{}XXXXXX", kName)).string();
  std::lock_guard guard(mutex);
  if (folders().empty()) remove_abandoned(in);
  if (mkdtemp(pattern.data()) == nullptr)
    throw std::runtime_error(fmt::format("{}: cannot be created", pattern));
  try {
    path_ = pattern;
    folders()[path_] = lock(path_);
  } catch (...) {
    rmdir(pattern.c_str());
    throw;
  }
}

TemporaryFolder::~TemporaryFolder() {
  std::lock_guard guard(mutex);
  remove_all_of(path_);
  const auto found = folders().find(path_);
  if (found->second >= 0) close(found->second);
  folders().erase(found);
}

}  // namespace heddle::cli
