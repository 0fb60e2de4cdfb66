// Every metric and event of nvprof (V100, its last GPU; and those of older ones that tutorials
// use).
#pragma once

#include <span>
#include <string_view>

namespace heddle::cli {

struct NvprofName {
  std::string_view name;
  bool is_event = false;
  std::string_view why_not;  // it is not supported; empty: it is
};
std::span<const NvprofName> nvprof_names();

}  // namespace heddle::cli
