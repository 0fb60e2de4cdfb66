#include "cli/layout.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <stdexcept>

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

// bin of an installation, or the cli folder of a build.
fs::path here() { return fs::read_symlink("/proc/self/exe").parent_path(); }

fs::path first_with(std::initializer_list<fs::path> folders, const fs::path& file) {
  for (const fs::path& folder : folders)
    if (fs::exists(folder / file)) return fs::weakly_canonical(folder);
  throw std::runtime_error(fmt::format("{} is not beside {}: this installation is not complete",
                                       file.string(), here().string()));
}

}  // namespace

fs::path runtime_directory() {
  return first_with(
      {here() / ".." / HEDDLE_LIBRARY_DIRECTORY / "heddle", here() / ".." / "gpu" / "runtime"},
      "libcudart.so.13");
}

fs::path library_beside(const std::string& name) {
  for (const fs::path& folder : {here() / ".." / HEDDLE_LIBRARY_DIRECTORY / "heddle", here()})
    if (fs::exists(folder / name)) return fs::weakly_canonical(folder / name);
  return {};
}

fs::path data_directory(const fs::path& name) {
  return first_with({here() / ".." / "share" / "heddle"}, name) / name;
}

}  // namespace heddle::cli
