// The kernels of gpu/kernels/micro/instruction_probe on the core.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::simulator {

// What the probe answers for every kernel of a cubin: the hash of the records it leaves, in
// hexadecimal, or "refused" and the fault's text where the launch stops.
using ProbeAnswers = std::map<std::string, std::string, std::less<>>;
ProbeAnswers probe_answers(std::vector<std::byte> cubin);

// The records of one kernel after the run on one seed; empty where it stops.
std::vector<unsigned char> probe_records(std::vector<std::byte> cubin, std::string_view kernel,
                                         unsigned seed);

}  // namespace heddle::simulator
