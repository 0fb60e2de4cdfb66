#include <fmt/format.h>

#include "simulator/base/display_names.hpp"
#include "simulator/launch/launch.hpp"

namespace heddle::simulator {
namespace {

const char* describe(Fault::Kind kind) {
  switch (kind) {
    case Fault::Kind::illegal_address:
      return "an illegal memory access";
    case Fault::Kind::misaligned_address:
      return "a misaligned memory access";
    case Fault::Kind::illegal_instruction:
      return "an instruction that cannot be decoded";
    case Fault::Kind::unsupported_instruction:
      return "an instruction that is not implemented";
    case Fault::Kind::trap:
      return "a trap";
    case Fault::Kind::assert_:
      return "a failed assertion";
    case Fault::Kind::deadlock:
      return "a deadlock: no warp of the block can make progress";
    case Fault::Kind::instruction_limit:
      return "the limit of instructions was reached";
    case Fault::Kind::stack_overflow:
      return "a stack overflow";
    case Fault::Kind::launch_failure:
      return "an unspecified launch failure";
    case Fault::Kind::invalid_pc:
      return "a jump to an address that holds no code";
    case Fault::Kind::interrupted:
      return "interrupted";
  }
  return "";
}

}  // namespace

std::string Fault::message() const {
  std::string text =
      fmt::format("{} in kernel {}\n  block ({},{},{}) warp {} lanes {:08x}, thread ({},{},{})",
                  describe(kind), display_name(kernel), block_index.x, block_index.y, block_index.z,
                  warp, lanes.bits(), thread.x, thread.y, thread.z);
  const std::string before_pc =
      function.empty() ? std::string("code address ") : display_name(function) + "+";
  text += fmt::format("\n  at {}{:#x}{}{}: {}", before_pc, pc, source.empty() ? "" : " ", source,
                      instruction);
  text += checks::calls_text(calls, "    ");
  if (kind == Kind::illegal_address || kind == Kind::misaligned_address)
    text += fmt::format("\n  address {:#x}, {} bytes", address, access_bytes);
  if (!details.empty()) text += fmt::format("\n  {}", details);
  return text;
}

}  // namespace heddle::simulator
