#include "isa/kernel_info.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "isa/nv_info.hpp"
#include "isa/spills.hpp"

namespace heddle::isa {
namespace {

constexpr std::uint32_t kSectionNvInfo = 0x70000000;  // SHT_CUDA_INFO
constexpr std::uint32_t kMaxRegisters = 255;

// Kernels while they are being described.
class Kernels {
 public:
  Kernels(const ElfFile& elf, Cubin& cubin) : elf_(elf), cubin_(cubin) {
    for (std::size_t i = 1; i < elf.sections.size(); ++i)
      sections_.emplace(elf.sections[i].name, static_cast<std::uint32_t>(i));
    for (const Function& function : cubin.functions)
      if (function.is_kernel)
        add(function);
      else
        local_[function.section].push_back(function);
    for (auto& [section, functions] : local_) std::ranges::sort(functions, {}, &Function::offset);
  }

  // The kernel whose code is section `text`; null for a device function's.
  Kernel* of_section(std::uint32_t text) {
    const auto found = by_section_.find(text);
    return found == by_section_.end() ? nullptr : &cubin_.kernels[found->second];
  }

  Kernel* of_symbol(std::uint32_t symbol, const Record& record) {
    if (symbol >= cubin_.symbols.size())
      record.payload.fail(0, fmt::format("symbol {} of {}", symbol, cubin_.symbols.size()));
    const Symbol& named = cubin_.symbols[symbol];
    Kernel* kernel = of_section(named.section);
    return kernel != nullptr && kernel->name == named.name ? kernel : nullptr;
  }

  // Whether the instruction at `offset` of the kernel's section belongs to a function behind it.
  bool in_local_function(const Kernel& kernel, std::uint64_t offset) const {
    const auto found = local_.find(kernel.text_section);
    if (found == local_.end()) return false;
    const auto after = std::ranges::upper_bound(found->second, offset, {}, &Function::offset);
    return after != found->second.begin() &&
           offset - std::prev(after)->offset < std::prev(after)->size;
  }

  std::vector<IndirectBranch>& indirect_branches() { return cubin_.indirect_branches; }

 private:
  void add(const Function& function) {
    if (!by_section_.emplace(function.section, cubin_.kernels.size()).second)
      throw CubinError(
          fmt::format("{}: a second kernel, '{}'", elf_.describe(function.section), function.name));
    Kernel kernel;
    kernel.name = function.name;
    kernel.text_section = function.section;
    kernel.text_offset = function.offset;
    kernel.static_shared_bytes = section_size(".nv.shared." + function.name);
    // The compiler counts what the system keeps (docs/hardware/cubins.md).
    kernel.reserved_shared_bytes = std::min<std::uint32_t>(
        kernel.static_shared_bytes, traits(cubin_.arch).reserved_shared_bytes);
    kernel.bank0_bytes = section_size(".nv.constant0." + function.name);
    kernel.bank2_section = section_named(".nv.constant2." + function.name);
    kernel.bank4_section = section_named(".nv.constant4");
    cubin_.kernels.push_back(std::move(kernel));
  }

  // 0, which is the section without a name: there is none.
  std::uint32_t section_named(const std::string& name) const {
    const auto found = sections_.find(name);
    return found == sections_.end() ? 0 : found->second;
  }

  std::uint32_t section_size(const std::string& name) const {
    const std::uint32_t section = section_named(name);
    if (section == 0) return 0;
    const std::uint64_t size = elf_.sections[section].size;
    if (size > 0x100000)
      throw CubinError(
          fmt::format("{}: {} bytes, but no GPU has a MiB of this", elf_.describe(section), size));
    return static_cast<std::uint32_t>(size);
  }

