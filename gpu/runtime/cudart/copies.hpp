// What calls that copy share.
#pragma once

#include "gpu/runtime/copy.hpp"
#include "gpu/runtime/cudart/api.hpp"

namespace heddle::runtime {

inline std::uint64_t address_of(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

inline Error copy(const CopyRequest& request, abi::Handle stream, DefaultStream zero, bool wait) {
  return on_stream(stream, zero,
                   [&](Context& context, Stream& in) { return context.copy(request, in, wait); });
}

// What a three-dimensional copy comes down to.
Error describe_copy_3d(Context& context, const abi::Memcpy3DParms* parameters,
                       CopyRequest& request);

}  // namespace heddle::runtime
