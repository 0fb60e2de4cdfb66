// What calls that copy share.
#pragma once

#include "gpu/runtime/copy.hpp"
#include "gpu/runtime/cudart/api.hpp"

namespace heddle::runtime {

inline std::uint64_t address_of(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

// What a captured node does, as the program would have said it of one that it adds itself.
void describe_captured(const Stream& stream, const CopyRequest& request);
void describe_captured(const Stream& stream, const FillRequest& request);

inline Error copy(const CopyRequest& request, abi::Handle stream, DefaultStream zero, bool wait) {
  return on_stream(stream, zero, [&](Context& context, Stream& in) {
    const Error error = context.copy(request, in, wait);
    if (error == Error::success && in.capture && !request.box.empty())
      describe_captured(in, request);
    return error;
  });
}

inline Error fill(const FillRequest& request, abi::Handle stream, DefaultStream zero, bool wait) {
  return on_stream(stream, zero, [&](Context& context, Stream& in) {
    const Error error = context.fill(request, in, wait);
    if (error == Error::success && in.capture) describe_captured(in, request);
    return error;
  });
}

// What a three-dimensional copy comes down to.
Error describe_copy_3d(Context& context, const abi::Memcpy3DParms* parameters,
                       CopyRequest& request);

}  // namespace heddle::runtime
