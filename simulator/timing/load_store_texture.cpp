// Texture instructions: what the texture unit takes for them, and what L1 lacks of their texels.
#include <algorithm>

#include "simulator/timing/load_store.hpp"
#include "simulator/timing/named_lines.hpp"

namespace heddle::simulator::timing {

// Sectors of the texels' lines, each line once.
void LoadStoreUnit::split_texels(std::span<const Access> accesses) {
  texel_pieces_.clear();
  NamedLines lines(texel_pieces_);
  for (const Access& access : accesses)
    for (const unsigned lane : access.lanes) {
      const std::uint64_t address = access.address[lane];
      lines.add(address / kLineBytes,
                static_cast<unsigned>(address / kSectorBytes % kSectorsPerLine), 0);
    }
}

Completion LoadStoreUnit::sample(unsigned sub_core, Cycle now, const Timed& instruction,
                                 const TextureHeader& header, std::span<const Access> accesses,
                                 Mask on, const Outstanding& waiting) {
  texels_.assign(accesses.begin(), accesses.end());
  const BlockedLayout layout(header);
  for (Access& access : texels_)
    for (const unsigned lane : access.lanes)
      access.address[lane] = layout.place_of(access.address[lane]);
  constexpr std::uint64_t kPercent = 100, kQuads = kWarpSize / 4;
  const std::uint64_t work = textures_.work(header, instruction.gathers, texels_, on);
  const Cycle begin = textures_.take(sub_core, now, header.address, work);
  const bool straight = is_straight(header);
  const std::uint64_t least = kQuads * (straight ? constants_.interval_texture_buffer_quad
                                                 : constants_.interval_texture_quad);
  const Cycle latency = straight ? constants_.latency_texture_buffer : constants_.latency_texture;
  const unsigned data = unsigned{kWarpSize} * instruction.bytes;
  Completion completion;
  completion.sources_read = begin + constants_.latency_operand_read;
  completion.done = begin + latency + (work - std::min(work, least)) / kPercent +
                    (data - std::min(data, kLineBytes)) / constants_.return_bytes_per_cycle;
  if (instruction.is_store) return completion;
  const auto first = static_cast<std::uint32_t>(waits_.size());
  split_texels(texels_);
  Lookups texels;  // no metric shows them
  for (const Piece& piece : texel_pieces_)
    load(piece, instruction, texels, begin, completion.done, completion);
  const auto count = static_cast<std::uint32_t>(waits_.size()) - first;
  completion.outstanding = count != 0;
  if (completion.outstanding) pending_.push_back({waiting, completion.done, first, count, 0});
  return completion;
}

}  // namespace heddle::simulator::timing
