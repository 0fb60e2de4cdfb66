#include "gpu/cupti/provenance.hpp"

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>

#include "gpu/cupti/check.hpp"

namespace heddle::cupti {
namespace {

std::vector<std::string> command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> arguments;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = all.find('\0', at);
    arguments.push_back(all.substr(at, end - at));
    at = end == std::string::npos ? all.size() : end + 1;
  }
  return arguments;
}

// "580.159.04": the first word of dots and digits in the kernel module's version line.
std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;)
    if (word.find('.') != std::string::npos &&
        word.find_first_not_of("0123456789.") == std::string::npos)
      return word;
  return {};
}

}  // namespace

Members provenance(CUdevice device) {
  char name[256] = {};
  int major = 0, minor = 0;
  HEDDLE_CALL(cuDeviceGetName(name, sizeof name, device));
  HEDDLE_CALL(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  HEDDLE_CALL(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
  char date[32];
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  std::vector<std::string> program;
  for (const std::string& argument : command_line()) program.push_back(json_string(argument));

  Members members;
  members.add("device", name).add("arch", "sm_" + std::to_string(major) + std::to_string(minor));
  const char* toolchain = std::getenv("HEDDLE_MEASURE_TOOLCHAIN");
  if (toolchain != nullptr) members.add("toolchain", toolchain);
  const std::string driver = driver_version();
  if (!driver.empty()) members.add("driver", driver);
  members.add("date", date).add_raw("program", json_array(program));
  return members;
}

}  // namespace heddle::cupti
