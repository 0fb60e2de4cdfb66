#include "cli/temporary_folder.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>

namespace heddle::cli {

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "heddle-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw std::runtime_error(fmt::format("{}: cannot be created", pattern));
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace heddle::cli
