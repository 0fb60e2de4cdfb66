#include "simulator/tests/recorded_probe.hpp"

#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "inputs.hpp"

namespace heddle::simulator {
namespace {

namespace fs = std::filesystem;

const fs::path kRecorded = fs::path(HEDDLE_SOURCE_DIR) / "simulator/tests/data";

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string unpacked(const fs::path& path) {
  const std::string packed = read(path);
  const auto size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  constexpr unsigned long long kMost = 1 << 27;
  if (size > kMost) throw std::runtime_error(path.string() + " is too large");
  std::string bytes(static_cast<std::size_t>(size), '\0');
  const std::size_t made =
      ZSTD_decompress(bytes.data(), bytes.size(), packed.data(), packed.size());
  if (ZSTD_isError(made) != 0 || made != bytes.size())
    throw std::runtime_error(path.string() + " is damaged");
  return bytes;
}

}  // namespace

std::vector<isa::Word> recorded_lane_words() {
  constexpr std::size_t kHeader = 16;
  const std::string bytes = read(kRecorded / "lanes_h200.bin");
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data(), sizeof count);
  std::vector<isa::Word> words(count);
  std::memcpy(words.data(), bytes.data() + kHeader, count * sizeof(isa::Word));
  return words;
}

std::string recorded_bytes(std::string_view file) { return unpacked(kRecorded / file); }

std::map<std::string, std::string> recorded_hashes(std::string_view probe) {
  std::map<std::string, std::string> hashes;
  std::istringstream lines(unpacked(kRecorded / probe / "h200.txt.zst"));
  for (std::string kernel, hash; lines >> kernel >> hash;) hashes[kernel] = hash;
  return hashes;
}

std::vector<RecordedCubin> recorded_cubins(std::string_view probe) {
  std::vector<RecordedCubin> cubins;
  for (const fs::directory_entry& entry : fs::directory_iterator(kRecorded / probe)) {
    if (!entry.path().filename().string().ends_with(".cubin.zst")) continue;
    const std::string bytes = unpacked(entry.path());
    RecordedCubin& cubin = cubins.emplace_back();
    cubin.name = entry.path().stem().string();
    cubin.bytes.resize(bytes.size());
    std::memcpy(cubin.bytes.data(), bytes.data(), bytes.size());
  }
  std::ranges::sort(cubins, {}, &RecordedCubin::name);
  return cubins;
}

std::map<std::string, RecordedAnswer> recorded_answers() {
  constexpr std::size_t kLabel = 64;
  constexpr std::size_t kRecords =
      std::size_t{instruction_probe::kFull} * instruction_probe::kRecordBytes;
  std::map<std::string, RecordedAnswer> answers;
  std::istringstream lines(unpacked(kRecorded / "instruction_probe/h200.txt.zst"));
  for (std::string kernel, hash; lines >> kernel >> hash;) answers[kernel].hash = hash;
  const std::string full = unpacked(kRecorded / "instruction_probe/h200.bin.zst");
  for (std::size_t at = 0; at + kLabel + kRecords <= full.size(); at += kLabel + kRecords) {
    // Names are cut off at 64 bytes; they begin with a number of their own.
    const std::string label(full.c_str() + at, strnlen(full.c_str() + at, kLabel));
    const auto found = answers.lower_bound(label);
    if (found == answers.end() || !found->first.starts_with(label)) continue;
    found->second.changes.assign(
        full.begin() + static_cast<std::ptrdiff_t>(at + kLabel),
        full.begin() + static_cast<std::ptrdiff_t>(at + kLabel + kRecords));
  }
  return answers;
}

}  // namespace heddle::simulator