  const ElfFile& elf_;
  Cubin& cubin_;
  std::unordered_map<std::string_view, std::uint32_t> sections_;
  std::unordered_map<std::uint32_t, std::size_t> by_section_;
  std::unordered_map<std::uint32_t, std::vector<Function>> local_;  // device functions by section
};

// Records of .nv.info: each names its function.
void read_module_record(const Record& record, Kernels& kernels) {
  std::uint32_t Kernel::*field = nullptr;
  switch (record.attribute) {
    case Attribute::regcount:
      field = &Kernel::registers;
      break;
    case Attribute::frame_size:
      field = &Kernel::frame_bytes;
      break;
    case Attribute::min_stack_size:
      field = &Kernel::min_stack_bytes;
      break;
    default:
      return;
  }
  // All ones where the code recurses: how deep is not known to the compiler.
  constexpr std::uint32_t kUnknown = 0xffffffff;
  const std::uint32_t value = record.word(1) == kUnknown ? 0 : record.word(1);
  if (Kernel* kernel = kernels.of_symbol(record.word(0), record)) kernel->*field = value;
}

// {index, ordinal and offset (16 bits each), size in the upper 14 bits}; version 2, for kernels
// with more than 4 KiB of parameters, gives the size a word of its own.
void add_parameter(const Record& record, Kernel& kernel) {
  const std::uint32_t place = record.word(1);
  const bool wide = record.attribute == Attribute::kparam_info_v2;
  kernel.parameters.push_back({.ordinal = place & 0xffff,
                               .offset = place >> 16,
                               .size = wide ? record.word(2) : record.word(2) >> 18});
}

void read_indirect_branches(const Record& record, std::uint32_t text, Kernels& kernels) {
  for (std::uint64_t i = 0; i < record.words();) {
    const std::uint32_t count = record.word(i + 2);
    IndirectBranch branch{.section = text, .offset = record.word(i), .targets = {}};
    if (count > record.words() - i - 3)
      record.payload.fail(4 * i, fmt::format("{} branch targets do not fit", count));
    for (std::uint32_t target = 0; target < count; ++target)
      branch.targets.push_back(record.word(i + 3 + target));
    kernels.indirect_branches().push_back(std::move(branch));
    i += 3 + count;
  }
}

// Words in pairs: what an instruction is there for (1: spilling) and its offset. The list names
// those of local functions behind the kernel too, which ptxas -v counts apart.
void add_spills(const Record& record, const ElfSection& text, const Kernels& kernels,
                Kernel& kernel) {
  SpillBytes sum;
  for (std::uint64_t i = 0; i + 1 < record.words(); i += 2)
    if (record.word(i) == 1 && !kernels.in_local_function(kernel, record.word(i + 1)))
      sum += spill_bytes(text.bytes, record.word(i + 1));
  kernel.spill_store_bytes = kernel.spill_store_bytes.value_or(0) + sum.stored;
  kernel.spill_load_bytes = kernel.spill_load_bytes.value_or(0) + sum.loaded;
}

std::vector<std::uint64_t> offsets(const Record& record) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t i = 0; i < record.words(); ++i) all.push_back(record.word(i));
  return all;
}

std::uint32_t threads(const Record& record) {
  const std::uint64_t product = std::uint64_t{record.word(0)} * record.word(1);
  if (product > 1024 || product * record.word(2) > 1024)
    record.payload.fail(0, "a block of more than 1024 threads");
  return static_cast<std::uint32_t>(product * record.word(2));
}

void read_kernel_record(const Record& record, const ElfSection& text, const Kernels& kernels,
                        Kernel& kernel) {
  switch (record.attribute) {
    case Attribute::max_threads:
    case Attribute::reqntid:
      kernel.max_threads = threads(record);
      break;
    case Attribute::param_cbank:
      kernel.parameter_offset = record.word(1) & 0xffff;
      kernel.parameter_bytes = record.word(1) >> 16;
      break;
    case Attribute::cbank_param_size:
      kernel.parameter_bytes = record.value;
      break;
    case Attribute::kparam_info:
    case Attribute::kparam_info_v2:
      add_parameter(record, kernel);
      break;
    case Attribute::exit_instr_offsets:
      kernel.exits = offsets(record);
      break;
    case Attribute::coop_group_instr_offsets:
      kernel.uses_cooperative_groups = true;
      break;
    case Attribute::cta_per_cluster:
      kernel.cluster = {record.word(0), record.word(1), record.word(2)};
      break;
    case Attribute::num_barriers:
      kernel.barriers = record.value;
      break;
    case Attribute::spill_annotations:
      add_spills(record, text, kernels, kernel);
      break;
    default:
      break;
  }
}

