// What cuFFT's routines share: plans, and the transform of one.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "gpu/runtime/libraries/routine.hpp"

namespace heddle::runtime::libraries::cufft {

enum class Status : int {
  success = 0,
  invalid_plan = 1,
  alloc_failed = 2,
  invalid_type = 3,
  invalid_value = 4,
  exec_failed = 6,
  invalid_size = 8,
  invalid_device = 11,
  not_supported = 16,
};

// cufftType: bit 6 is set for double precision.
enum class Kind : int { r2c = 0x2a, c2r = 0x2c, c2c = 0x29, d2z = 0x6a, z2d = 0x6c, z2z = 0x69 };
inline bool is_double(Kind kind) { return (static_cast<int>(kind) & 0x40) != 0; }
inline bool from_real(Kind kind) { return kind == Kind::r2c || kind == Kind::d2z; }
inline bool to_real(Kind kind) { return kind == Kind::c2r || kind == Kind::z2d; }

inline constexpr int kMostDimensions = 3;
using Sizes = std::array<std::int64_t, kMostDimensions>;

// Where the elements of one side lie. Without a layout of the program's, they follow one another.
struct Layout {
  bool given = false;
  Sizes embedded{};
  std::int64_t stride = 1, distance = 0;
};

struct Plan {
  int rank = 0;  // 0: not made yet
  Sizes sizes{};
  Layout input, output;
  Kind kind = Kind::c2c;
  std::int64_t batch = 1;
  abi::Handle stream = nullptr;
  std::vector<int> gpus;  // of a plan for several

  std::int64_t size(int dimension) const { return sizes[static_cast<std::size_t>(dimension)]; }
};

Status with_plan(int handle, const std::function<Status(Plan&)>& use);
// A copy of one that has been made, for transforms of a kind.
Status find_plan(int handle, Kind kind, Plan& plan);

Shape shape_of(const Plan& plan);
const char* type_of(Kind kind);

// Reads `input` and writes `output`, where the host reaches them. They may be the same.
template <typename T>
void transform(const Plan& plan, const T* input, T* output, int direction);

}  // namespace heddle::runtime::libraries::cufft

template <>
struct heddle::runtime::libraries::Failure<heddle::runtime::libraries::cufft::Status> {
  using Status = heddle::runtime::libraries::cufft::Status;
  static constexpr Status not_supported = Status::not_supported, failed = Status::exec_failed,
                          invalid = Status::invalid_value;
};
