#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/cubin.hpp"
#include "isa/program.hpp"
#include "simulator/memory/memory.hpp"

namespace heddle::simulator {

struct LoweredProgram;  // simulator/execute/machine.hpp

// A cubin loaded on a device: code placed, globals allocated and initialised.
class Module {
 public:
  // Throws isa::CubinError; std::bad_alloc when globals do not fit. `elsewhere`: the same code on
  // another GPU, whose managed variables are this one's too; null: there is none.
  Module(std::vector<std::byte> cubin_bytes, std::string origin, DeviceMemory& memory,
         const Module* elsewhere = nullptr);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  const isa::Cubin& cubin() const { return cubin_; }
  const isa::Program& program() const { return program_; }
  const std::vector<std::byte>& cubin_bytes() const { return bytes_; }
  const std::string& origin() const { return origin_; }
  // Device address and size of a __device__ or __constant__ variable. Constant bank 3 is what lies
  // at constant_bank3_address when a launch starts; constant_bank3 shows it.
  struct Global {
    std::uint64_t address;
    std::uint64_t bytes;
    bool is_constant;
  };
  std::optional<Global> find_global(std::string_view name) const;
  std::span<std::byte> constant_bank3();
  std::uint64_t constant_bank3_address() const { return bank3_.address; }  // 0: there is none
  // The allocations it made, in the order of their sections.
  std::span<const std::uint64_t> global_allocations() const { return global_sections_; }
  // Whether the cubin has a function's address put into this word of a __device__ variable: such
  // words differ wherever code lies elsewhere.
  bool holds_code_address(std::uint64_t device_address) const;
  // Source position of a code address; line tables are read when first asked for.
  struct Position {
    std::string function, file;
    std::uint32_t line = 0;
    std::string inlined_function;
    struct Call {
      std::string file;
      std::uint32_t line = 0;
    };
    std::vector<Call> calls;  // that the code is inlined into, the innermost first
  };
  std::optional<Position> position(std::uint64_t code_address) const;
  const std::string& code_sha256()
      const;  // over every .text section as in the file, before relocation

 private:
  friend const LoweredProgram& lowered(const Module& module);

  std::vector<std::byte> bytes_;
  std::string origin_;
  isa::Cubin cubin_;
  isa::Program program_;
  DeviceMemory& memory_;
  std::map<std::string, Global, std::less<>> globals_;
  struct {
    std::uint64_t address = 0, bytes = 0;
  } bank3_;
  std::vector<std::uint64_t> global_sections_;  // allocations this module made
  std::vector<std::uint64_t> code_words_;       // sorted; see holds_code_address
  mutable std::map<std::uint32_t, isa::LineTable> lines_;
  mutable std::shared_ptr<const LoweredProgram> lowered_;
  mutable std::string code_sha256_;  // empty: not yet asked for
};

}  // namespace heddle::simulator
