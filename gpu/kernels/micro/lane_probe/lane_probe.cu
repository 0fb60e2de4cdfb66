// Executes single instruction words on the GPU and writes down what they leave in registers and
// predicates.
//
// The kernel below is compiled to a cubin in which a chain of FP64 multiply-adds marks sixteen
// words in a row whose registers we know: they hold three 64-bit inputs, a word of predicates and
// two outputs. For every requested word the chain is overwritten by "clear the destination, set the
// predicates, the word, read the predicates back", and the cubin is loaded and run.
//
//   nvcc -arch=sm_90 -cubin -o lane_probe.cubin lane_probe.cu
//   nvcc -arch=sm_90 -o lane_probe lane_probe.cu -lcuda
//   ./lane_probe lane_probe.cubin                   prints the registers: d a b c predicates
//   ./lane_probe lane_probe.cubin REQUESTS ANSWERS
//
// REQUESTS: u32 words, u32 lanes; per word u64 low, u64 high; then per word and lane four u64:
// a, b, c, predicates (bit i is Pi). ANSWERS: per word and lane two u64: d, predicates; a word the
// GPU refuses gets all ones. A destination that is not written reads as 0xdeadbeef twice. Of R2UR,
// REDUX, VOTEU and ELECT, d is the uniform register they write.

#include <cuda.h>
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

constexpr int kSlots = 16;
constexpr std::uint32_t kUnwritten = 0xdeadbeef;

extern "C" __global__ void lane_probe(const double4_16a* inputs, double2* outputs, double* sink) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const double4_16a in = inputs[i];
  const double d = fma(in.x, in.y, in.z);
  const double predicates = fma(d, in.w, in.x);
  double last = fma(predicates, d, in.y);
  const double chain[4] = {in.x, in.y, in.z, in.w};
#pragma unroll
  for (int slot = 3; slot < kSlots; ++slot) last = fma(last, chain[slot % 4], slot % 2 ? d : predicates);
  // The outputs are stored after the chain, because they are stored only if it says so.
  if (last != 1.0) {
    outputs[i] = make_double2(d, predicates);
    sink[i] = last;
  }
}

#ifndef __CUDA_ARCH__

namespace {

struct Word {
  std::uint64_t low = 0, high = 0;

  unsigned field(unsigned first, unsigned bits) const {
    const std::uint64_t half = first < 64 ? low >> first : high >> (first - 64);
    return static_cast<unsigned>(half & ((std::uint64_t{1} << bits) - 1));
  }
  void set(unsigned first, unsigned bits, std::uint64_t value) {
    std::uint64_t& half = first < 64 ? low : high;
    const std::uint64_t mask = ((std::uint64_t{1} << bits) - 1) << first % 64;
    half = (half & ~mask) | (value << first % 64 & mask);
  }
};

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "lane_probe: %s\n", what.c_str());
  std::exit(2);
}

void check(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  const char* name = "unknown error";
  cuGetErrorName(result, &name);
  fail(std::string(what) + ": " + name);
}

