# Writes the file INPUT as a C++ source with its bytes: cmake -D INPUT=… -D OUTPUT=… -P embed.cmake
file(READ ${INPUT} hex HEX)
string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
file(WRITE ${OUTPUT} "// Made by embed.cmake.
#include \"traces/viewer/page.hpp\"

namespace heddle::traces {
namespace {
const unsigned char kPage[] = {
${bytes}0};
}  // namespace
std::string_view page_template() {
  return {reinterpret_cast<const char*>(kPage), sizeof kPage - 1};
}
}  // namespace heddle::traces
")
