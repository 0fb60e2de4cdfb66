#include "simulator/timing/sm_places.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace heddle::simulator::timing {
namespace {

// Pairs of the first GPC whose SMs have the first numbers; none where it has no others.
std::uint32_t first_pairs(const Constants& constants, std::uint32_t of_first_gpc) {
  const std::uint32_t pairs = constants.first_blocks_sms / constants.tpc_sms;
  return pairs < of_first_gpc ? pairs : 0;
}

}  // namespace

std::vector<SmPlace> sm_places(const Constants& constants, std::uint32_t sms) {
  const std::uint32_t of_pair = constants.tpc_sms;
  const std::uint32_t of_cpc = std::max(1u, constants.cpc_sms / of_pair);
  const std::uint32_t pairs = (sms + of_pair - 1) / of_pair;
  std::vector<std::uint32_t> pairs_of(constants.gpcs), numbered(constants.gpcs);
  for (std::uint32_t pair = 0; pair < pairs; ++pair) ++pairs_of[pair % constants.gpcs];
  std::vector<SmPlace> places;
  const auto number = [&](std::uint32_t gpc, std::uint32_t pair) {
    if (places.size() < sms) places.push_back({gpc, pair, pair / of_cpc, numbered[gpc]++});
  };
  const std::uint32_t first = first_pairs(constants, pairs_of[0]);
  for (std::uint32_t pair = 0; pair < first; ++pair)
    for (std::uint32_t each = 0; each < of_pair; ++each) number(0, pair);
  for (std::uint32_t each = 0; each < of_pair; ++each)
    for (std::uint32_t pair = 0; pair < pairs_of[0]; ++pair)
      for (std::uint32_t gpc = 0; gpc < constants.gpcs; ++gpc) {
        const std::uint32_t at = gpc == 0 ? first + pair : pair;
        if (at < pairs_of[gpc]) number(gpc, at);
      }
  return places;
}

std::vector<std::uint32_t> sms_for_blocks(const Constants& constants,
                                          const std::vector<SmPlace>& places,
                                          std::uint64_t blocks) {
  const std::size_t count = std::min<std::uint64_t>(blocks, places.size());
  std::vector<std::uint32_t> sms(count);
  std::iota(sms.begin(), sms.end(), 0u);
  // The first ones are where a pair's SMs follow one another.
  std::size_t first = 0;
  while (first < std::min<std::size_t>(count, constants.first_blocks_sms) &&
         places[first].gpc == 0 && places[first].before == first)
    ++first;
  std::sort(sms.begin() + static_cast<std::ptrdiff_t>(first), sms.end(),
            [&](std::uint32_t a, std::uint32_t b) {
              return std::tuple(places[a].gpc, places[a].pair, a) <
                     std::tuple(places[b].gpc, places[b].pair, b);
            });
  return sms;
}

}  // namespace heddle::simulator::timing
