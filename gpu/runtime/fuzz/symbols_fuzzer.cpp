// The reader of a loaded object's symbol tables. What it finds is written to: it must lie in code
// that the file has, in order, with room for a jump each.
#include <array>
#include <cstdint>
#include <cstdlib>

#include "gpu/runtime/redirect/object_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle::runtime::redirect;
  constexpr std::string_view kNames[] = {"__cudaGetProcAddress", "__cudaRegisterFatBinary",
                                         "cudaFree", "cudaMalloc"};
  const FileBytes file(reinterpret_cast<const std::byte*>(data), size);
  const ObjectFile object(file);
  std::array<FoundFunction, 8> space;
  const FoundFunction* last = nullptr;
  for (const FoundFunction& each : object.find_functions(kNames, space)) {
    const FileBytes code = object.code_bytes(each.address, kJumpBytes);
    if (code.size() != kJumpBytes || code.data() < file.data() ||
        code.data() + code.size() > file.data() + file.size())
      std::abort();
    if (object.code_at(each.address, kJumpBytes) == nullptr) std::abort();
    if (last != nullptr && each.address - last->address < kJumpBytes) std::abort();
    if (each.name >= std::size(kNames)) std::abort();
    last = &each;
  }
  object.claims("__cudaRegisterFatBinary");
  object.has_constant("cudaErrorCudartUnloading");
  return 0;
}
