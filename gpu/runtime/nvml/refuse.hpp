// What a name of libnvidia-ml.so.1 does that is not implemented.
#pragma once

namespace heddle::runtime::nvml {

// "Not supported", as NVML says of what a GPU lacks; monitoring tools ask for much, so nothing is
// said on stderr.
int refuse(const char* name) noexcept;

}  // namespace heddle::runtime::nvml
