// The text of source files that line tables name.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace heddle::cli {

// Among folders: the path as the compiler wrote it down. Only for a program that runs here: a line
// table of a file that we were given may name any file of ours.
inline const std::filesystem::path kAsWritten{};

// A file by the path a compiler wrote down, from the first of `folders` that has it: in each the
// longest end of the path that names a file there counts (the code may have been built elsewhere).
// Files that ".." or a link has outside of the folder do not count.
// Nothing where none does, or it is not a text of reasonable size.
std::optional<std::string> source_text(const std::string& path,
                                       const std::vector<std::filesystem::path>& folders);

}  // namespace heddle::cli
