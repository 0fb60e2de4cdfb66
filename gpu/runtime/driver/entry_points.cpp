// cuGetProcAddress: functions by the name that cuda.h gives them, and the version of CUDA that
// asks.
#include <dlfcn.h>

#include <map>
#include <string>
#include <string_view>

#include "gpu/runtime/driver/api.hpp"

namespace heddle::runtime::driver {
namespace {

constexpr int kDriverVersion = 13000;  // as cuDriverGetVersion tells it

// The library itself, by an address in it.
void* self() {
  Dl_info info;
  static void* const handle = dladdr(reinterpret_cast<void*>(&result_of), &info) != 0
                                  ? dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD)
                                  : nullptr;
  return handle;
}

struct EntryPoint {
  const char* name;  // as exported
  int since;
};
constexpr EntryPoint kEntryPoints[] = {
#define HEDDLE_ENTRY_POINT(name, since, needs) {#name, since},
#include "gpu/runtime/driver/entry_points.inc"
#undef HEDDLE_ENTRY_POINT
};

using Versions = std::map<int, const char*>;  // what is exported, by the version that has it first
struct Symbol {
  Versions usual, per_thread;  // the second: where stream 0 is the thread's own
};

std::map<std::string_view, Symbol> read_symbols() {
  std::map<std::string_view, Symbol> symbols;
  for (const EntryPoint& each : kEntryPoints) {
    std::string_view name = each.name;
    const bool per_thread = name.ends_with("_ptsz") || name.ends_with("_ptds");
    if (per_thread) name.remove_suffix(std::string_view("_ptsz").size());
    if (name[name.size() - 3] == '_' && name[name.size() - 2] == 'v') name.remove_suffix(3);
    Symbol& symbol = symbols[name];
    (per_thread ? symbol.per_thread : symbol.usual)[each.since] = each.name;
  }
  return symbols;
}

}  // namespace

// The newest version that a program of CUDA `version` knows; of functions that stand in a stream
// the one for its stream 0. What is answered is as an H200 does
// (gpu/runtime/tests/answers/versions.cu).
HEDDLE_DRIVER_API Result cuGetProcAddress_v2(const char* symbol, void** function, int version,
                                             std::uint64_t flags, int* status) {
  constexpr std::uint64_t kPerThread = 2, kKnownFlags = 3;
  constexpr int kFound = 0, kNoSuchSymbol = 1, kTooOld = 2;
  if (symbol == nullptr || function == nullptr || version > kDriverVersion || flags > kKnownFlags)
    return Result::CUDA_ERROR_INVALID_VALUE;
  static const auto& symbols = *new std::map(read_symbols());
  *function = nullptr;
  int found = kNoSuchSymbol;
  if (const auto known = symbols.find(symbol); known != symbols.end()) {
    const Symbol& named = known->second;
    const bool per_thread = (flags & kPerThread) != 0 && !named.per_thread.empty();
    const Versions& versions = per_thread ? named.per_thread : named.usual;
    const auto later = versions.upper_bound(version);
    found = later == versions.begin() ? kTooOld : kFound;
    if (found == kFound) *function = dlsym(self(), std::prev(later)->second);
  }
  if (status != nullptr) *status = found;
  return Result::CUDA_SUCCESS;
}

// The first version of it could not tell why there is no function.
HEDDLE_DRIVER_API Result cuGetProcAddress(const char* symbol, void** function, int version,
                                          std::uint64_t flags) {
  const Result result = cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
  const bool found = result != Result::CUDA_SUCCESS || *function != nullptr;
  return found ? result : Result::CUDA_ERROR_NOT_FOUND;
}

}  // namespace heddle::runtime::driver
