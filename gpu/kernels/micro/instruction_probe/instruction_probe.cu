// Runs every kernel of a cubin (made by make_ptx.py) on the records of inputs.hpp and writes, for
// each, a hash of what it left, and what it left in the first records.
//
//   nvcc -std=c++20 -o instruction_probe instruction_probe.cu -lcuda
//   ./instruction_probe CUBIN ANSWERS FULL [EXPECTED RAW]
//
// ANSWERS: lines "kernel hash", or "kernel refused" where the launch fails. FULL: for each kernel
// its name, ended by zeros to 64 bytes, and the first kFull records after seed 0, XORed with what
// they were before. EXPECTED: lines as in ANSWERS; for a kernel that it lacks or that answers
// otherwise, RAW gets the same for all records after seed 0.
#include <cuda.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "inputs.hpp"

namespace {

namespace probe = instruction_probe;

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "instruction_probe: %s\n", what.c_str());
  std::exit(2);
}

void check(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  const char* name = "unknown error";
  cuGetErrorName(result, &name);
  fail(std::string(what) + ": " + name);
}

std::map<std::string, std::string> read_lines(const char* path) {
  std::map<std::string, std::string> lines;
  std::ifstream file(path);
  for (std::string kernel, answer; file >> kernel >> answer;) lines[kernel] = answer;
  return lines;
}

std::vector<unsigned char> inputs(const std::string& kernel, unsigned seed) {
  std::vector<unsigned char> records(std::size_t{probe::kThreads} * probe::kRecordBytes);
  for (unsigned thread = 0; thread < probe::kThreads; ++thread)
    probe::fill(records.data() + std::size_t{thread} * probe::kRecordBytes, kernel, seed, thread);
  return records;
}

// One kernel on every seed; false where the GPU refuses it.
bool run(CUfunction function, const std::string& kernel, CUdeviceptr device, std::uint64_t& hash,
         std::vector<unsigned char>& first) {
  for (unsigned seed = 0; seed < probe::kSeeds; ++seed) {
    std::vector<unsigned char> records = inputs(kernel, seed);
    check(cuMemcpyHtoD(device, records.data(), records.size()), "copying");
    void* arguments[] = {&device};
    if (cuLaunchKernel(function, probe::kThreads / probe::kBlock, 1, 1, probe::kBlock, 1, 1, 0,
                       nullptr, arguments, nullptr) != CUDA_SUCCESS ||
        cuCtxSynchronize() != CUDA_SUCCESS)
      return false;
    check(cuMemcpyDtoH(records.data(), device, records.size()), "copying");
    hash = probe::hash(records.data(), records.size(), hash);
    if (seed == 0) first = std::move(records);
  }
  return true;
}

void write(const char* path, const char* name, const std::vector<unsigned char>& records,
           unsigned count) {
  std::ofstream file(path, std::ios::binary | std::ios::app);
  std::string label(name);
  label.resize(64);
  file.write(label.data(), 64);
  file.write(reinterpret_cast<const char*>(records.data()),
             std::size_t{count} * probe::kRecordBytes);
}

// Answers for the kernels that ANSWERS lacks, up to one that is refused: then status 3.
[[noreturn]] void answer(int argc, char** argv) {
  check(cuInit(0), "starting");
  CUdevice device;
  CUcontext context;
  check(cuDeviceGet(&device, 0), "finding a GPU");
  check(cuDevicePrimaryCtxRetain(&context, device), "making a context");
  check(cuCtxSetCurrent(context), "making a context current");
  CUmodule module;
  check(cuModuleLoad(&module, argv[1]), "loading the kernels");
  unsigned count = 0;
  check(cuModuleGetFunctionCount(&count, module), "counting the kernels");
  std::vector<CUfunction> functions(count);
  check(cuModuleEnumerateFunctions(functions.data(), count, module), "listing the kernels");
  CUdeviceptr records;
  check(cuMemAlloc(&records, std::size_t{probe::kThreads} * probe::kRecordBytes), "allocating");
  const auto done = read_lines(argv[2]);
  const auto expected = argc > 5 ? read_lines(argv[4]) : done;
  std::ofstream answers(argv[2], std::ios::app);
  for (CUfunction function : functions) {
    const char* name = nullptr;
    check(cuFuncGetName(&name, function), "naming a kernel");
    if (done.contains(name)) continue;
    std::uint64_t hash = 0;
    std::vector<unsigned char> first;
    if (!run(function, name, records, hash, first)) {
      answers << name << " refused\n" << std::flush;
      std::_Exit(3);
    }
    char text[24];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
    answers << name << ' ' << text << '\n';
    const std::vector<unsigned char> before = inputs(name, 0);
    for (std::size_t i = 0; i < first.size(); ++i) first[i] ^= before[i];
    write(argv[3], name, first, probe::kFull);
    const auto found = expected.find(name);
    if (argc > 5 && (found == expected.end() || found->second != text))
      write(argv[5], name, first, probe::kThreads);
  }
  answers.flush();
  std::_Exit(answers ? 0 : 2);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 && argc != 6) fail("usage: instruction_probe CUBIN ANSWERS FULL [EXPECTED RAW]");
  for (const int file : {2, 3, 5})
    if (file < argc) std::ofstream(argv[file], std::ios::trunc);
  // A refused kernel takes its process with it, so a fresh one goes on after it.
  for (;;) {
    const pid_t child = fork();
    if (child == 0) answer(argc, argv);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 3) fail("the process failed");
  }
}
