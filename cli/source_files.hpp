// The text of source files that line tables name.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace heddle::cli {

// A file by the path a compiler wrote down. Where it is not there (the code was built elsewhere),
// the longest end of the path that names a file in one of `folders` or below it counts. Nothing
// where none does, or it is not a text of reasonable size.
std::optional<std::string> source_text(const std::string& path,
                                       const std::vector<std::filesystem::path>& folders);

}  // namespace heddle::cli
