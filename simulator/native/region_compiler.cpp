#include "simulator/native/region_compiler.hpp"

#include <cstddef>
#include <memory>

#include "simulator/base/instruction_counts.hpp"
#include "simulator/native/registers.hpp"
#include "simulator/warp/flow.hpp"

namespace heddle::simulator::native {
namespace {

using namespace Xbyak::util;

constexpr std::uint32_t number(Flow flow) { return static_cast<std::uint32_t>(flow); }

class EnterCompiler : public Xbyak::CodeGenerator {
 public:
  EnterCompiler(VectorUnit unit, int frame, int threads_at) {
    for (const auto& saved : {rbx, rbp, r12, r13, r14, r15}) push(saved);
    sub(rsp, frame);
    mov(rbx, rsi);
    mov(ebp, edx);
    mov(r12, rcx);
    mov(r15, rdi);
    popcnt(ecx, edx);
    mov(ptr[rsp + threads_at], rcx);
    mov(r13, ptr[rbx + offsetof(WarpState, rows)]);
    mov(r14, ptr[rbx + offsetof(WarpState, pool)]);
    if (unit == VectorUnit::avx512) {
      kmovd(k1, ebp);
      kshiftrd(k2, k1, 16);
    }
    jmp(r8);
  }
};

}  // namespace

std::vector<std::uint8_t> RegionCompiler::enter(VectorUnit unit) {
  EnterCompiler made(unit, kFrame, kThreadsAt);
  return {made.getCode(), made.getCode() + made.getSize()};
}

RegionCompiler::RegionCompiler(VectorUnit unit, std::span<const RunOp> region, std::uint32_t first,
                               const KnownWord& known, const RegionHelpers& helpers, bool full,
                               std::uint8_t* memory)
    : RunCompiler(unit, known, full, memory, kMostBytes),
      region_(region),
      first_(first),
      helpers_(helpers),
      leads_(region.size()),
      labels_(region.size()) {
  find_leaders();
  bool begins = true;
  for (std::uint32_t i = 0; i < region_.size(); ++i) {
    if (leads_[i]) clean();
    if (leads_[i] || begins) begin_segment(i);
    begins = region_[i].op->lane == nullptr;
    if (!begins)
      translate(region_[i]);
    else if (!access_row(i))
      machine_op(i);
  }
  clean();
  const auto end = static_cast<std::uint32_t>(region_.size());
  count_edge(end, false);
  put_pc(end);
  mov(eax, number(Flow::next));
  leave();
  for (std::size_t i = 0; i < later_.size(); ++i) {  // which may ask for more
    const std::function<void()> make = std::move(later_[i]);
    make();
  }
  if (notes_) write_notes();
  write_constants();
  write_vectors();
}

void RegionCompiler::find_leaders() {
  for (const RunOp& each : region_)
    if (each.is_branch && each.target - first_ < region_.size())
      leads_[each.target - first_] = true;
}

std::uint32_t RegionCompiler::segment_length(std::uint32_t index) const {
  std::uint32_t end = index;
  do {
    if (region_[end++].op->lane == nullptr) break;
  } while (end < region_.size() && !leads_[end]);
  return end - index;
}

// Behind an access that the code has made itself rows are in vector registers. To enter there they
// are loaded first.
void RegionCompiler::begin_segment(std::uint32_t index) {
  if (values_.empty()) {
    L(labels_[index]);
    entries_.emplace_back(first_ + index, getSize());
  } else {
    const auto loaded = std::make_shared<Xbyak::Label>();
    L(*loaded);
    later([this, index, loaded, values = values_] {
      entries_.emplace_back(first_ + index, getSize());
      reload(values);
      jmp(*loaded, T_NEAR);
    });
  }
  check_budget(index);
}

// The segment's instructions count as issued, if the turn lasts so long.
void RegionCompiler::check_budget(std::uint32_t index) {
  const auto over = std::make_shared<Xbyak::Label>();
  mov(rax, ptr[kMachine + offsetof(Machine, issued)]);
  add(rax, segment_length(index));
  cmp(rax, ptr[kMachine + offsetof(Machine, issue_limit)]);
  ja(*over, T_NEAR);
  mov(ptr[kMachine + offsetof(Machine, issued)], rax);
  later([this, index, over, values = values_, used_low = used_low_] {
    L(*over);
    spill(values);
    if (used_low) vzeroupper();
    count_edge(index, false);
    put_pc(index);
    mov(eax, number(Flow::next) | kOverBudget);
    leave();
  });
}

// All rows are in memory, and vector registers as other code wants them.
void RegionCompiler::clean() {
  flush();
  if (used_low_) vzeroupper();
  used_low_ = false;
}

void RegionCompiler::machine_op(std::uint32_t index) {
  const RunOp& each = region_[index];
  op_ = each.op;
  ++now_;
  clean();
  guarded_ = is_guarded(*op_);
  if (guarded_) load_guard(each);
  // A uniform instruction has all lanes; of one that only has a uniform guard these are on.
  if (guarded_ && !full_) and_(kOn, active_);
  if (each.is_branch) return branch(index);
  const auto back = std::make_shared<Xbyak::Label>();
  if (guarded_ && each.is_idle) {
    test(kOn, kOn);
    jz(*back, T_NEAR);
  }
  call_and_go_on(index, back);
}

// `back` is where the code goes on, with nothing in vector registers.
void RegionCompiler::call_and_go_on(std::uint32_t index, std::shared_ptr<Xbyak::Label> back) {
  call_machine(index);
  const auto changed = std::make_shared<Xbyak::Label>();
  test(al, al);
  jnz(*changed, T_NEAR);
  L(*back);
  load_active();
  later([this, index, changed, back] {
    const auto ended = std::make_shared<Xbyak::Label>();
    L(*changed);
    cmp(al, number(Flow::reschedule));
    jne(*ended, T_NEAR);
    mov(rdi, kMachine);
    mov(rsi, warp_);
    mov(edx, active_);
    mov(ecx, first_ + index + 1);
    mov(rax, reinterpret_cast<std::uint64_t>(helpers_.goes_on));
    Xbyak::CodeGenerator::call(rax);
    test(al, al);
    jnz(*back, T_NEAR);
    mov(eax, number(Flow::reschedule));
    L(*ended);
    leave_by_flow(index);
  });
}

// Where all lanes go one way the code goes on there.
void RegionCompiler::branch(std::uint32_t index) {
  const RunOp& each = region_[index];
  if (!guarded_) {
    count_uniform(each);
    count_edge(index + 1, false);
    return go_to(each.target);
  }
  const auto parts = std::make_shared<Xbyak::Label>();
  Xbyak::Label none;
  test(kOn, kOn);
  jz(none, T_NEAR);
  if (full_)
    cmp(kOn, ~0u);
  else
    cmp(kOn, active_);
  jne(*parts, T_NEAR);
  count_uniform(each);
  count_edge(index + 1, false);
  go_to(each.target);
  L(none);
  count_uniform(each);
  later([this, index, parts] {
    L(*parts);
    guarded_ = true;
    call_machine(index);
    leave_by_flow(index);
  });
}

void RegionCompiler::go_to(std::uint32_t target) {
  if (target - first_ < region_.size()) {
    count_edge(target - first_, true);
    jmp(labels_[target - first_], T_NEAR);
    return;
  }
  put_pc(target - first_);
  mov(eax, number(Flow::jump));
  leave();
}

void RegionCompiler::call_machine(std::uint32_t index) {
  const RunOp& each = region_[index];
  put_pc(index + 1);
  mov(rdi, kMachine);
  mov(rsi, warp_);
  mov(rdx, reinterpret_cast<std::uint64_t>(each.op));
  mov(ecx, active_);
  mov(r8d, guarded_ ? kOn : active_);
  mov(rax, reinterpret_cast<std::uint64_t>(full_ ? each.execute : each.execute_partial));
  Xbyak::CodeGenerator::call(rax);
}

// The flow is in al.
void RegionCompiler::leave_by_flow(std::uint32_t index) {
  movzx(eax, al);
  count_edge(index + 1, false);
  leave();
}

void RegionCompiler::count_edge(std::uint32_t index, bool rises) {
  const CountPlace place = helpers_.edge_of(first_ + index);
  mov(r10, ptr[counted_ + 8 * place.page]);
  if (!full_) mov(rcx, ptr[rsp + kThreadsAt]);
  const auto executed = qword[r10 + place.offset], threads = qword[r10 + place.offset + 8];
  if (rises) {
    inc(executed);
    full_ ? add(threads, kWarpSize) : add(threads, rcx);
  } else {
    dec(executed);
    full_ ? sub(threads, kWarpSize) : sub(threads, rcx);
  }
}

void RegionCompiler::count_uniform(const RunOp& each) {
  constexpr std::size_t kFurther =
      offsetof(InstructionCounts, branch_uniform) - offsetof(InstructionCounts, threads_on);
  mov(r10, ptr[counted_ + 8 * each.threads_on.page]);
  inc(qword[r10 + each.threads_on.offset + kFurther]);
}

void RegionCompiler::put_pc(std::uint32_t index) {
  mov(rax, ptr[kMachine + offsetof(Machine, current_pc)]);
  mov(dword[rax], first_ + index);
}

void RegionCompiler::leave() {
  add(rsp, kFrame);
  for (const auto& saved : {r15, r14, r13, r12, rbp, rbx}) pop(saved);
  ret();
}

}  // namespace heddle::simulator::native
