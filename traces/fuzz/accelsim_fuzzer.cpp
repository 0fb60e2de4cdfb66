// A kernelslist.g, or a kernel-N.traceg without its code, timed for a moment.
#include <stdexcept>

#include "isa/fuzz/input_file.hpp"
#include "simulator/timing/launch.hpp"
#include "traces/formats/accelsim_launch.hpp"

namespace {

using namespace heddle;

constexpr std::uint64_t kWarpInstructions = 2000;

void time(const std::string& path) {
  traces::AccelsimLaunch launch(path);
  launch.place_on(traces::accelsim_gpu(launch.kernel().binary_version));
  simulator::LaunchOptions options;
  options.settings.max_instructions = kWarpInstructions;
  options.settings.timing.emplace();
  simulator::timing::DeviceTime time;
  launch.time(options, time);
}

template <typename Reader>
void try_to(Reader read) {
  try {
    read();
  } catch (const std::runtime_error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static isa::InputFile file;
  const std::string& path = file.holding({data, size});
  try_to([&] { traces::read_accelsim_list(path); });
  try_to([&] { time(path); });
  return 0;
}
