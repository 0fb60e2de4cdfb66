// What the core answers to the kernels of gpu/kernels/micro/instruction_probe.
//
//   instruction_probe_model CUBIN…           prints "kernel hash", or "kernel refused why", for
//   each instruction_probe_model --raw RAW CUBIN… compares the records a GPU wrote for some kernels
//   with
//                                            ours, and prints where they differ

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>

#include "inputs.hpp"
#include "isa/cubin.hpp"
#include "simulator/tests/instruction_probe.hpp"

namespace {

using namespace heddle;
using namespace heddle::simulator;
namespace probe = instruction_probe;

std::vector<std::byte> read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::byte> result(bytes.size());
  if (!bytes.empty()) std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

std::uint64_t word(const unsigned char* record, unsigned at) {
  std::uint64_t value = 0;
  std::memcpy(&value, record + at, 8);
  return value;
}

void show(const char* label, const unsigned char* record, const unsigned char* other) {
  std::printf("      %s", label);
  for (unsigned at = 0; at < probe::kRecordBytes; at += 8)
    if (word(record, at) != word(other, at))
      std::printf(" %u:%016llx", at, static_cast<unsigned long long>(word(record, at)));
  std::printf("\n");
}

// One kernel's records from the GPU beside ours.
void compare(const std::string& kernel, const unsigned char* theirs,
             const std::vector<unsigned char>& ours) {
  std::vector<unsigned char> before(probe::kRecordBytes);
  unsigned differing = 0, shown = 0;
  for (unsigned thread = 0; thread < probe::kThreads; ++thread) {
    const unsigned char* changes = theirs + std::size_t{thread} * probe::kRecordBytes;
    probe::fill(before.data(), kernel, 0, thread);
    std::vector<unsigned char> gpu(changes, changes + probe::kRecordBytes);
    for (std::size_t i = 0; i < gpu.size(); ++i) gpu[i] ^= before[i];
    const unsigned char* model =
        ours.empty() ? before.data() : ours.data() + std::size_t{thread} * probe::kRecordBytes;
    if (std::memcmp(gpu.data(), model, probe::kRecordBytes) == 0) continue;
    ++differing;
    if (shown++ >= 5) continue;
    std::printf("    thread %u: operands", thread);
    for (unsigned at = 0; at < probe::kResults; at += 8)
      if (at == 0 || (at >= probe::kOperands && word(before.data(), at) != 0))
        std::printf(" %u:%016llx", at, static_cast<unsigned long long>(word(before.data(), at)));
    std::printf("\n");
    show("GPU ", gpu.data(), model);
    show("ours", model, gpu.data());
  }
  std::printf("  %s: %u of %u threads differ%s\n", kernel.c_str(), differing, probe::kThreads,
              ours.empty() ? " (not executed here)" : "");
}

int compare_raw(const char* raw_path, std::span<char*> cubins) {
  const std::vector<std::byte> raw = read(raw_path);
  constexpr std::size_t kEntry = 64 + std::size_t{probe::kThreads} * probe::kRecordBytes;
  for (char* path : cubins) {
    const std::vector<std::byte> bytes = read(path);
    const isa::Cubin cubin = isa::parse_cubin(bytes, path);
    for (std::size_t at = 0; at + kEntry <= raw.size(); at += kEntry) {
      const std::string label(reinterpret_cast<const char*>(raw.data()) + at,
                              strnlen(reinterpret_cast<const char*>(raw.data()) + at, 64));
      for (const isa::Kernel& kernel : cubin.kernels)
        if (kernel.name.substr(0, 64) == label)
          compare(kernel.name, reinterpret_cast<const unsigned char*>(raw.data()) + at + 64,
                  probe_records(bytes, kernel.name, 0));
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc > 3 && std::strcmp(argv[1], "--raw") == 0)
      return compare_raw(argv[2], {argv + 3, argv + argc});
    for (int i = 1; i < argc; ++i)
      for (const auto& [kernel, answer] : probe_answers(read(argv[i])))
        std::printf("%s %s\n", kernel.c_str(), answer.substr(0, answer.find('\n')).c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "instruction_probe_model: %s\n", error.what());
    return 2;
  }
  return 0;
}
