// What every SM has of something lies in huge pages of the host's: the SMs take turns, so that
// small ones would miss its TLB.
#pragma once

#include <vector>

#include "simulator/base/big_pages.hpp"

namespace heddle::simulator::timing {

template <typename T>
using BigPageVector = std::vector<T, BigPageAllocator<T, Fresh::anything>>;

}  // namespace heddle::simulator::timing
