// heddle_launch FILE.capsule…: launches capsules on this machine's GPU, one after another, and
// compares memory with what the model made of it. heddle measure starts it for capsules.
//
// Exit status: 0 memory is the same, 1 it differs, 125 a capsule could not be launched.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "gpu/launcher/capsule_on_gpu.hpp"
#include "simulator/base/display_names.hpp"

namespace {

using namespace heddle;

constexpr int kSame = 0, kDifferent = 1, kFailed = 125;

void print(const std::string& file, const runtime::Capsule& capsule,
           const launcher::Outcome& outcome) {
  fmt::print("{}: {}: ", simulator::visible(file),
             simulator::visible(simulator::display_name(capsule.kernel)));
  if (outcome.differences.empty()) {
    fmt::print("memory is as the model left it ({} pages changed)\n", outcome.changed_pages);
    return;
  }
  fmt::print("memory differs from what the model left\n");
  for (const launcher::Difference& each : outcome.differences)
    fmt::print("  {} ({:#x}): {:#04x} where the model has {:#04x}\n",
               simulator::visible(each.where), each.address, std::to_integer<unsigned>(each.found),
               std::to_integer<unsigned>(each.expected));
}

int launch_all(const std::vector<std::string>& files) {
  std::vector<runtime::Capsule> capsules;
  launcher::Frames frames;
  for (const std::string& file : files) {
    capsules.push_back(runtime::load_capsule(file));
    frames.add(capsules.back());
  }
  launcher::Driver driver;
  frames.map(driver);
  bool same = true;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const launcher::Outcome outcome =
        launcher::launch_capsule(driver, frames, capsules[i], files[i]);
    print(files[i], capsules[i], outcome);
    same = same && outcome.differences.empty();
  }
  return same ? kSame : kDifferent;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: heddle_launch FILE.capsule…\n");
    return 2;
  }
  try {
    return launch_all({argv + 1, argv + argc});
  } catch (const std::exception& failure) {
    fmt::print(stderr, "heddle_launch: {}\n", failure.what());
    return kFailed;
  }
}
