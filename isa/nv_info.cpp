#include "isa/nv_info.hpp"

#include <fmt/format.h>

namespace heddle::isa {
namespace {

// How a record's value is stored: in the header's last two bytes, or after it.
enum class Format : std::uint8_t { none = 1, byte = 2, half = 3, sized = 4 };

}  // namespace

Record read_record(const Bytes& info, std::uint64_t& position) {
  const auto format = Format{info.at<std::uint8_t>(position, "a record")};
  Record record{.attribute = Attribute{info.at<std::uint8_t>(position + 1, "a record")},
                .offset = position,
                .payload = Bytes({}, info.where())};
  const auto half = info.at<std::uint16_t>(position + 2, "a record");
  position += 4;
  switch (format) {
    case Format::none:
      return record;
    case Format::byte:
      record.value = half & 0xff;
      return record;
    case Format::half:
      record.value = half;
      return record;
    case Format::sized:
      record.payload = Bytes(info.slice(position, half, "a record's payload"),
                             fmt::format("{}: record {:#x} at {:#x}", info.where(),
                                         static_cast<unsigned>(record.attribute), record.offset));
      position += half;
      return record;
  }
  info.fail(record.offset,
            fmt::format("a record of format {}, expected 1 to 4", static_cast<unsigned>(format)));
}

}  // namespace heddle::isa
