// The streams of a recorded launch as the viewer reads them (docs/trace-page.md).
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "traces/viewer/recorder.hpp"

namespace heddle::traces {

// Everything but values: the warps, the dictionaries, and every warp's steps.
std::string flow_blob(const Recorder& recorder);
// When each step of a timed launch issued and what its warp waited for before; empty: not timed.
std::string time_blob(const Recorder& recorder);
// The values of some warps, one behind the other.
std::string value_blob(std::span<const WarpTrace> warps);

std::string deflated(const std::string& bytes);  // zlib's format: what browsers call "deflate"
std::string base64(const std::string& bytes);

}  // namespace heddle::traces
