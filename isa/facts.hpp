// What an opcode is and does, whatever its bits are: one Facts per opcode, in the files of
// isa/opcodes/ above its encodings. How wide its operands are is in their pictures (isa/row.hpp);
// isa/attributes.hpp answers for one instruction what follows from both.
#pragma once

#include <cstdint>

#include "isa/op.hpp"

namespace heddle::isa {

// The execution unit, by the name Nsight Compute gives its pipe (sm__inst_executed_pipe_*).
// `none`: handled at issue (NOP, DEPBAR).
enum class Unit : std::uint8_t {
  none,
  adu,   // barriers, indexed constants and other address-divergence work
  alu,   // integer, logic, compares, conversions done by the integer unit
  cbu,   // control flow and convergence barriers
  fma,   // FP32 and integer multiply-add
  fp16,  // packed half precision
  fp64,
  lsu,  // loads, stores, atomics, shuffles
  tensor,
  tex,
  uniform,  // the uniform datapath
  xu,       // transcendental functions and conversions
};

// The memory an address names; `generic` decides at run time.
enum class Space : std::uint8_t {
  none,
  generic,
  global,
  shared,
  local,
  constant,
  surface,
  texture
};

struct MemoryAccess {
  enum class Kind : std::uint8_t {
    none,
    load,
    store,
    atomic,     // returns the old value
    reduction,  // returns nothing
    copy,       // loads from global memory and stores to shared memory, or the other way
  };
  enum class Of : std::uint8_t {
    values,   // each thread's, at its own address
    swap,     // the same, and compared before (CAS)
    rows,     // of a matrix, 16 bytes each, at the addresses of eight threads
    barrier,  // the state of a barrier in shared memory
    counted,  // each thread's; a barrier in shared memory counts the bytes
    bulk,     // a run of bytes, moved by the copy engine
  };
  Kind kind = Kind::none;
  Space space = Space::none;
  Of of = Of::values;

  // Whether the load/store unit goes to memory for it, thread by thread, and waits.
  constexpr bool by_threads() const {
    return kind != Kind::none && of != Of::counted && of != Of::bulk;
  }
  friend constexpr bool operator==(const MemoryAccess&, const MemoryAccess&) = default;
};

// What an instruction does to the flow of control, and to what other threads wait for.
enum class Effect : std::uint8_t {
  none,
  no_operation,     // NOP
  branch,           // to a place that the word names
  indirect_branch,  // to one that a register names
  call,
  ret,
  exit,
  trap,
  set_barrier,    // BSSY: a convergence barrier, for the active lanes
  sync,           // BSYNC: waits at it
  leave_barrier,  // BREAK
  move_barrier,   // BMOV
  warp_sync,      // WARPSYNC: waits for lanes by their mask
  end_collective,
  yield,
  sleep,
  block_barrier,
  cluster_arrive,
  cluster_wait,
  fence,
  proxy_fence,  // FENCE: orders the copy engine's accesses with the others
  error_barrier,
  cluster_error_barrier,
  wait_counter,     // DEPBAR: waits for a scoreboard to count down
  end_copies,       // LDGDEPBAR: closes a group of asynchronous copies
  end_bulk_copies,  // UTMACMDFLUSH: closes a group of the copy engine's
};

// What kind of result is computed.
enum class Work : std::uint8_t {
  none,
  move,
  read_special,  // a special register
  select,
  add,
  multiply,
  multiply_add,
  wide_product,  // of two words, a double word or its upper half
  shift_add,
  difference,
  compare,
  check,
  min_max,
  add_min_max,
  logic,
  shift,
  bits,  // counts, permutes, masks
  convert,
  round,
  special,   // reciprocals, sines and the like
  exchange,  // between the lanes of a warp
  product,   // of matrices
};

// One number, or several side by side.
struct DataType {
  enum class Kind : std::uint8_t {
    none,
    unsigned_integer,
    signed_integer,
    floating,
    bfloat,
    tf32,
    e4m3,
    e5m2,
    e3m2,
    e2m3,
    e2m1,
  };
  Kind kind = Kind::none;
  std::uint8_t bits = 0;   // of one element: 1, 4, 8, 16, 32, 64, 128
  std::uint8_t count = 1;  // elements side by side
  bool flushes = false;    // subnormals: .FTZ

  constexpr unsigned bytes() const { return bits * count / 8u; }
  constexpr bool is_integer() const {
    return kind == Kind::unsigned_integer || kind == Kind::signed_integer;
  }
  constexpr bool is_float() const { return kind != Kind::none && !is_integer(); }
  friend constexpr bool operator==(const DataType&, const DataType&) = default;
};

// Where no modifier says it: what the opcode works on.
inline constexpr DataType kInteger{DataType::Kind::unsigned_integer, 32};
inline constexpr DataType kInteger64{DataType::Kind::unsigned_integer, 64};
// Its immediates of 32 bits are extended with their sign.
inline constexpr DataType kSigned64{DataType::Kind::signed_integer, 64};
inline constexpr DataType kBit{DataType::Kind::unsigned_integer, 1};
inline constexpr DataType kByte{DataType::Kind::unsigned_integer, 8};
inline constexpr DataType kE4m3{DataType::Kind::e4m3, 8};
inline constexpr DataType kE2m1{DataType::Kind::e2m1, 4};
inline constexpr DataType kHalf{DataType::Kind::floating, 16};
inline constexpr DataType kHalves{DataType::Kind::floating, 16, 2};
inline constexpr DataType kFloats{DataType::Kind::floating, 32, 2};
inline constexpr DataType kFloat{DataType::Kind::floating, 32};
inline constexpr DataType kDouble{DataType::Kind::floating, 64};

struct Facts {
  Op op{};
  Unit unit = Unit::none;
  Work work = Work::none;
  DataType type;
  MemoryAccess memory;
  Effect effect = Effect::none;

  constexpr Facts(Op which, Unit by) : op(which), unit(by) {}
  constexpr Facts(Op which, Unit by, Work does, DataType on)
      : op(which), unit(by), work(does), type(on) {}
  constexpr Facts(Op which, Unit by, MemoryAccess access) : op(which), unit(by), memory(access) {}
  constexpr Facts(Op which, Unit by, MemoryAccess access, DataType on)
      : op(which), unit(by), type(on), memory(access) {}
  constexpr Facts(Op which, Unit by, Effect has) : op(which), unit(by), effect(has) {}
};

// Matrices of m × k and k × n numbers are multiplied.
struct MatrixShape {
  std::uint16_t m = 0, n = 0, k = 0;

  friend constexpr bool operator==(const MatrixShape&, const MatrixShape&) = default;
};

// How an access or a fence is ordered with others, and among which threads.
struct MemoryOrder {
  enum class Strength : std::uint8_t { weak, constant, strong, mmio };
  enum class Scope : std::uint8_t { none, block, sm, gpu, system, vc };
  Strength strength = Strength::weak;
  Scope scope = Scope::none;

  friend constexpr bool operator==(const MemoryOrder&, const MemoryOrder&) = default;
};

}  // namespace heddle::isa
