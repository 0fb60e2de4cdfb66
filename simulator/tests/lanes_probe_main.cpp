// Makes the requests for gpu/kernels/micro/lane_probe and compares its answers with ours.
//
//   lanes_probe requests D A B C WORDS_PER_ENCODING LANES FILE   of what is implemented
//   lanes_probe open     D A B C WORDS_PER_ENCODING LANES FILE   of what is not
//   lanes_probe compare  D A B C FILE ANSWERS
//   lanes_probe mufu FUNCTION < VALUES   what gpu/kernels/micro/mufu_dump wrote from word 0 on

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "isa/decoder.hpp"
#include "simulator/lanes/float_environment.hpp"
#include "simulator/lanes/selection.hpp"
#include "simulator/tests/lanes_recording.hpp"

namespace {

using namespace heddle;
using namespace heddle::simulator;
using namespace heddle::simulator::lanes;

int requests(const ProbeRegisters& registers, unsigned per_encoding, unsigned lanes,
             bool implemented, const char* path) {
  std::mt19937_64 random(1);
  const auto words = probe_words(registers, per_encoding, implemented, random);
  std::ofstream file(path, std::ios::binary);
  const auto put = [&](const auto& value) {
    file.write(reinterpret_cast<const char*>(&value), sizeof value);
  };
  put(static_cast<std::uint32_t>(words.size()));
  put(static_cast<std::uint32_t>(lanes));
  for (const isa::Instruction& instruction : words) {
    put(instruction.word.lo);
    put(instruction.word.hi);
  }
  for (const isa::Instruction& instruction : words)
    for (const LaneInput& input : probe_inputs(instruction, lanes, random)) put(input);
  std::printf("%zu words of %u lanes\n", words.size(), lanes);
  return file ? 0 : 2;
}

template <class T>
T take(const std::string& bytes, std::size_t& at) {
  T value{};
  if (at + sizeof value > bytes.size()) throw std::runtime_error("the file is too short");
  std::memcpy(&value, bytes.data() + at, sizeof value);
  at += sizeof value;
  return value;
}

std::string read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void report(const isa::Instruction& instruction, const std::vector<LaneInput>& inputs,
            const std::vector<LaneAnswer>& theirs, const std::vector<LaneAnswer>& ours) {
  unsigned differing = 0;
  for (std::size_t lane = 0; lane < inputs.size(); ++lane) differing += theirs[lane] != ours[lane];
  if (differing == 0) return;
  std::printf("%4u of %zu differ: %s   %016llx%016llx\n", differing, inputs.size(),
              isa::print(instruction, 0).c_str(),
              static_cast<unsigned long long>(instruction.word.hi),
              static_cast<unsigned long long>(instruction.word.lo));
  if (theirs[0].refused()) {
    std::printf("     refused by the GPU\n");
    return;
  }
  unsigned shown = 0;
  for (std::size_t lane = 0; lane < inputs.size() && shown < 6; ++lane) {
    if (theirs[lane] == ours[lane]) continue;
    ++shown;
    const auto number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
    std::printf(
        "     a %016llx b %016llx c %016llx p %02llx: GPU %016llx %02llx, ours %016llx %02llx\n",
        number(inputs[lane].a), number(inputs[lane].b), number(inputs[lane].c),
        number(inputs[lane].predicates), number(theirs[lane].d), number(theirs[lane].predicates),
        number(ours[lane].d), number(ours[lane].predicates));
  }
}

int compare(const ProbeRegisters& registers, const char* requests_path, const char* answers_path) {
  const std::string asked = read(requests_path), answered = read(answers_path);
  std::size_t at = 0, answer_at = 0;
  const auto words = take<std::uint32_t>(asked, at), lanes = take<std::uint32_t>(asked, at);
  std::vector<isa::Word> list(words);
  for (isa::Word& word : list) word = take<isa::Word>(asked, at);
  unsigned same = 0;
  for (const isa::Word& word : list) {
    std::vector<LaneInput> inputs(lanes);
    for (LaneInput& input : inputs) input = take<LaneInput>(asked, at);
    std::vector<LaneAnswer> theirs(lanes);
    for (LaneAnswer& answer : theirs) answer = take<LaneAnswer>(answered, answer_at);
    const auto instruction = isa::decode(isa::Arch::sm_90, word);
    if (!instruction) {
      std::printf("%016llx%016llx is not an instruction\n",
                  static_cast<unsigned long long>(word.hi),
                  static_cast<unsigned long long>(word.lo));
      continue;
    }
    const auto ours = our_answers(*instruction, registers, inputs);
    if (ours.empty()) {
      std::printf("not implemented%s: %s\n", theirs[0].refused() ? ", and refused" : "",
                  isa::print(*instruction, 0).c_str());
      continue;
    }
    same += ours == theirs;
    report(*instruction, inputs, theirs, ours);
  }
  std::printf("%u of %u words answer alike\n", same, words);
  return same == words ? 0 : 1;
}

// Compares all values of one function of MUFU.
int compare_mufu(std::uint32_t function) {
  isa::Instruction instruction;
  instruction.op = isa::Op::MUFU;
  Request request{&instruction};
  request.mod(isa::Mod::mufu_op) = function;
  MicroOp op;
  op.b = kWarpSize;
  for (const Variant& variant : variants())
    if (variant.supported && !variant.select(request, op)) throw std::runtime_error("no function");
  std::vector<std::uint32_t> rows(3 * kWarpSize), values(1 << 20);
  WarpState warp;
  warp.rows = rows.data();
  const FloatEnvironment environment;
  std::uint64_t word = 0, differing = 0;
  std::size_t count = 0;
  while ((count = std::fread(values.data(), 4, values.size(), stdin)) >= kWarpSize) {
    for (std::size_t i = 0; i + kWarpSize <= count; i += kWarpSize, word += kWarpSize) {
      for (unsigned lane = 0; lane < kWarpSize; ++lane)
        rows[kWarpSize + lane] = static_cast<std::uint32_t>(word) + lane;
      op.lane(warp, op, kFullMask);
      if (std::memcmp(rows.data(), values.data() + i, 4 * kWarpSize) == 0) continue;
      for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        if (rows[lane] == values[i + lane] || ++differing > 8) continue;
        std::printf("%08llx: GPU %08x, ours %08x\n", static_cast<unsigned long long>(word + lane),
                    values[i + lane], rows[lane]);
      }
    }
  }
  std::printf("function %u: %llu of %llu differ\n", function,
              static_cast<unsigned long long>(differing), static_cast<unsigned long long>(word));
  return differing == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "mufu" && argc == 3)
    return compare_mufu(static_cast<std::uint32_t>(std::atoi(argv[2])));
  if (((mode != "requests" && mode != "open") || argc != 9) && (mode != "compare" || argc != 8)) {
    std::fprintf(stderr, "usage: see the top of %s\n", __FILE__);
    return 2;
  }
  const auto number = [&](int i) { return static_cast<unsigned>(std::atoi(argv[i])); };
  const auto reg = [&](int i) { return static_cast<std::uint8_t>(number(i)); };
  const ProbeRegisters registers{reg(2), reg(3), reg(4), reg(5)};
  try {
    if (mode == "compare") return compare(registers, argv[6], argv[7]);
    return requests(registers, number(6), number(7), mode == "requests", argv[8]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lanes_probe: %s\n", error.what());
    return 2;
  }
}
