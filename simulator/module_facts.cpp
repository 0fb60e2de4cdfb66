#include "simulator/module_facts.hpp"

#include <algorithm>

#include "simulator/builtins.hpp"
#include "simulator/classify.hpp"
#include "simulator/recursion.hpp"
#include "simulator/sha256.hpp"

namespace heddle::simulator {
namespace {

bool calls(const isa::Cubin& cubin, bool (*wanted)(Builtin)) {
  return std::ranges::any_of(cubin.symbols, [&](const isa::Symbol& symbol) {
    if (symbol.section != 0) return false;
    const auto builtin = builtin_at(builtin_address(symbol.name));
    return builtin && wanted(*builtin);
  });
}

}  // namespace

ModuleFacts::ModuleFacts(const isa::Cubin& cubin, const isa::Program& program)
    : cubin_(cubin),
      program_(program),
      allocates_(calls(cubin, [](Builtin builtin) { return builtin == Builtin::malloc; })),
      launches_grids_(calls(cubin, is_device_runtime)) {}

const KernelFacts& ModuleFacts::kernel(std::uint64_t entry) const {
  const auto [found, is_new] = kernels_.try_emplace(entry);
  if (is_new)
    found->second = {may_recurse(program_, entry), may_read_unordered(program_, cubin_, entry)};
  return found->second;
}

const std::string& ModuleFacts::needs_one_thread() const {
  if (!needs_one_thread_) needs_one_thread_ = simulator::needs_one_thread(program_);
  return *needs_one_thread_;
}

const std::string& ModuleFacts::code_sha256() const {
  if (!code_sha256_) {
    Sha256 hash;
    for (const isa::Section& section : cubin_.sections)
      if (section.name.starts_with(".text")) hash.update(section.bytes);
    code_sha256_ = hash.hex();
  }
  return *code_sha256_;
}

}  // namespace heddle::simulator
