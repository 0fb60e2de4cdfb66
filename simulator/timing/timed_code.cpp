#include "simulator/timing/timed_code.hpp"

#include <algorithm>

namespace heddle::simulator::timing {
namespace {

TimedCode::BankBytes bytes_of_banks(const ConstantBanks& constants) {
  TimedCode::BankBytes bytes{};
  static_assert(bytes.size() == std::tuple_size_v<decltype(constants.banks)>);
  for (std::size_t bank = 0; bank < bytes.size(); ++bank)
    bytes[bank] = static_cast<std::uint32_t>(constants.banks[bank].size());
  return bytes;
}

// Instructions that touch only their warp's registers and predicates. The place of a constant must
// still be in its register when the instruction issues.
bool is_computing(const Timed& timed, const Step& step) {
  const bool of_registers = timed.course == Course::fixed || timed.course == Course::special ||
                            timed.course == Course::variable || timed.course == Course::shuffle;
  return step.lane != nullptr && of_registers && timed.constant_lines_of_bank == 0 &&
         !timed.empties_l1;
}

TimedProgram find_computing(TimedProgram program, const std::vector<Step>& steps) {
  std::uint16_t together = 0;
  for (std::size_t pc = steps.size(); pc-- > 0;) {
    Timed& timed = program.instructions[pc];
    const bool computing = is_computing(timed, steps[pc]);
    together = computing ? static_cast<std::uint16_t>(std::min(together + 1, 0xffff)) : 0;
    timed.computed_together = together;
    timed.only_computes = computing && timed.is_plain && timed.gate < kPipes;
  }
  return program;
}

}  // namespace

TimedCode::TimedCode(const LaunchContext& context, const Constants& constants,
                     const BankBytes& bytes)
    : module(context.request->module),
      sha256(module->code_sha256()),
      bank_bytes(bytes),
      program(find_computing(time_program(module->program(), constants, bytes),
                             context.program->steps)),
      rows_ahead(module->program(), *context.program) {}

bool TimedCode::is_of(const LaunchContext& context, const BankBytes& bytes) const {
  return module == context.request->module && bank_bytes == bytes &&
         sha256 == context.request->module->code_sha256();
}

std::shared_ptr<const TimedCode> timed_code(const LaunchContext& context,
                                            const Constants& constants, DeviceTime& device) {
  constexpr std::size_t kMost = 8;  // kernels that take turns
  const TimedCode::BankBytes bytes = bytes_of_banks(context.constants);
  auto& kept = device.code;
  const auto known =
      std::ranges::find_if(kept, [&](const auto& each) { return each->is_of(context, bytes); });
  if (known != kept.end()) {
    std::rotate(kept.begin(), known, known + 1);
    return kept.front();
  }
  kept.insert(kept.begin(), std::make_shared<const TimedCode>(context, constants, bytes));
  kept.resize(std::min(kept.size(), kMost));
  return kept.front();
}

}  // namespace heddle::simulator::timing
