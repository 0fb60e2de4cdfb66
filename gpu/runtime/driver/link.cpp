// Linking: parts are kept until cuLinkComplete, which has them linked.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/runtime/driver/api.hpp"
#include "gpu/runtime/driver/support.hpp"

namespace heddle::runtime::driver {
namespace {

struct Part {
  int kind;
  std::string name;
  std::vector<char> contents;
};

// What cuLinkComplete gives out lives until cuLinkDestroy.
struct Linking {
  std::vector<Part> parts;
  std::vector<char> code;
  // Once a part was none, or linking has failed, the state is good for nothing, and says so (H200:
  // gpu/runtime/tests/programs/driver_calls.cu).
  bool bad_part = false, failed = false;
  std::vector<int> options;
  void** values = nullptr;  // the program's: sizes of what it is told are put there
};

std::mutex linkings_mutex;
std::set<Linking*>& linkings() {
  static auto& all = *new std::set<Linking*>;
  return all;
}

bool is_linking(Linking* linking) {
  std::lock_guard lock(linkings_mutex);
  return linkings().contains(linking);
}

constexpr int kCubin = 0, kPtx = 1, kLibrary = 4;  // the last kind of machine code and PTX

Result add(Linking* state, int kind, const char* data, std::size_t size, const char* name) {
  if (!is_linking(state) || data == nullptr || size == 0) return Result::CUDA_ERROR_INVALID_VALUE;
  if (state->bad_part) return Result::CUDA_ERROR_INVALID_IMAGE;
  if (state->failed || kind < 0 || kind > kLibrary) return Result::CUDA_ERROR_INVALID_VALUE;
  const std::string_view contents(data, size);
  const bool is_cubin = contents.starts_with("\x7f\x45LF");
  if (kind == kPtx && is_cubin) kind = kCubin;  // CuPy gives NVRTC's cubins so
  if ((kind == kCubin && !is_cubin) ||
      (kind == kPtx && contents.find(".version") == contents.npos)) {
    state->bad_part = true;
    return Result::CUDA_ERROR_INVALID_IMAGE;
  }
  state->parts.push_back(
      {kind, name == nullptr ? "code that is linked" : name, {data, data + size}});
  return Result::CUDA_SUCCESS;
}

void take_code(void* user, const void* code, std::size_t bytes) {
  const auto* const begin = static_cast<const char*>(code);
  static_cast<Linking*>(user)->code.assign(begin, begin + bytes);
}

Error link(Linking& state) {
  std::vector<DriverSupport::Part> parts;
  for (const Part& part : state.parts)
    parts.push_back({part.kind, part.name.c_str(), part.contents.data(), part.contents.size()});
  return support().link(parts.data(), parts.size(), state.options.data(), state.values,
                        static_cast<unsigned>(state.options.size()), &state, take_code);
}

}  // namespace

HEDDLE_DRIVER_API Result cuLinkCreate_v2(unsigned count, const int* options, void** values,
                                         Linking** state) {
  if (state == nullptr || (count != 0 && (options == nullptr || values == nullptr)))
    return Result::CUDA_ERROR_INVALID_VALUE;
  std::lock_guard lock(linkings_mutex);
  *state = new Linking{{}, {}, false, false, std::vector(options, options + count), values};
  linkings().insert(*state);
  return Result::CUDA_SUCCESS;
}

// Options of a part are those of all.
HEDDLE_DRIVER_API Result cuLinkAddData_v2(Linking* state, int kind, const void* data,
                                          std::size_t size, const char* name, unsigned, void*,
                                          void*) {
  return add(state, kind, static_cast<const char*>(data), size, name);
}

HEDDLE_DRIVER_API Result cuLinkAddFile_v2(Linking* state, int kind, const char* path, unsigned,
                                          void*, void*) {
  if (path == nullptr || !is_linking(state) || state->failed)
    return Result::CUDA_ERROR_INVALID_VALUE;
  std::ifstream file(path, std::ios::binary);
  if (!file) return Result::CUDA_ERROR_FILE_NOT_FOUND;
  const std::string contents{std::istreambuf_iterator<char>(file), {}};
  return add(state, kind, contents.data(), contents.size(), path);
}

HEDDLE_DRIVER_API Result cuLinkComplete(Linking* state, void** code, std::size_t* bytes) {
  if (!is_linking(state) || code == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  if (state->bad_part) return Result::CUDA_ERROR_INVALID_IMAGE;
  if (state->parts.empty()) return Result::CUDA_ERROR_INVALID_VALUE;
  const Result result = forward([&] { return link(*state); });
  state->failed = result != Result::CUDA_SUCCESS;
  if (state->failed) return result;
  *code = state->code.data();
  if (bytes != nullptr) *bytes = state->code.size();
  return result;
}

HEDDLE_DRIVER_API Result cuLinkDestroy(Linking* state) {
  std::lock_guard lock(linkings_mutex);
  if (linkings().erase(state) == 0) return Result::CUDA_ERROR_INVALID_HANDLE;
  delete state;
  return Result::CUDA_SUCCESS;
}

}  // namespace heddle::runtime::driver
