// What a cubin (ELF, e_machine 190) holds, parsed and checked but not yet placed in memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "isa/arch.hpp"

namespace heddle::isa {

// Bad input: what was wrong and where (file or "fat binary entry n", section, offset).
class CubinError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Relocation {
  std::uint32_t section = 0;  // index into Cubin::sections of the section to patch
  std::uint64_t offset = 0;   // byte offset in it
  std::uint32_t type = 0;     // R_CUDA_*
  std::uint32_t symbol = 0;   // index into Cubin::symbols
  std::int64_t addend = 0;    // RELA only; REL keeps it in place
  bool has_addend = false;
};

struct Symbol {
  std::string name;
  std::uint32_t section = 0;  // 0: undefined
  std::uint64_t value = 0;    // offset in its section
  std::uint64_t size = 0;
  std::uint8_t type = 0, bind = 0, other = 0;
};

struct Section {
  std::string name;
  std::uint32_t type = 0;
  std::uint64_t flags = 0;
  std::uint64_t size = 0;  // NOBITS sections have a size and no bytes
  std::uint64_t alignment = 1;
  std::uint32_t link = 0, info = 0;
  std::vector<std::byte> bytes;
};

struct KernelParameter {
  std::uint32_t ordinal = 0;
  std::uint32_t offset = 0;  // bytes from the start of the parameters
  std::uint32_t size = 0;    // bytes
};

// A piece of code that has its own range: a kernel, or a device function that was not inlined.
struct Function {
  std::string name;           // mangled
  std::uint32_t section = 0;  // its .text section
  std::uint64_t offset = 0;   // in the section
  std::uint64_t size = 0;     // bytes
  bool is_kernel = false;
};

// Where a BRX may go, as the compiler lists it (INDIRECT_BRANCH_TARGETS): byte offsets in the
// text section.
struct IndirectBranch {
  std::uint32_t section = 0;
  std::uint64_t offset = 0;  // of the branch
  std::vector<std::uint64_t> targets;
};

struct Kernel {
  std::string name;  // mangled
  std::uint32_t text_section = 0;
  std::uint64_t text_offset = 0;            // of its first instruction in that section
  std::uint32_t registers = 0;              // per thread
  std::uint32_t static_shared_bytes = 0;    // as .nv.shared says (sm_90: with the reserved 1 KiB)
  std::uint32_t reserved_shared_bytes = 0;  // the part of it the system keeps (0x400 on sm_90)
  std::uint32_t frame_bytes = 0;            // per-thread stack frame (FRAME_SIZE)
  std::uint32_t min_stack_bytes = 0;        // MIN_STACK_SIZE: with all it calls; 0: recursive
  std::uint32_t max_threads = 0;            // __launch_bounds__; 0: none
  std::uint32_t barriers = 0;               // NUM_BARRIERS
  std::uint32_t parameter_offset = 0;       // of the first parameter in constant bank 0
  std::uint32_t parameter_bytes = 0;
  std::vector<KernelParameter> parameters;  // by ordinal
  std::uint32_t bank0_bytes = 0;            // size of .nv.constant0.<kernel>
  std::uint32_t bank2_section = 0;          // .nv.constant2.<kernel>; 0: none
  std::uint32_t bank4_section = 0;          // .nv.constant4, all kernels' own; 0: none
  bool uses_cooperative_groups = false;     // has instructions that synchronise parts of a warp
  std::array<std::uint32_t, 3> cluster{};   // __cluster_dims__; {0, 0, 0}: none
  std::vector<std::uint64_t> exits;         // byte offsets of EXIT instructions in the section
  // Bytes of spill stores and loads as ptxas -v prints them; absent where this is unknown (the
  // compiler writes down which instructions spill, but nvlink drops it).
  std::optional<std::uint32_t> spill_store_bytes, spill_load_bytes;
};

struct Cubin {
  Arch arch{};
  std::string origin;             // what messages call it
  bool relocatable = false;       // the output of nvcc -dc before nvlink: cannot run
  std::vector<Section> sections;  // index = ELF section index
  std::vector<Symbol> symbols;    // index = ELF symbol index
  std::vector<Relocation> relocations;
  std::vector<Kernel> kernels;
  std::vector<Function> functions;
  std::vector<IndirectBranch> indirect_branches;

  const Section* find_section(std::string_view name) const;
  const Kernel* find_kernel(std::string_view mangled) const;
};

// Parses one cubin; `origin` names it in error messages. Throws CubinError.
Cubin parse_cubin(std::span<const std::byte> bytes, std::string_view origin);

// One entry of a fat binary.
struct FatEntry {
  enum class Kind : std::uint16_t { ptx = 1, elf = 2 };
  Kind kind{};
  std::uint32_t sm = 0;             // 75, 90, …
  std::string identifier;           // source file as the fat binary names it; may be empty
  std::vector<std::byte> contents;  // decompressed
};

// All entries of a fat binary (magic 0xBA55ED50), or of every fat binary in a host ELF executable
// or shared object's .nv_fatbin section. Throws CubinError.
std::vector<FatEntry> read_fat_binary(std::span<const std::byte> bytes, std::string_view origin);
std::vector<FatEntry> read_executable(std::span<const std::byte> elf, std::string_view origin);

// Where code comes from. The names point into the LineTable (or a copy of it) they were read from.
struct LineEntry {
  std::uint64_t offset = 0;           // byte offset in the text section
  std::string_view file;              // empty: no line is known from here on
  std::uint32_t line = 0;             // 1 is the first
  std::string_view inlined_function;  // mangled; empty: the function of the section itself
  std::uint32_t inlined_at = 0;       // call_sites[inlined_at - 1] called it; 0: not inlined
};

// Source lines of one text section, sorted by offset; empty without -lineinfo/-G.
struct LineTable {
  std::vector<LineEntry> entries;
  // Callers of inlined functions; a site that is itself inlined names its own caller, whose index
  // is always smaller. `offset` has no meaning here.
  std::vector<LineEntry> call_sites;
  std::shared_ptr<const std::deque<std::string>> strings;  // what the names point into

  const LineEntry* find(std::uint64_t offset) const;  // the entry that covers `offset`, or null
};

// Throws CubinError.
LineTable read_line_table(const Cubin& cubin, std::uint32_t text_section);

}  // namespace heddle::isa