std::vector<char> read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(std::string("cannot read ") + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Control bits: issue after a full pipeline's time; wait for all loads, or for the word's result.
constexpr unsigned kNoBarrier = 7, kResultBarrier = 5;
Word with_control(Word word, unsigned write_barrier = kNoBarrier, unsigned wait = 0) {
  word.set(105, 4, 15);
  word.set(109, 1, 0);
  word.set(110, 3, write_barrier);
  word.set(113, 3, kNoBarrier);
  word.set(116, 6, wait);
  word.set(122, 3, 0);
  return word;
}

Word instruction(unsigned opcode) {
  Word word;
  word.set(0, 12, opcode);
  word.set(12, 3, 7);  // always
  return word;
}

Word fill(unsigned reg, std::uint32_t value) {
  Word word = instruction(0x802);  // MOV reg, value
  word.set(16, 8, reg);
  word.set(32, 32, value);
  word.set(72, 4, 15);
  return word;
}

Word set_predicates(unsigned reg) {
  Word word = instruction(0x804);  // R2P PR, reg, 0x7f
  word.set(24, 8, reg);
  word.set(32, 32, 0x7f);
  return word;
}

Word get_predicates(unsigned reg) {
  Word word = instruction(0x803);  // P2R reg, PR, RZ, 0x7f
  word.set(16, 8, reg);
  word.set(24, 8, 255);
  word.set(32, 32, 0x7f);
  return word;
}

Word move_uniform(unsigned reg, unsigned uniform) {
  Word word = instruction(0xc02);  // MOV reg, UR
  word.set(91, 1, 1);
  word.set(16, 8, reg);
  word.set(32, 6, uniform);
  word.set(72, 4, 15);
  return word;
}

bool has_uniform_result(const Word& word) {
  const unsigned opcode = word.field(0, 12);
  return opcode == 0x2ca || opcode == 0x3c4 || opcode == 0x886 || opcode == 0x82f;
}

class Probe {
 public:
  explicit Probe(const char* cubin_path) : cubin_(read_file(cubin_path)) {
    constexpr unsigned kDfma = 0x22b;
    for (std::size_t at = 0; at + 16 <= cubin_.size(); at += 16) {
      Word word;
      std::memcpy(&word, cubin_.data() + at, 16);
      if (word.field(0, 12) == kDfma && word.field(12, 3) == 7) slots_.push_back(at);
    }
    if (slots_.size() != kSlots) fail("the cubin does not have the expected chain");
    const Word first = slot(0), second = slot(1), last = slot(kSlots - 1);
    d = first.field(16, 8), a = first.field(24, 8), b = first.field(32, 8), c = first.field(64, 8);
    predicates_out_ = second.field(16, 8), last_ = last.field(16, 8);
    const bool swapped = second.field(24, 8) != d;  // a product's factors may come in any order
    predicates = second.field(swapped ? 24 : 32, 8);
    if (second.field(swapped ? 32 : 24, 8) != d || second.field(64, 8) != a)
      fail("the chain is not as written");
  }

  std::vector<char> patched(Word word, bool variable_latency) const {
    const Word nop = with_control(instruction(0x918));
    Word program[kSlots];
    for (Word& each : program) each = nop;
    program[0] = with_control(fill(d, kUnwritten), kNoBarrier, 0x3f);
    program[1] = with_control(fill(d + 1, kUnwritten));
    program[2] = with_control(fill(predicates_out_, 0));
    program[3] = with_control(fill(predicates_out_ + 1, 0));
    program[4] = with_control(set_predicates(predicates));
    program[6] = with_control(word, variable_latency ? kResultBarrier : kNoBarrier);
    program[8] = with_control(instruction(0x918), kNoBarrier, 1u << kResultBarrier);
    if (has_uniform_result(word)) program[9] = with_control(move_uniform(d, word.field(16, 6)));
    program[10] = with_control(get_predicates(predicates_out_));
    program[12] = with_control(fill(last_, 0));
    program[13] = with_control(fill(last_ + 1, 0));
    std::vector<char> image = cubin_;
    for (int i = 0; i < kSlots; ++i) std::memcpy(image.data() + slots_[i], &program[i], 16);
    return image;
  }

  unsigned d = 0, a = 0, b = 0, c = 0, predicates = 0;

 private:
  Word slot(int index) const {
    Word word;
    std::memcpy(&word, cubin_.data() + slots_[index], 16);
    return word;
  }

  std::vector<char> cubin_;
  std::vector<std::size_t> slots_;
  unsigned predicates_out_ = 0, last_ = 0;
};

constexpr unsigned kBlock = 128;

class Gpu {
 public:
  explicit Gpu(std::size_t lanes) : lanes_(lanes) {
    check(cuInit(0), "starting");
    CUdevice device;
    check(cuDeviceGet(&device, 0), "finding a GPU");
    CUcontext context;
    check(cuDevicePrimaryCtxRetain(&context, device), "making a context");
    check(cuCtxSetCurrent(context), "making a context current");
    check(cuMemAlloc(&inputs_, lanes_ * 32), "allocating");
    check(cuMemAlloc(&outputs_, lanes_ * 16), "allocating");
    check(cuMemAlloc(&sink_, lanes_ * 8), "allocating");
  }

  // False where the GPU refuses the word; this process can then run no other.
  bool run(const std::vector<char>& image, const std::uint64_t* in, std::uint64_t* out) {
    CUmodule module;
    check(cuModuleLoadData(&module, image.data()), "loading the kernel");
    CUfunction function;
    check(cuModuleGetFunction(&function, module, "lane_probe"), "finding the kernel");
    check(cuMemcpyHtoD(inputs_, in, lanes_ * 32), "copying inputs");
    check(cuMemsetD8(outputs_, 0xff, lanes_ * 16), "clearing outputs");
    void* arguments[] = {&inputs_, &outputs_, &sink_};
    check(cuLaunchKernel(function, lanes_ / kBlock, 1, 1, kBlock, 1, 1, 0, nullptr, arguments,
                         nullptr),
          "launching");
    if (cuCtxSynchronize() != CUDA_SUCCESS) return false;
    check(cuMemcpyDtoH(out, outputs_, lanes_ * 16), "copying outputs");
    check(cuModuleUnload(module), "unloading");
    return true;
  }

 private:
  std::size_t lanes_;
  CUdeviceptr inputs_ = 0, outputs_ = 0, sink_ = 0;
};

// Whether a result arrives under a scoreboard: the opcodes with bit 8 set in 0x3xx go to the
// special-function, conversion and shuffle units.
bool has_variable_latency(const Word& word) { return (word.field(0, 9) & 0x100) != 0; }

struct Requests {
  std::vector<char> bytes;
  std::uint32_t words = 0, lanes = 0;

  explicit Requests(const char* path) : bytes(read_file(path)) {
    if (bytes.size() < 8) fail("the requests are too short");
    std::memcpy(&words, bytes.data(), 4);
    std::memcpy(&lanes, bytes.data() + 4, 4);
    if (lanes == 0 || lanes % kBlock != 0) fail("lanes must be a multiple of 128");
    if (bytes.size() != 8 + std::size_t{words} * (16 + std::size_t{lanes} * 32))
      fail("the requests have the wrong size");
  }
  Word word(std::uint32_t i) const {
    Word word;
    std::memcpy(&word, bytes.data() + 8 + std::size_t{i} * 16, 16);
    return word;
  }
  std::vector<std::uint64_t> inputs(std::uint32_t i) const {
    std::vector<std::uint64_t> in(std::size_t{lanes} * 4);
    std::memcpy(in.data(), bytes.data() + 8 + std::size_t{words} * 16 + in.size() * 8 * i,
                in.size() * 8);
    return in;
  }
};

// Answers from word `first` on, until the end or a word that is refused; exit status 0 or 3.
[[noreturn]] void answer_from(std::uint32_t first, const Probe& probe, const Requests& requests,
                              const char* path) {
  Gpu gpu(requests.lanes);
  std::ofstream answers(path, std::ios::binary | std::ios::app);
  std::vector<std::uint64_t> out(std::size_t{requests.lanes} * 2);
  for (std::uint32_t i = first; i < requests.words; ++i) {
    const Word word = requests.word(i);
    const bool done = gpu.run(probe.patched(word, has_variable_latency(word)),
                              requests.inputs(i).data(), out.data());
    if (!done) out.assign(out.size(), ~std::uint64_t{0});
    answers.write(reinterpret_cast<const char*>(out.data()), out.size() * 8);
    if (!done) {
      answers.flush();
      std::_Exit(3);
    }
  }
  answers.flush();
  std::_Exit(answers ? 0 : 2);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 4) fail("usage: lane_probe CUBIN [REQUESTS ANSWERS]");
  const Probe probe(argv[1]);
  if (argc == 2) {
    std::printf("%u %u %u %u %u\n", probe.d, probe.a, probe.b, probe.c, probe.predicates);
    return 0;
  }
  const Requests requests(argv[2]);
  std::ofstream(argv[3], std::ios::binary);  // empty
  // A refused word takes its process with it, so a fresh one goes on after it.
  unsigned refused = 0;
  for (;;) {
    std::ifstream written(argv[3], std::ios::binary | std::ios::ate);
    const auto next = static_cast<std::uint32_t>(written.tellg() /
                                                 (std::streamoff{requests.lanes} * 16));
    if (next == requests.words) break;
    const pid_t child = fork();
    if (child == 0) answer_from(next, probe, requests, argv[3]);
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 3))
      fail("the process that runs the words failed");
    refused += WEXITSTATUS(status) == 3;
  }
  std::printf("%u words, %u refused\n", requests.words, refused);
  return 0;
}

#endif
