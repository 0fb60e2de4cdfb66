#include "simulator/checks/knowledge.hpp"

#include <algorithm>
#include <bit>

namespace heddle::simulator::checks {

void Knowledge::start_block(std::uint32_t block, std::uint32_t warps) {
  while (parts_.size() <= block / kPart) parts_.push_back(std::make_unique<Part>());
  std::vector<Warp>& all = warps_of(block);
  all.assign(warps, {});
  for (Warp& warp : all) warp.known.assign(warps, 0);
}

void Knowledge::end_block(std::uint32_t block) {
  std::vector<Warp>().swap(warps_of(block));  // with what it has allocated
  std::unique_ptr<Part>& part = parts_[block / kPart];
  if (++part->ended == kPart) part.reset();
}

WarpId Knowledge::add_agent(std::uint32_t block) {
  std::vector<Warp>& all = warps_of(block);
  all.emplace_back();
  return {block, static_cast<std::uint32_t>(all.size() - 1)};
}

Knowledge::Told Knowledge::told_by_agent(WarpId agent) {
  auto row = std::make_shared<Row>(agent.warp + 1);
  row->back() = warps_of(agent.block)[agent.warp].clock++;
  return {{agent.block, std::move(row)}};
}

std::uint32_t Knowledge::clock(WarpId warp) const { return warp_at(warp).clock; }

bool Knowledge::knows(WarpId now, WarpId then, std::uint32_t clock) const {
  const Warp& warp = warp_at(now);
  if (then.block == now.block) return then.warp == now.warp || at(warp.known, then.warp) >= clock;
  const auto row = warp.elsewhere.find(then.block);
  return row != warp.elsewhere.end() && at(*row->second, then.warp) >= clock;
}

void Knowledge::join(Row& into, const Row& more) {
  if (into.size() < more.size()) into.resize(more.size());
  for (std::size_t i = 0; i < more.size(); ++i) into[i] = std::max(into[i], more[i]);
}

void Knowledge::join(Told& into, const Told& more) {
  for (const auto& [block, row] : more) {
    auto& mine = into[block];
    if (mine == row) continue;
    if (mine == nullptr) {
      mine = row;
      continue;
    }
    auto both = std::make_shared<Row>(*mine);
    join(*both, *row);
    mine = std::move(both);
  }
}

std::shared_ptr<const Knowledge::Told> Knowledge::joined(
    const std::vector<Warp>& warps, std::uint32_t which,
    std::shared_ptr<const Told> Warp::*fenced) {
  Told all;
  for (std::size_t i = 0; i < warps.size(); ++i)
    if (i < 32 && (which >> i & 1) != 0 && warps[i].*fenced != nullptr)
      join(all, *(warps[i].*fenced));
  return all.empty() ? nullptr : std::make_shared<const Told>(std::move(all));
}

void Knowledge::meet(std::uint32_t block, std::uint32_t waiting, std::uint32_t arriving) {
  std::vector<Warp>& warps = warps_of(block);
  Row known(warps.size());
  Told elsewhere;
  const std::size_t count = std::min<std::size_t>(warps.size(), std::bit_width(waiting | arriving));
  bool differ = false;
  const auto took_part = [&](std::size_t i) { return ((waiting | arriving) >> i & 1) != 0; };
  for (std::size_t i = 0; i < count; ++i) {
    if (!took_part(i)) continue;
    join(known, warps[i].known);
    known[i] = warps[i].clock++;
    join(elsewhere, warps[i].elsewhere);
    differ |= warps[i].fenced != warps[i].fenced_for_block;
  }
  const auto told = joined(warps, waiting | arriving, &Warp::fenced);
  const auto told_to_block =
      differ ? joined(warps, waiting | arriving, &Warp::fenced_for_block) : told;
  for (std::size_t i = 0; i < count; ++i) {
    if ((waiting >> i & 1) == 0) continue;
    warps[i].known = known;
    warps[i].elsewhere = elsewhere;
    warps[i].fenced = told;
    warps[i].fenced_for_block = told_to_block;
  }
}

void Knowledge::fence(WarpId id, Scope scope) {
  Warp& warp = warps_of(id.block)[id.warp];
  auto told = std::make_shared<Told>(warp.elsewhere);
  auto row = std::make_shared<Row>(warp.known);
  (*row)[id.warp] = warp.clock++;
  (*told)[id.block] = std::move(row);
  warp.fenced_for_block = told;
  if (scope == Scope::all) warp.fenced = std::move(told);
}

const std::shared_ptr<const Knowledge::Told>& Knowledge::told_by(WarpId id, Scope to) const {
  const Warp& warp = warp_at(id);
  return to == Scope::all ? warp.fenced : warp.fenced_for_block;
}

void Knowledge::learn(WarpId id, const std::shared_ptr<const Told>& told) {
  Warp& warp = warps_of(id.block)[id.warp];
  if (told == nullptr || told == warp.learned) return;
  warp.learned = told;
  for (const auto& [block, row] : *told)
    if (block == id.block)
      join(warp.known, *row);
    else
      join(warp.elsewhere, {{block, row}});
}

}  // namespace heddle::simulator::checks
