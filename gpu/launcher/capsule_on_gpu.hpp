// A capsule's launch on a real GPU: memory as the capsule has it, at the same addresses, so that
// pointers in it hold; then the launch; then what memory looks like beside the capsule's.
//
// What lies elsewhere on a real GPU: variables, where the driver loads them (words of memory that
// point to one are changed), and code (a capsule whose memory holds a function's address is
// refused).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpu/launcher/driver.hpp"
#include "gpu/runtime/capsule.hpp"

namespace heddle::launcher {

// Device memory at the capsules' addresses. Stays mapped, since capsules share addresses.
class Frames {
 public:
  // Of all allocations of a capsule that are not its module's.
  void add(const runtime::Capsule& capsule);
  void map(Driver& driver) const;
  void clear(Driver& driver) const;

 private:
  using Ranges = std::map<std::uint64_t, std::uint64_t>;  // begin, end; apart from one another
  static void add(Ranges& ranges, std::uint64_t begin, std::uint64_t end, std::uint64_t unit);

  Ranges mapped_, reserved_;
};

struct Difference {
  std::uint64_t address = 0;  // of the first byte that differs in an allocation
  std::string where;          // the allocation and the offset in it
  std::byte expected{}, found{};
};

struct Outcome {
  std::uint64_t changed_pages = 0;      // by the launch, as the capsule has it
  std::vector<Difference> differences;  // one of each allocation or variable that has any
};

// `frames` are mapped. Throws std::runtime_error where the capsule cannot be launched, or the
// launch fails.
Outcome launch_capsule(Driver& driver, const Frames& frames, const runtime::Capsule& capsule,
                       const std::string& origin);

}  // namespace heddle::launcher
