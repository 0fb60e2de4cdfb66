#include "gpu/launcher/capsule_on_gpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "simulator/launch/module.hpp"

namespace heddle::launcher {
namespace {

using runtime::Capsule;
using runtime::CapsuleLaunch;
using Bytes = std::vector<std::byte>;
constexpr std::uint64_t kWord = 8;

// What the program asked for: not its code's variables, nor what the model keeps for itself (the
// device heap, launches by device code), which the GPU's driver has elsewhere.
bool of_program(const Capsule::Allocation& allocation) {
  return !allocation.of_module && allocation.bytes != 0 && !allocation.label.starts_with(".nv.");
}

void check_textures(const Capsule& capsule, const std::string& origin) {
  for (const Capsule::Allocation& each : capsule.allocations)
    if (each.label == ".nv.textures")
      throw std::runtime_error(fmt::format(
          "{}: its program uses textures or surfaces, whose headers the GPU's driver makes",
          origin));
}

// A variable: where the capsule has it and where the driver has put it.
struct Variable {
  std::string name;
  std::uint64_t address = 0, bytes = 0, on_gpu = 0;
};

class LoadedCapsule {
 public:
  LoadedCapsule(Driver& driver, const Capsule& capsule, const std::string& origin)
      : driver_(driver), capsule_(capsule), origin_(origin), launch_(capsule, origin) {
    module_ = driver_.load(capsule.cubin);
    find_variables();
  }
  ~LoadedCapsule() {
    try {
      driver_.unload(module_);
    } catch (const std::runtime_error&) {
      // Behind a launch that failed nothing works any more; that was reported.
    }
  }
  LoadedCapsule(const LoadedCapsule&) = delete;
  LoadedCapsule& operator=(const LoadedCapsule&) = delete;

  void restore() {
    for (const Capsule::Page& page : capsule_.before) {
      if (!in_program_memory(page.address)) continue;
      Bytes bytes = page.bytes;
      for_gpu(page.address, bytes);
      driver_.write(page.address, bytes);
    }
    for (const Variable& each : variables_) {
      Bytes bytes = contents(each.address, each.bytes);
      for_gpu(each.address, bytes);
      keep_code_words(each, bytes);
      driver_.write(each.on_gpu, bytes);
    }
  }

  void run() {
    Bytes parameters = capsule_.parameters;
    for_gpu(0, parameters);
    driver_.set_stack_bytes(capsule_.stack_limit);
    driver_.launch({.function = driver_.function(module_, capsule_.kernel),
                    .grid = capsule_.grid,
                    .block = capsule_.block,
                    .cluster = capsule_.cluster,
                    .dynamic_shared_bytes = capsule_.dynamic_shared_bytes,
                    .cooperative = capsule_.cooperative,
                    .preferred_carveout = capsule_.preferred_carveout,
                    .parameters = parameters});
  }

  std::vector<Difference> differences() {
    // The model's memory becomes what it was after the launch.
    for (const Capsule::Page& page : capsule_.after)
      std::memcpy(memory().view(page.address, page.bytes.size()), page.bytes.data(),
                  page.bytes.size());
    std::vector<Difference> found;
    for (const Capsule::Allocation& each : capsule_.allocations)
      if (of_program(each)) compare(each.label, each.address, each.bytes, each.address, found);
    for (const Variable& each : variables_)
      compare(each.name, each.address, each.bytes, each.on_gpu, found);
    return found;
  }

 private:
  const simulator::Module& code() const { return *launch_.request().module; }
  simulator::DeviceMemory& memory() { return launch_.device().memory(); }
  Bytes contents(std::uint64_t address, std::uint64_t bytes) {
    const std::byte* const there = memory().view(address, bytes);
    if (there == nullptr)
      throw std::runtime_error(fmt::format("{}: a variable reaches past its section", origin_));
    return {there, there + bytes};
  }

  void find_variables() {
    for (const isa::Symbol& symbol : code().cubin().symbols) {
      const auto global = code().find_global(symbol.name);
      if (!global || global->bytes == 0) continue;
      const std::uint64_t on_gpu = driver_.variable(module_, symbol.name);
      if (on_gpu != 0) variables_.push_back({symbol.name, global->address, global->bytes, on_gpu});
    }
  }
  bool in_program_memory(std::uint64_t address) const {
    return std::ranges::any_of(capsule_.allocations, [&](const Capsule::Allocation& each) {
      return of_program(each) && address - each.address < each.bytes;
    });
  }

