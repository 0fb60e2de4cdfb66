// Runs every kernel of a cubin made by make_forms.py, as instruction_probe.cu does, with a texture,
// a surface and tensor maps beside the records.
//
//   nvcc -std=c++20 -I../instruction_probe -o form_probe form_probe.cu -lcuda
//   ./form_probe CUBIN ANSWERS FULL
//
// ANSWERS: lines "kernel hash", or "kernel ERROR" with the driver's name of what the launch ended
// with, or "kernel never" where it had not ended after a second. FULL: for each kernel that ended
// well its name, ended by zeros to 64 bytes, and its first records after seed 0, XORed with what
// they were before.
#include <cuda.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "form_inputs.hpp"

namespace {

namespace probe = instruction_probe;

constexpr std::size_t kBytes = std::size_t{probe::kThreads} * probe::kRecordBytes;

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "form_probe: %s\n", what.c_str());
  std::exit(2);
}

std::string name_of(CUresult result) {
  const char* name = "unknown error";
  cuGetErrorName(result, &name);
  return name;
}

void check(CUresult result, const char* what) {
  if (result != CUDA_SUCCESS) fail(std::string(what) + ": " + name_of(result));
}

CUarray texels(bool surface) {
  CUDA_ARRAY3D_DESCRIPTOR description{};
  description.Width = description.Height = form_probe::kSide;
  description.Format = CU_AD_FORMAT_UNSIGNED_INT32;
  description.NumChannels = form_probe::kWords;
  description.Flags = surface ? CUDA_ARRAY3D_SURFACE_LDST : 0;
  CUarray array;
  check(cuArray3DCreate(&array, &description), "making an array");
  const form_probe::Texels words = surface ? form_probe::Texels{} : form_probe::texels();
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = words.data();
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.srcPitch = copy.WidthInBytes =
      sizeof(std::uint32_t) * form_probe::kWords * form_probe::kSide;
  copy.Height = form_probe::kSide;
  check(cuMemcpy2D(&copy), "filling an array");
  return array;
}

CUDA_RESOURCE_DESC resource(bool surface) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = texels(surface);
  return resource;
}

