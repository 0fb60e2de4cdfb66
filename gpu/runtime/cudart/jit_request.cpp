#include "gpu/runtime/cudart/jit_request.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace heddle::runtime {
namespace {

enum Name : int {
  kMaxRegisters = 0,
  kInformation = 3,
  kInformationSize = 4,
  kErrors = 5,
  kErrorsSize = 6,
  kLevel = 7,
  kDebug = 11
};

}  // namespace

JitRequest::JitRequest(const int* names, void** values, unsigned count) {
  for (unsigned i = 0; names != nullptr && values != nullptr && i < count; ++i) {
    const auto number = reinterpret_cast<std::uintptr_t>(values[i]);
    switch (names[i]) {
      case kMaxRegisters:
        options_.max_registers = static_cast<unsigned>(number);
        break;
      case kLevel:
        options_.level = static_cast<int>(std::min<std::uintptr_t>(number, 3));
        break;
      case kDebug:
        options_.debug = (number & 0xffffffff) != 0;
        break;
      case kInformation:
        information_.text = static_cast<char*>(values[i]);
        break;
      case kInformationSize:
        information_.size = &values[i];
        break;
      case kErrors:
        errors_.text = static_cast<char*>(values[i]);
        break;
      case kErrorsSize:
        errors_.size = &values[i];
        break;
      default:  // the target, times, what to do first: nothing that changes the code
        break;
    }
  }
}

// The size told is the text's, without its end, or the whole room where the text was cut off, as an
// H200's driver has it (gpu/runtime/tests/programs/driver_calls.cu).
void JitRequest::put(const Buffer& buffer, std::string_view text) {
  if (buffer.text == nullptr || buffer.size == nullptr) return;
  const auto room = reinterpret_cast<std::uintptr_t>(*buffer.size) & 0xffffffff;
  if (room == 0) return;
  const std::size_t bytes = std::min<std::size_t>(text.size(), room - 1);
  std::memcpy(buffer.text, text.data(), bytes);
  buffer.text[bytes] = '\0';
  *buffer.size = reinterpret_cast<void*>(std::min<std::size_t>(text.size(), room));
}

void JitRequest::tell(std::string_view information, std::string_view errors) const {
  put(information_, information);
  put(errors_, errors);
}

}  // namespace heddle::runtime