  // Words that point to variables point to where these are now. `address`: of the first byte.
  void for_gpu(std::uint64_t address, Bytes& bytes) const {
    for (std::uint64_t at = -address % kWord; at + kWord <= bytes.size(); at += kWord) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + at, kWord);
      const auto target = std::ranges::find_if(
          variables_, [&](const Variable& each) { return word - each.address < each.bytes; });
      if (target == variables_.end()) continue;
      word += target->on_gpu - target->address;
      std::memcpy(bytes.data() + at, &word, kWord);
    }
  }

  // Where the code of functions lies the driver alone knows.
  void keep_code_words(const Variable& variable, Bytes& bytes) {
    for (std::uint64_t at = -variable.address % kWord; at + kWord <= bytes.size(); at += kWord)
      if (code().holds_code_address(variable.address + at))
        driver_.read(variable.on_gpu + at, std::span(bytes).subspan(at, kWord));
  }

  void compare(const std::string& name, std::uint64_t address, std::uint64_t bytes,
               std::uint64_t on_gpu, std::vector<Difference>& found) {
    constexpr std::uint64_t kPiece = 64 << 20;  // at a time
    for (std::uint64_t from = 0; from < bytes; from += kPiece) {
      const std::uint64_t size = std::min(kPiece, bytes - from);
      Bytes expected = contents(address + from, size), there(size);
      for_gpu(address + from, expected);
      driver_.read(on_gpu + from, there);
      for (std::uint64_t at = -(address + from) % kWord; at + kWord <= size; at += kWord)
        if (code().holds_code_address(address + from + at))
          std::copy_n(there.begin() + static_cast<std::ptrdiff_t>(at), kWord,
                      expected.begin() + static_cast<std::ptrdiff_t>(at));
      const auto [want, got] = std::ranges::mismatch(expected, there);
      if (want == expected.end()) continue;
      const auto offset = from + static_cast<std::uint64_t>(want - expected.begin());
      found.push_back({address + offset, fmt::format("{} + {}", name, offset), *want, *got});
      return;
    }
  }

  Driver& driver_;
  const Capsule& capsule_;
  const std::string& origin_;
  CapsuleLaunch launch_;
  Handle module_ = nullptr;
  std::vector<Variable> variables_;
};

}  // namespace

// In whole units. It takes in those that it touches.
void Frames::add(Ranges& ranges, std::uint64_t begin, std::uint64_t end, std::uint64_t unit) {
  begin = begin / unit * unit;
  end = (end + unit - 1) / unit * unit;
  auto next = ranges.upper_bound(end);
  while (next != ranges.begin() && std::prev(next)->second >= begin) {
    --next;
    begin = std::min(begin, next->first);
    end = std::max(end, next->second);
    next = ranges.erase(next);
  }
  ranges[begin] = end;
}

void Frames::add(const Capsule& capsule) {
  for (const Capsule::Allocation& each : capsule.allocations) {
    if (!of_program(each)) continue;
    add(mapped_, each.address, each.address + each.bytes, Driver::kFrame);
    add(reserved_, each.address, each.address + each.bytes, Driver::kBlock);
  }
}

void Frames::map(Driver& driver) const {
  for (const auto& [begin, end] : reserved_) driver.reserve(begin, end - begin);
  for (const auto& [begin, end] : mapped_) driver.map(begin, end - begin);
}

void Frames::clear(Driver& driver) const {
  for (const auto& [begin, end] : mapped_) driver.clear(begin, end - begin);
}

Outcome launch_capsule(Driver& driver, const Frames& frames, const Capsule& capsule,
                       const std::string& origin) {
  check_textures(capsule, origin);
  LoadedCapsule loaded(driver, capsule, origin);
  frames.clear(driver);
  loaded.restore();
  loaded.run();
  return {capsule.after.size(), loaded.differences()};
}

}  // namespace heddle::launcher
