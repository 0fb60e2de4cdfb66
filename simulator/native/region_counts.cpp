// What accesses that the code makes itself count, as the machine does, and the rows it prefetches.
#include <cstddef>

#include "simulator/base/instruction_counts.hpp"
#include "simulator/lanes/addresses.hpp"
#include "simulator/native/region_compiler.hpp"
#include "simulator/native/registers.hpp"

namespace heddle::simulator::native {

using namespace Xbyak::util;

Xbyak::Address RegionCompiler::count_at(const RunOp& each, std::size_t member) {
  return qword[r10 + (each.threads_on.offset + member - offsetof(InstructionCounts, threads_on))];
}

// As count_global_row, and as one access of shared memory without conflicts. A row of words is
// aligned to them, so that it takes a sector or line more where it is not to those.
void RegionCompiler::count_row(const RunOp& each) {
  if (each.access.is_shared) return count_same(each);
  const unsigned width = each.access.width;
  mov(r10, ptr[counted_ + 8 * each.threads_on.page]);
  add(count_at(each, offsetof(InstructionCounts, global)), 1);
  add(count_at(each, offsetof(InstructionCounts, threads_global)), kWarpSize);
  add(count_at(each, offsetof(InstructionCounts, sectors_global_ideal)), width);
  add(count_at(each, offsetof(InstructionCounts, bytes_global)), kWarpSize * width);
  const auto pieces = [&](std::size_t member, std::uint32_t fewest, std::uint32_t below) {
    xor_(ecx, ecx);
    test(al, below);
    setnz(cl);
    add(ecx, fewest);
    add(count_at(each, member), rcx);
  };
  pieces(offsetof(InstructionCounts, sectors_global), width, (1u << kSectorShift) - 1);
  pieces(offsetof(InstructionCounts, tags_global), width / 4, (1u << kLineShift) - 1);
}

void RegionCompiler::count_same(const RunOp& each) {
  mov(r10, ptr[counted_ + 8 * each.threads_on.page]);
  if (each.access.is_shared) {
    // Of four words a pass returns half.
    const unsigned passes = each.access.width == 16 ? 2 : 1;
    add(count_at(each, offsetof(InstructionCounts, shared)), 1);
    add(count_at(each, offsetof(InstructionCounts, threads_shared)), kWarpSize);
    add(count_at(each, offsetof(InstructionCounts, wavefronts_shared)), passes);
    add(count_at(each, offsetof(InstructionCounts, wavefronts_shared_ideal)), passes);
    return;
  }
  add(count_at(each, offsetof(InstructionCounts, global)), 1);
  add(count_at(each, offsetof(InstructionCounts, threads_global)), kWarpSize);
  add(count_at(each, offsetof(InstructionCounts, sectors_global)), 1);
  add(count_at(each, offsetof(InstructionCounts, sectors_global_ideal)), 1);
  add(count_at(each, offsetof(InstructionCounts, tags_global)), 1);
  add(count_at(each, offsetof(InstructionCounts, bytes_global)),
      kWarpSize * std::uint32_t{each.access.width});
}

void RegionCompiler::count_pattern(const RunOp& each) {
  const auto as_then = [&](std::size_t member, std::size_t of) {
    mov(ecx, dword[kPattern + of]);
    add(count_at(each, member), rcx);
  };
  mov(dword[kPattern + offsetof(AccessPattern, missed)], 0);
  mov(r10, ptr[counted_ + 8 * each.threads_on.page]);
  if (each.access.is_shared) {
    add(count_at(each, offsetof(InstructionCounts, shared)), 1);
    add(count_at(each, offsetof(InstructionCounts, threads_shared)), kWarpSize);
    as_then(offsetof(InstructionCounts, wavefronts_shared), offsetof(AccessPattern, pieces));
    as_then(offsetof(InstructionCounts, wavefronts_shared_ideal), offsetof(AccessPattern, ideal));
    return;
  }
  add(count_at(each, offsetof(InstructionCounts, global)), 1);
  add(count_at(each, offsetof(InstructionCounts, threads_global)), kWarpSize);
  add(count_at(each, offsetof(InstructionCounts, bytes_global)),
      kWarpSize * std::uint32_t{each.access.width});
  as_then(offsetof(InstructionCounts, sectors_global), offsetof(AccessPattern, pieces));
  as_then(offsetof(InstructionCounts, sectors_global_ideal), offsetof(AccessPattern, ideal));
  as_then(offsetof(InstructionCounts, tags_global), offsetof(AccessPattern, lines));
}

// As RowPrefetch::note: four times as far as from the last row to this one.
void RegionCompiler::note_row(const RowAccess& access) {
  mov(rdx, ptr[kMachine + offsetof(Machine, rows_before)]);
  mov(rcx, kView);
  sub(rcx, ptr[rdx + 8 * access.row_before]);
  mov(ptr[rdx + 8 * access.row_before], kView);
  lea(rcx, ptr[kView + rcx * 4]);
  for (unsigned line = 0; line < kWarpSize * access.width; line += 64) prefetcht0(ptr[rcx + line]);
}

}  // namespace heddle::simulator::native