void read_info_section(const ElfFile& elf, std::size_t section, Kernels& kernels) {
  const Bytes info = elf.contents(section);
  const std::uint32_t text = elf.sections[section].info;  // 0: about the whole module
  if (text >= elf.sections.size())
    info.fail(0,
              fmt::format("it describes section {}, but there are {}", text, elf.sections.size()));
  Kernel* kernel = kernels.of_section(text);
  for (std::uint64_t position = 0; position < info.size();) {
    const Record record = read_record(info, position);
    if (text == 0)
      read_module_record(record, kernels);
    else if (record.attribute == Attribute::indirect_branch_targets)
      read_indirect_branches(record, text, kernels);
    else if (kernel != nullptr)
      read_kernel_record(record, elf.sections[text], kernels, *kernel);
  }
}

void check(const ElfFile& elf, Arch arch, Kernel& kernel) {
  const auto refuse = [&](const std::string& what) {
    throw CubinError(fmt::format("{}: kernel '{}': {}", elf.origin, kernel.name, what));
  };
  if (kernel.registers == 0 || kernel.registers > kMaxRegisters)
    refuse(
        fmt::format("{} registers (REGCOUNT), expected 1 to {}", kernel.registers, kMaxRegisters));
  std::ranges::sort(kernel.parameters, {}, &KernelParameter::ordinal);
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const KernelParameter& parameter = kernel.parameters[i];
    if (parameter.ordinal != i) refuse(fmt::format("there is no parameter {}", i));
    if (parameter.size > kernel.parameter_bytes ||
        parameter.offset > kernel.parameter_bytes - parameter.size)
      refuse(fmt::format("parameter {} ({} bytes at {}) lies outside the {} bytes of parameters", i,
                         parameter.size, parameter.offset, kernel.parameter_bytes));
  }
  // Up to sm_89 more than 4 KiB of parameters begin farther back (0x1a80), behind what they would
  // run into.
  const std::uint32_t first = bank0_layout(arch).parameters;
  if (kernel.parameter_bytes == 0) kernel.parameter_offset = first;
  constexpr std::uint32_t kBank = 64 * 1024;
  if (kernel.parameter_offset < first || kernel.parameter_offset % 4 != 0 ||
      kernel.parameter_bytes > kBank - kernel.parameter_offset)
    refuse(fmt::format("its parameters begin at {:#x} in constant bank 0, expected {:#x} or more",
                       kernel.parameter_offset, first));
  const std::uint32_t end = kernel.parameter_offset + kernel.parameter_bytes;
  if (kernel.bank0_bytes != 0 && kernel.bank0_bytes < end)
    refuse(fmt::format("constant bank 0 has {} bytes, but its parameters end at {}",
                       kernel.bank0_bytes, end));
}

// nvlink copies no spill list, and the compilers before CUDA 13 were not looked at.
bool lists_spills(const ElfFile& elf) {
  constexpr std::string_view kLinker = "nvlink";
  for (const ElfSection& section : elf.sections) {
    if (section.name != ".note.nv.tkinfo") continue;
    const std::string_view text(reinterpret_cast<const char*>(section.bytes.data()),
                                section.bytes.size());
    return text.find(kLinker) == std::string_view::npos;
  }
  return false;
}

// No list means that nothing spilled, where the compiler would have written one; and what has no
// frame has nowhere to spill to.
void complete_spills(bool listed, Kernel& kernel) {
  if (kernel.spill_store_bytes || (!listed && kernel.frame_bytes != 0)) return;
  kernel.spill_store_bytes = 0;
  kernel.spill_load_bytes = 0;
}

}  // namespace

void read_kernels(const ElfFile& elf, Cubin& cubin) {
  Kernels kernels(elf, cubin);
  for (std::size_t i = 0; i < elf.sections.size(); ++i)
    if (elf.sections[i].type == kSectionNvInfo) read_info_section(elf, i, kernels);
  const bool listed = lists_spills(elf);
  for (Kernel& kernel : cubin.kernels) {
    check(elf, cubin.arch, kernel);
    complete_spills(listed, kernel);
  }
}

}  // namespace heddle::isa
