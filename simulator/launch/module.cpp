#include <algorithm>
#include <cstring>
#include <new>

#include "simulator/base/sha256.hpp"
#include "simulator/launch/builtins.hpp"
#include "simulator/launch/module.hpp"
#include "simulator/launch/variable_layout.hpp"

namespace heddle::simulator {
namespace {

constexpr std::uint8_t kSymbolFunction = 2;  // STT_FUNC
constexpr std::uint32_t kSectionNobits = 8;  // SHT_NOBITS

// Constant variables lie in global memory too, where -G code reads them through a pointer in bank 0
// (constant_bank.cpp), and copies by address write them.
bool holds_constants(const isa::Section& section) { return section.name == ".nv.constant3"; }

// What a module has allocated by the time its construction fails.
class Unfinished {
 public:
  Unfinished(DeviceMemory& memory, const std::vector<std::uint64_t>& allocations)
      : memory_(memory), allocations_(allocations) {}
  ~Unfinished() {
    if (finished_) return;
    for (const std::uint64_t address : allocations_) memory_.free(address);
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  void finish() { finished_ = true; }

 private:
  DeviceMemory& memory_;
  const std::vector<std::uint64_t>& allocations_;
  bool finished_ = false;
};

isa::Cubin parse(std::span<const std::byte> bytes, const std::string& origin) {
  isa::Cubin cubin = isa::parse_cubin(bytes, origin);
  part_variables(cubin);
  return cubin;
}

}  // namespace

Module::Module(std::vector<std::byte> cubin_bytes, std::string origin, DeviceMemory& memory,
               const Module* elsewhere)
    : bytes_(std::move(cubin_bytes)),
      origin_(std::move(origin)),
      cubin_(parse(bytes_, origin_)),
      memory_(memory) {
  Unfinished unfinished(memory_, global_sections_);
  global_sections_.reserve(cubin_.sections.size());  // no allocation is lost to a full vector
  std::vector<std::uint64_t> addresses(cubin_.sections.size(), 0);
  std::vector<bool> has_contents(cubin_.sections.size(), false);
  for (std::size_t i = 0; i < cubin_.sections.size(); ++i) {
    const isa::Section& section = cubin_.sections[i];
    if ((!holds_variables(section) && !holds_constants(section)) || section.size == 0) continue;
    const bool managed = holds_managed(cubin_, i);
    std::optional<std::uint64_t> address;
    if (managed && elsewhere != nullptr)
      address = elsewhere->global_sections_.at(global_sections_.size());
    else if (managed)
      address = memory_.allocate_host_visible(section.size, section.name);
    else
      address = memory_.allocate(section.size, section.name, DeviceMemory::Pool::module,
                                 section.alignment);
    if (!address) throw std::bad_alloc();
    addresses[i] = *address;
    has_contents[i] = managed && elsewhere != nullptr;
    global_sections_.push_back(*address);
  }
  program_ = isa::place(cubin_, {.section_address = [&](std::uint32_t s) { return addresses[s]; },
                                 .external = builtin_address});
  for (std::size_t i = 0; i < cubin_.sections.size(); ++i) {
    if (addresses[i] == 0 || has_contents[i] || cubin_.sections[i].type == kSectionNobits) continue;
    const std::vector<std::byte>& initial = program_.sections[i];
    std::memcpy(memory_.view(addresses[i], initial.size()), initial.data(), initial.size());
  }
  for (const isa::Relocation& relocation : cubin_.relocations)
    if (addresses[relocation.section] != 0 &&
        cubin_.symbols[relocation.symbol].type == kSymbolFunction)
      code_words_.push_back(addresses[relocation.section] + relocation.offset);
  std::ranges::sort(code_words_);
  for (std::size_t i = 0; i < cubin_.sections.size(); ++i)
    if (holds_constants(cubin_.sections[i]) && addresses[i] != 0)
      bank3_ = {addresses[i], cubin_.sections[i].size};
  for (const isa::Symbol& symbol : cubin_.symbols) {
    if (symbol.section == 0 || symbol.section >= cubin_.sections.size() || symbol.name.empty())
      continue;
    const isa::Section& section = cubin_.sections[symbol.section];
    if (addresses[symbol.section] != 0)
      globals_[symbol.name] = {addresses[symbol.section] + symbol.value, symbol.size,
                               holds_constants(section)};
  }
  unfinished.finish();
}

Module::~Module() {
  for (std::uint64_t address : global_sections_) memory_.free(address);
}

std::optional<Module::Global> Module::find_global(std::string_view name) const {
  const auto found = globals_.find(name);
  if (found == globals_.end()) return std::nullopt;
  return found->second;
}

bool Module::holds_code_address(std::uint64_t device_address) const {
  return std::ranges::binary_search(code_words_, device_address);
}

std::span<std::byte> Module::constant_bank3() {
  if (bank3_.bytes == 0) return {};
  return {memory_.view(bank3_.address, bank3_.bytes), bank3_.bytes};
}

namespace {

// A position is asked for in the midst of a report: a line table that cannot be read says nothing.
isa::LineTable line_table(const isa::Cubin& cubin, std::uint32_t section) try {
  return isa::read_line_table(cubin, section);
} catch (const isa::CubinError&) {
  return {};
}

}  // namespace

std::optional<Module::Position> Module::position(std::uint64_t code_address) const {
  const isa::CodeRange* range = program_.range_at(code_address);
  if (range == nullptr) return std::nullopt;
  Position position;
  position.function = cubin_.functions[range->function].name;
  const std::uint64_t offset = code_address - range->address + range->section_offset;
  auto table = lines_.find(range->section);
  if (table == lines_.end())
    table = lines_.emplace(range->section, line_table(cubin_, range->section)).first;
  if (const isa::LineEntry* entry = table->second.find(offset)) {
    position.file = entry->file;
    position.line = entry->line;
    position.inlined_function = entry->inlined_function;
    for (std::uint32_t site = entry->inlined_at; site != 0;) {
      const isa::LineEntry& call = table->second.call_sites[site - 1];
      position.calls.push_back({std::string(call.file), call.line});
      site = call.inlined_at;
    }
  }
  return position;
}

const std::string& Module::code_sha256() const {
  if (code_sha256_.empty()) {
    Sha256 hash;
    for (const isa::Section& section : cubin_.sections)
      if (section.name.starts_with(".text")) hash.update(section.bytes);
    code_sha256_ = hash.hex();
  }
  return code_sha256_;
}

}  // namespace heddle::simulator
