#pragma once

#include "gpu/runtime/libraries/cublaslt/types.hpp"

namespace heddle::runtime::libraries::cublaslt {

// Throws Missing or std::invalid_argument where such a product cannot be computed.
void check_product(const Description& description, const Layout& a, const Layout& b,
                   const Layout& c, const Layout& d);

}  // namespace heddle::runtime::libraries::cublaslt
