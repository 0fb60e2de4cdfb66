// --check races: what products of warp groups (PTX wgmma) read of shared memory.
//
// They read while their warps go on, until a warp of the group has waited for them
// (wgmma.wait_group), for all four: one thread may then let others overwrite the factors. So an
// agent of the warp group reads, and who waits knows what it has read up to the last product waited
// for.
#include <fmt/format.h>

#include "isa/attributes.hpp"
#include "simulator/checks/race_check.hpp"

namespace heddle::simulator::checks {
namespace {

using isa::Mod;

constexpr std::uint32_t kWarpsOfGroup = 4;

// The last one that PTX's commit_group takes in.
bool ends_group(const isa::Instruction& in) {
  constexpr unsigned kEnd = 84, kBits = 3;
  return in.word.bits(kEnd, kBits) == 0;
}

}  // namespace

void RaceCheck::look_at_product(const Core& core, const Warp& warp, BlockTrack& track,
                                const Issue& issue) {
  const auto [found, is_new] = track.products.try_emplace(warp.index / kWarpsOfGroup);
  Products& products = found->second;
  if (is_new) products.agent = knowledge_.add_agent(track.number);
  track.agents[products.agent.warp] = {0, actor(warp, issue.pc, issue.on), true};
  for (const Access& access : issue.accesses)
    look_at(core, warp, track, issue, access, &products.agent);
  if (!ends_group(*core.launch.program->steps[issue.pc].instruction)) return;
  const std::uint64_t number = ++products.ended[warp.index % kWarpsOfGroup];
  products.told[number % Products::kKept] =
      std::make_shared<const Knowledge::Told>(knowledge_.told_by_agent(products.agent));
}

void RaceCheck::wait_for_products(const Warp& warp, BlockTrack& track, const Issue& next,
                                  const isa::Instruction& in) {
  const auto found = track.products.find(warp.index / kWarpsOfGroup);
  if (in.mod(Mod::le) == 0 || found == track.products.end()) return;
  const Products& products = found->second;
  const std::uint64_t ended = products.ended[warp.index % kWarpsOfGroup];
  const std::uint64_t left = in.mod(Mod::sb_count);
  if (ended <= left) return;
  const Told& told = products.told[(ended - left) % Products::kKept];
  for (const unsigned lane : next.on) learn({track.number, warp.index}, track, lane, told);
}

bool RaceCheck::report_product(const Scene& scene, std::uint64_t address, const Trace& before,
                               const Trace& now) {
  Finding* const finding = findings_.note("races", "multiplied_from", now.pc, before.pc);
  if (finding == nullptr) return true;
  finding->address = address;
  finding->message = fmt::format(
      "writes shared memory, at {:#x}, which is a factor of a warp group's product that nothing "
      "has waited for",
      address);
  Actor issuer = agent_at(before.who)->issuer;
  issuer.pc = before.pc;
  const Actor here{linear_[now.who.block], now.who.warp, Mask::of(now.lane), now.pc};
  finding->sides.push_back(
      side_of(findings_.request(), here,
              access_text(scene.access.kind, scene.access.width, scene.access.space)));
  finding->sides.push_back(side_of(findings_.request(), issuer, "began the product"));
  finding->details =
      "it needs wgmma.commit_group and wgmma.wait_group behind the product, before this write or "
      "before what lets another thread make it";
  return true;
}

}  // namespace heddle::simulator::checks
