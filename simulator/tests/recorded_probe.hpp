// What an H200 answered, as it is kept in simulator/tests/data.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "isa/word.hpp"

namespace heddle::simulator {

// The single words of lanes_h200.bin (simulator/tests/lanes_recorded_test.cpp).
std::vector<isa::Word> recorded_lane_words();

// The cubins of a folder of gpu/kernels/micro that asks an H200, in order.
struct RecordedCubin {
  std::string name;
  std::vector<std::byte> bytes;
};
std::vector<RecordedCubin> recorded_cubins(std::string_view probe = "instruction_probe");

// The hash of what each kernel left.
std::map<std::string, std::string> recorded_hashes(std::string_view probe);

// A file of simulator/tests/data, unpacked.
std::string recorded_bytes(std::string_view file);

// By kernel: the hash of all records, and the first ones in full (XORed with what they were
// before).
struct RecordedAnswer {
  std::string hash;
  std::vector<unsigned char> changes;
};
std::map<std::string, RecordedAnswer> recorded_answers();

}  // namespace heddle::simulator