CUtexObject make_texture() {
  const CUDA_RESOURCE_DESC of = resource(false);
  CUDA_TEXTURE_DESC how{};
  for (auto& mode : how.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP;
  how.filterMode = CU_TR_FILTER_MODE_POINT;
  how.flags = CU_TRSF_READ_AS_INTEGER;
  CUtexObject texture;
  check(cuTexObjectCreate(&texture, &of, &how, nullptr), "making a texture");
  return texture;
}

CUsurfObject make_surface() {
  const CUDA_RESOURCE_DESC of = resource(true);
  CUsurfObject surface;
  check(cuSurfObjectCreate(&surface, &of), "making a surface");
  return surface;
}

CUdeviceptr make_maps(CUdeviceptr records) {
  auto* const address = reinterpret_cast<void*>(records);
  const cuuint64_t size[] = {form_probe::kRowWords, probe::kThreads, 1};
  const cuuint64_t stride[] = {probe::kRecordBytes, kBytes};
  const cuuint32_t box[] = {form_probe::kBoxWords, form_probe::kBoxRows}, step[] = {1, 1, 1};
  const int corner[] = {0};
  CUtensorMap maps[2];
  check(cuTensorMapEncodeTiled(&maps[0], CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, address, size, stride,
                               box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
        "making a map");
  check(cuTensorMapEncodeIm2col(&maps[1], CU_TENSOR_MAP_DATA_TYPE_UINT32, 3, address, size, stride,
                                corner, corner, form_probe::kBoxWords, form_probe::kBoxRows, step,
                                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
        "making a map for im2col");
  CUdeviceptr device;
  check(cuMemAlloc(&device, sizeof maps), "allocating");
  check(cuMemcpyHtoD(device, maps, sizeof maps), "copying");
  return device;
}

std::vector<unsigned char> inputs(const std::string& kernel, unsigned seed) {
  std::vector<unsigned char> records(kBytes);
  for (unsigned thread = 0; thread < probe::kThreads; ++thread)
    probe::fill(records.data() + std::size_t{thread} * probe::kRecordBytes, kernel, seed, thread);
  return records;
}

// What a launch ended with; empty: well.
std::string ended() {
  const auto begin = std::chrono::steady_clock::now();
  for (;;) {
    const CUresult result = cuStreamQuery(nullptr);
    if (result == CUDA_SUCCESS) return {};
    if (result != CUDA_ERROR_NOT_READY) return name_of(result);
    if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(1)) return "never";
  }
}

struct Arguments {
  CUdeviceptr records;
  CUtexObject texture;
  CUsurfObject surface;
  CUdeviceptr maps;
};

// One kernel on every seed; the error's name, or nothing.
std::string run(CUfunction function, const std::string& kernel, Arguments& arguments,
                std::uint64_t& hash, std::vector<unsigned char>& first) {
  for (unsigned seed = 0; seed < probe::kSeeds; ++seed) {
    std::vector<unsigned char> records = inputs(kernel, seed);
    check(cuMemcpyHtoD(arguments.records, records.data(), kBytes), "copying");
    void* list[] = {&arguments.records, &arguments.texture, &arguments.surface, &arguments.maps};
    const CUresult result = cuLaunchKernel(function, probe::kThreads / probe::kBlock, 1, 1,
                                           probe::kBlock, 1, 1, 0, nullptr, list, nullptr);
    const std::string error = result == CUDA_SUCCESS ? ended() : name_of(result);
    if (!error.empty()) return error;
    check(cuMemcpyDtoH(records.data(), arguments.records, kBytes), "copying");
    hash = probe::hash(records.data(), kBytes, hash);
    if (seed == 0) first = std::move(records);
  }
  return {};
}

void write_full(const char* path, const std::string& kernel, std::vector<unsigned char> records) {
  const std::vector<unsigned char> before = inputs(kernel, 0);
  for (std::size_t i = 0; i < records.size(); ++i) records[i] ^= before[i];
  std::ofstream file(path, std::ios::binary | std::ios::app);
  std::string label = kernel;
  label.resize(64);
  file.write(label.data(), 64);
  file.write(reinterpret_cast<const char*>(records.data()),
             form_probe::kFull * probe::kRecordBytes);
}

// Answers for the kernels that ANSWERS lacks, up to one whose launch fails: then status 3.
[[noreturn]] void answer(char** argv) {
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
  Arguments arguments{};
  check(cuMemAlloc(&arguments.records, kBytes), "allocating");
  arguments.texture = make_texture();
  arguments.surface = make_surface();
  arguments.maps = make_maps(arguments.records);
  std::set<std::string> done;
  std::ifstream before(argv[2]);
  for (std::string kernel, text; before >> kernel >> text;) done.insert(kernel);
  std::ofstream answers(argv[2], std::ios::app);
  for (CUfunction function : functions) {
    const char* name = nullptr;
    check(cuFuncGetName(&name, function), "naming a kernel");
    if (done.contains(name)) continue;
    std::uint64_t hash = 0;
    std::vector<unsigned char> first;
    if (const std::string error = run(function, name, arguments, hash, first); !error.empty()) {
      answers << name << ' ' << error << '\n' << std::flush;
      std::_Exit(3);
    }
    char text[24];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
    answers << name << ' ' << text << '\n';
    write_full(argv[3], name, std::move(first));
  }
  answers.flush();
  std::_Exit(answers ? 0 : 2);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) fail("usage: form_probe CUBIN ANSWERS FULL");
  for (const int file : {2, 3}) std::ofstream(argv[file], std::ios::trunc);
  // A launch that fails takes its process with it, so a fresh one goes on after it.
  for (;;) {
    const pid_t child = fork();
    if (child == 0) answer(argv);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 3) fail("the process failed");
  }
}
