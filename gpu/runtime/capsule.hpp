// Launch capsules: one launch as a file that needs nothing else. It holds the code, the shape and
// the parameters of the launch, device memory as it was before, and what the launch made of it.
//
// A file is eight characters "HEDDLCAP", the format's version (32 bits), four zero bytes, and one
// Zstandard frame; gpu/runtime/README.md describes what is inside. The same launch gives the same
// bytes. A reader takes hostile input: see load_capsule.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/base/types.hpp"
#include "simulator/device/device.hpp"
#include "simulator/launch/launch.hpp"

namespace heddle::runtime {

inline constexpr std::uint64_t kCapsulePage = 4096;

// Whether these bytes at an offset are a page of an allocation.
inline bool is_page(std::uint64_t offset, std::uint64_t size, std::uint64_t allocated) {
  return offset < allocated && offset % kCapsulePage == 0 &&
         size == std::min(kCapsulePage, allocated - offset);
}

struct Capsule {
  struct Allocation {
    std::uint64_t address = 0, bytes = 0;
    std::uint32_t ordinal = 0;
    bool of_module = false;  // made by loading the code: its variables
    std::string label;
  };
  // Part of an allocation: page n of it starts n * kCapsulePage bytes behind its start; the last
  // may be shorter.
  struct Page {
    std::uint64_t address = 0;
    std::vector<std::byte> bytes;
    friend bool operator==(const Page&, const Page&) = default;
  };

  std::string model;   // id of the GPU model it ran on
  std::string origin;  // what the cubin was called
  std::string kernel;  // mangled
  simulator::Dim3 grid, block, cluster;
  std::uint32_t dynamic_shared_bytes = 0;
  bool cooperative = false;
  std::optional<std::uint8_t> preferred_carveout = {};  // as LaunchRequest's
  std::uint64_t stack_limit = 0;
  std::vector<std::byte> cubin, parameters;
  std::vector<Allocation>
      allocations;           // the module's (constants too) in its order, then by ordinal
  std::vector<Page> before;  // pages that were not all zero
  std::vector<Page> after;   // pages that the launch changed
};

class CapsuleError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The GPU that it shall run on does not run its code: another one has to be chosen.
class CodeForAnotherGpu : public CapsuleError {
 public:
  using CapsuleError::CapsuleError;
};

// Largest capsule that is read or written, uncompressed.
inline constexpr std::uint64_t kMostCapsuleBytes = std::uint64_t{8} << 30;

std::string encode_capsule(const Capsule& capsule);
// Throws CapsuleError naming `origin` and what is wrong. Memory stays in proportion to the file:
// what it expands to is bounded (simulator/base/file.hpp), so are the bytes of all its pages, and
// every size and count is checked against that.
Capsule decode_capsule(std::string_view bytes, const std::string& origin);

// Written beside its place and renamed.
void write_capsule(const Capsule& capsule, const std::filesystem::path& path);
// `gpu`: id of the GPU model it shall run on; empty: the one it was captured on.
Capsule load_capsule(const std::filesystem::path& path, std::string_view gpu = {});

// Memory of a device, page by page: those that are not all zero, in ascending order of address.
std::vector<Capsule::Page> snapshot(const simulator::DeviceMemory& memory);
// The pages of `memory` that differ from `before`.
std::vector<Capsule::Page> changed_pages(const simulator::DeviceMemory& memory,
                                         std::span<const Capsule::Page> before);

// A capsule's launch, ready to run on a device of its own that looks as it did then.
class CapsuleLaunch {
 public:
  // Throws CapsuleError where the capsule contradicts itself, CodeForAnotherGpu, and
  // isa::CubinError for its code.
  CapsuleLaunch(const Capsule& capsule, const std::string& origin);
  ~CapsuleLaunch();

  simulator::Device& device() { return *device_; }
  const simulator::LaunchRequest& request() const { return request_; }
  simulator::LaunchOutcome run(const simulator::LaunchOptions& options) {
    return device_->launch(request_, options);
  }
  // Where memory is not as the capsule says it was after the launch; at most `most` of them.
  struct Difference {
    std::uint64_t address = 0;  // of the first byte that differs in a page
    std::byte expected{}, found{};
  };
  std::vector<Difference> differences(const Capsule& capsule, std::size_t most = 16) const;

 private:
  std::unique_ptr<simulator::Device> device_;
  std::unique_ptr<simulator::Module> module_;
  simulator::LaunchRequest request_;
};

}  // namespace heddle::runtime
