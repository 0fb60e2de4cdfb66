#include "gpu/runtime/capsule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "gpu/runtime/code_image.hpp"
#include "simulator/device/device.hpp"
#include "simulator/memory/touched_pages.hpp"
#include "simulator/models/gpu_model.hpp"

namespace heddle::runtime {
namespace {

constexpr std::array<std::byte, kCapsulePage> kZeros{};

std::span<const std::byte> as_span(const Capsule::Page* page, std::size_t size) {
  return page != nullptr ? std::span<const std::byte>(page->bytes)
                         : std::span<const std::byte>(kZeros).first(size);
}

// std::ranges::equal() takes a std::byte at a time.
bool are_equal(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
}

// Pages in ascending order, looked up in ascending order.
class PageCursor {
 public:
  explicit PageCursor(std::span<const Capsule::Page> pages) : rest_(pages) {}
  const Capsule::Page* at(std::uint64_t address) {
    while (!rest_.empty() && rest_.front().address < address) rest_ = rest_.subspan(1);
    return !rest_.empty() && rest_.front().address == address ? &rest_.front() : nullptr;
  }

 private:
  std::span<const Capsule::Page> rest_;
};

// Calls visit(address, bytes) in ascending order for every page that anybody has touched, and for
// those of `also`.
template <typename Visit>
void for_each_page(const simulator::DeviceMemory& memory, std::span<const Capsule::Page> also,
                   Visit visit) {
  static_assert(kCapsulePage == simulator::kHostPage);
  const auto visit_untouched = [&](std::uint64_t up_to) {
    for (; !also.empty() && also.front().address < up_to; also = also.subspan(1)) {
      const Capsule::Page& page = also.front();
      const std::byte* const there = memory.view(page.address, page.bytes.size());
      if (there != nullptr) visit(page.address, std::span(there, page.bytes.size()));
    }
  };
  for (const auto& [start, allocation] : memory.allocations())
    simulator::for_each_touched(
        allocation, [&, start = start](std::uint64_t offset, std::span<const std::byte> bytes) {
          for (std::uint64_t at = 0; at < bytes.size(); at += kCapsulePage) {
            const std::uint64_t address = start + offset + at;
            visit_untouched(address);
            if (!also.empty() && also.front().address == address) also = also.subspan(1);
            visit(address, bytes.subspan(at, std::min(kCapsulePage, bytes.size() - at)));
          }
        });
  visit_untouched(~std::uint64_t{0});
}

std::unique_ptr<simulator::Device> make_device(const Capsule& capsule, const std::string& origin) {
  try {
    return std::make_unique<simulator::Device>(simulator::gpu_model(capsule.model));
  } catch (const std::invalid_argument& bad) {
    throw CapsuleError(fmt::format("{}: {}", origin, bad.what()));
  }
}

// The reader looks too (capsule_codec.cpp), but not every capsule comes from a file.
void check_page(const simulator::DeviceMemory& memory, const Capsule::Page& page,
                const std::string& origin) {
  const simulator::Allocation* in = memory.find(page.address);
  if (in == nullptr || !is_page(page.address - in->address, page.bytes.size(), in->bytes))
    throw CapsuleError(
        fmt::format("{}: its page at {:#x} is no page of an allocation", origin, page.address));
}

// `of_module`: what loading the code allocated and initialised.
void restore_memory(simulator::DeviceMemory& memory, std::span<const std::uint64_t> of_module,
                    const Capsule& capsule, const std::string& origin) {
  for (const Capsule::Allocation& allocation : capsule.allocations) {
    if (allocation.of_module) continue;
    memory.place_next({{allocation.address, allocation.ordinal}});
    if (!memory.allocate(allocation.bytes, allocation.label))
      throw CapsuleError(fmt::format("{}: its allocation of {} bytes at {:#x} cannot be made",
                                     origin, allocation.bytes, allocation.address));
  }
  for (const std::uint64_t address : of_module) {
    const simulator::Allocation& allocation = memory.allocations().at(address);
    // No more of it can have been initialised than there is code.
    const std::uint64_t initialised =
        std::min<std::uint64_t>(allocation.bytes, capsule.cubin.size());
    std::memset(allocation.data, 0, initialised);
  }
  for (const Capsule::Page& page : capsule.before) {
    check_page(memory, page, origin);
    std::memcpy(memory.view(page.address, page.bytes.size()), page.bytes.data(), page.bytes.size());
  }
  for (const Capsule::Page& page : capsule.after) check_page(memory, page, origin);
}

// Whether the code's variables take what they took when the capsule was written.
bool same_allocations(const simulator::Module& module, const simulator::DeviceMemory& memory,
                      const Capsule& capsule) {
  std::size_t matched = 0;
  for (const Capsule::Allocation& allocation : capsule.allocations) {
    if (!allocation.of_module) continue;
    const auto found = memory.allocations().find(allocation.address);
    if (found == memory.allocations().end() || found->second.bytes != allocation.bytes)
      return false;
    ++matched;
  }
  return matched == module.global_allocations().size();
}

}  // namespace

std::vector<Capsule::Page> snapshot(const simulator::DeviceMemory& memory) {
  return changed_pages(memory, {});
}

std::vector<Capsule::Page> changed_pages(const simulator::DeviceMemory& memory,
                                         std::span<const Capsule::Page> before) {
  PageCursor former(before);
  std::vector<Capsule::Page> changed;
  for_each_page(memory, before, [&](std::uint64_t address, std::span<const std::byte> bytes) {
    if (!are_equal(bytes, as_span(former.at(address), bytes.size())))
      changed.push_back({address, {bytes.begin(), bytes.end()}});
  });
  return changed;
}

CapsuleLaunch::CapsuleLaunch(const Capsule& capsule, const std::string& origin)
    : device_(make_device(capsule, origin)) {
  std::vector<simulator::DeviceMemory::Place> places;
  for (const Capsule::Allocation& allocation : capsule.allocations)
    if (allocation.of_module) places.push_back({allocation.address, allocation.ordinal});
  device_->memory().place_next(places);
  try {
    module_ = std::make_unique<simulator::Module>(capsule.cubin, capsule.origin, device_->memory());
  } catch (const std::bad_alloc&) {
    throw CapsuleError(fmt::format("{}: the variables of its code cannot be placed", origin));
  }
  const simulator::GpuModel& gpu = device_->model();
  const auto sm = static_cast<std::uint32_t>(isa::sm_number(module_->cubin().arch));
  if (!runs_code(gpu.arch, sm))
    throw CodeForAnotherGpu(fmt::format("{}: its code is for sm_{}, which the {} ({}) does not run",
                                        origin, sm, gpu.name, gpu.code_name()));
  if (!same_allocations(*module_, device_->memory(), capsule))
    throw CapsuleError(
        fmt::format("{}: its variables do not lie as its code has them: capture it again", origin));
  restore_memory(device_->memory(), module_->global_allocations(), capsule, origin);
  device_->stack_limit = capsule.stack_limit;

  request_.module = module_.get();
  request_.kernel = module_->cubin().find_kernel(capsule.kernel);
  if (request_.kernel == nullptr)
    throw CapsuleError(fmt::format("{}: its code has no kernel {}", origin, capsule.kernel));
  const std::uint64_t local_bytes = std::max<std::uint64_t>(
      {request_.kernel->frame_bytes, request_.kernel->min_stack_bytes, capsule.stack_limit});
  if (local_bytes > kMostLocalBytes)
    throw CapsuleError(fmt::format("{}: {} bytes of local memory; a thread has at most {}", origin,
                                   local_bytes, kMostLocalBytes));
  if (capsule.parameters.size() != request_.kernel->parameter_bytes)
    throw CapsuleError(fmt::format("{}: {} bytes of parameters for a kernel that takes {}", origin,
                                   capsule.parameters.size(), request_.kernel->parameter_bytes));
  request_.grid = capsule.grid;
  request_.block = capsule.block;
  request_.cluster = capsule.cluster;
  request_.dynamic_shared_bytes = capsule.dynamic_shared_bytes;
  request_.cooperative = capsule.cooperative;
  request_.preferred_carveout = capsule.preferred_carveout;
  request_.parameters = capsule.parameters;
  if (const auto refusal = device_->check(request_))
    throw CapsuleError(fmt::format("{}: {}", origin, refusal->why));
}

CapsuleLaunch::~CapsuleLaunch() = default;

std::vector<CapsuleLaunch::Difference> CapsuleLaunch::differences(const Capsule& capsule,
                                                                  std::size_t most) const {
  PageCursor before(capsule.before), after(capsule.after);
  std::vector<Difference> found;
  const auto compare = [&](std::uint64_t address, std::span<const std::byte> bytes) {
    const Capsule::Page* changed = after.at(address);
    const Capsule::Page* unchanged = before.at(address);
    const auto expected = as_span(changed != nullptr ? changed : unchanged, bytes.size());
    if (are_equal(expected, bytes)) return;
    const auto [there, here] = std::ranges::mismatch(expected, bytes);
    if (there == expected.end() || here == bytes.end() || found.size() >= most) return;
    found.push_back({address + static_cast<std::uint64_t>(here - bytes.begin()), *there, *here});
  };
  for_each_page(device_->memory(), capsule.after, compare);
  return found;
}

}  // namespace heddle::runtime
