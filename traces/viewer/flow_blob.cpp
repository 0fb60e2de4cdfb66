#include "traces/viewer/flow_blob.hpp"

#include <nettle/base64.h>
#include <zlib.h>

#include <algorithm>
#include <new>

#include "traces/viewer/varint.hpp"

namespace heddle::traces {
namespace {

void put_dictionary(std::string& bytes, const Dictionary& dictionary) {
  put_varint(bytes, dictionary.size());
  bytes += dictionary.bytes();
}

// Numbers the reasons of waiting as they come up.
class Reasons {
 public:
  std::size_t number(std::string_view reason) {
    const auto found = std::ranges::find(names_, reason);
    if (found == names_.end()) names_.push_back(reason);
    return static_cast<std::size_t>(found - names_.begin());
  }
  std::string bytes() const {
    std::string bytes;
    put_varint(bytes, names_.size());
    for (const std::string_view name : names_) {
      put_varint(bytes, name.size());
      bytes += name;
    }
    return bytes;
  }

 private:
  std::vector<std::string_view> names_;
};

// The first cycle in which anything of the launch was seen.
std::uint64_t first_cycle(const std::vector<WarpTrace>& warps) {
  std::uint64_t first = ~std::uint64_t{0};
  for (const WarpTrace& warp : warps) {
    if (!warp.waits.empty()) first = std::min(first, warp.waits.front().from);
    if (!warp.issued.empty()) first = std::min(first, warp.issued.front());
  }
  return first;
}

void put_times(std::string& bytes, const WarpTrace& warp, std::uint64_t start, Reasons& reasons) {
  auto wait = warp.waits.begin();
  std::uint64_t last = start;
  for (const std::uint64_t cycle : warp.issued) {
    put_varint(bytes, zigzag(cycle - last));
    last = cycle;
    const auto end =
        std::find_if(wait, warp.waits.end(), [&](const auto& each) { return each.from >= cycle; });
    put_varint(bytes, static_cast<std::uint64_t>(end - wait));
    for (; wait != end; ++wait) {
      put_varint(bytes, reasons.number(wait->reason));
      put_varint(bytes, wait->until - wait->from);
    }
  }
}

}  // namespace

std::string time_blob(const Recorder& recorder) {
  if (std::ranges::all_of(recorder.warps(), [](const auto& warp) { return warp.issued.empty(); }))
    return {};
  const std::uint64_t start = first_cycle(recorder.warps());
  Reasons reasons;
  std::string steps;
  for (const WarpTrace& warp : recorder.warps()) put_times(steps, warp, start, reasons);
  return reasons.bytes() + steps;
}

std::string flow_blob(const Recorder& recorder) {
  std::string bytes;
  put_varint(bytes, recorder.warps().size());
  for (const WarpTrace& warp : recorder.warps()) {
    put_varint(bytes, warp.block);
    put_varint(bytes, warp.warp);
    put_varint(bytes, warp.steps);
  }
  put_dictionary(bytes, recorder.masks());
  put_dictionary(bytes, recorder.situations());
  put_dictionary(bytes, recorder.touches());
  for (const WarpTrace& warp : recorder.warps()) bytes += warp.flow;
  return bytes;
}

std::string value_blob(std::span<const WarpTrace> warps) {
  std::string bytes;
  for (const WarpTrace& warp : warps) {
    put_varint(bytes, warp.values.size());
    bytes += warp.values;
  }
  return bytes;
}

std::string deflated(const std::string& bytes) {
  constexpr int kLevel = 6;
  uLongf size = compressBound(bytes.size());
  std::string result(size, '\0');
  // Fails only for want of memory: the buffer is as large as it can become.
  if (compress2(reinterpret_cast<Bytef*>(result.data()), &size,
                reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), kLevel) != Z_OK)
    throw std::bad_alloc();
  result.resize(size);
  return result;
}

std::string base64(const std::string& bytes) {
  std::string text(BASE64_ENCODE_RAW_LENGTH(bytes.size()), '\0');
  base64_encode_raw(text.data(), bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
  return text;
}

}  // namespace heddle::traces
