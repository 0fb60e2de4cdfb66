#include "cli/sketch_file.hpp"

#include "simulator/base/file.hpp"

namespace heddle::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMostBytes = 1 << 24;

}  // namespace

bool is_sketch(const std::string& word) { return fs::path(word).extension() == ".warp"; }

isa::sketch::Compiled compile_sketch(const fs::path& file,
                                     const isa::sketch::PredicationRule* rule) {
  const auto read_file = [&](const std::string& name) {
    const fs::path beside = file.parent_path() / name;
    return simulator::read_regular_file(fs::exists(beside) ? beside : fs::path(name), kMostBytes);
  };
  return isa::sketch::compile(simulator::read_file(file, kMostBytes), file.string(),
                              {.predication = rule, .read_file = read_file});
}

}  // namespace heddle::cli
