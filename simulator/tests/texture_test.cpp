// What textures give, against what an H200 gave (gpu/kernels/micro/texture_answers; a part of its
// answers is in data/textures_h200.bin, CUDA 13.0, driver 580.159.04, 2026-11-21).
#include "simulator/memory/texture.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "simulator/base/file.hpp"
#include "simulator/memory/texture_sampler.hpp"

namespace heddle::simulator {
namespace {

using Shape = TextureHeader::Shape;

// As the program numbers its cases.
enum Kind { kLine, kPlane, kVolume, kLines, kPlanes, kCube, kGather, kFetch };

class Reader {
 public:
  explicit Reader(std::string bytes) : bytes_(std::move(bytes)) {}
  bool done() const { return at_ == bytes_.size(); }
  template <typename T>
  T take() {
    T value;
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  std::string text(std::size_t count) {
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

struct Settings {
  std::int32_t kind, x, y, z, w, format, width, height, depth, mode, filter, flags, bytes;
};

constexpr std::uint64_t kAddress = 0x1000;

TextureHeader header_of(const Settings& settings) {
  constexpr Shape kShapes[] = {Shape::line,   Shape::plane, Shape::volume, Shape::lines,
                               Shape::planes, Shape::cube,  Shape::plane,  Shape::buffer};
  TextureHeader header;
  header.address = kAddress;
  header.shape = kShapes[settings.kind];
  header.format = static_cast<TextureHeader::Format>(settings.format);
  header.channel_bits = static_cast<std::uint8_t>(settings.x);
  header.channels =
      static_cast<std::uint8_t>(1 + (settings.y != 0) + (settings.z != 0) + (settings.w != 0));
  header.width = static_cast<std::uint64_t>(settings.width);
  header.height = static_cast<std::uint32_t>(settings.height);
  header.depth = static_cast<std::uint32_t>(settings.depth);
  header.row_bytes = header.width * header.texel_bytes();
  header.layer_bytes = header.row_bytes * header.height;
  header.addressing.fill(static_cast<TextureHeader::Addressing>(settings.mode));
  header.linear_filter = settings.filter == 1;
  header.normalized_result = (settings.flags >> 8) != 0;
  header.normalized_coordinates = (settings.flags >> 4 & 1) != 0;
  header.border = {0.25f, 7, -3, 1.5f};
  return header;
}

std::optional<TexelBits> answer(const Settings& settings, const TextureHeader& header,
                                const std::array<float, 3>& at, std::int32_t layer,
                                const TexelMemory& memory) {
  if (settings.kind == kFetch) return fetch_texel(header, {layer, 0, 0}, memory);
  const TexelCoordinates where{at, static_cast<std::uint32_t>(layer), 0};
  if (settings.kind == kGather)
    return gather_texels(header, where, static_cast<unsigned>(layer), memory);
  return sample_texture(header, where, memory);
}

TEST(Textures, GiveWhatAnH200Gave) {
  Reader recorded(read_file(
      std::string(HEDDLE_SOURCE_DIR) + "/simulator/tests/data/textures_h200.bin", 1 << 24));
  int cases = 0;
  while (!recorded.done()) {
    const std::string name = recorded.text(recorded.take<std::uint32_t>());
    const auto settings = recorded.take<Settings>();
    const std::string texels = recorded.text(static_cast<std::size_t>(settings.bytes));
    const TextureHeader header = header_of(settings);
    const TexelMemory memory = [&](std::uint64_t address, std::uint64_t bytes) {
      return address - kAddress + bytes <= texels.size()
                 ? reinterpret_cast<const std::byte*>(texels.data()) + (address - kAddress)
                 : nullptr;
    };
    const auto count = recorded.take<std::uint32_t>();
    ASSERT_GT(count, 0u);
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto at = recorded.take<std::array<float, 3>>();
      const auto layer = recorded.take<std::int32_t>();
      const auto expected = recorded.take<TexelBits>();
      const auto got = answer(settings, header, at, layer, memory);
      ASSERT_TRUE(got) << name;
      EXPECT_EQ(*got, expected) << name << " at " << at[0] << ", " << at[1] << ", " << at[2]
                                << ", layer " << layer;
    }
    ++cases;
  }
  EXPECT_GT(cases, 30);
}

// A line of 13 texels with its levels, linear filters within levels and between: the texels, then
// coordinate, level and answer (gpu/kernels/micro/texture_answers/levels.cu, case
// line_filter_linear; CUDA 13.0, driver 580.159.04, 2026-11-22).
TEST(Textures, BlendLevelsAsAnH200Does) {
  constexpr unsigned kLevels = 4, kTexels[kLevels] = {13, 6, 3, 1};
  Reader recorded(
      read_file(std::string(HEDDLE_SOURCE_DIR) + "/simulator/tests/data/levels_h200.bin", 1 << 24));
  std::array<std::byte, kLevels * kLevelAlignment> texels{};
  for (unsigned level = 0; level < kLevels; ++level) {
    const std::string some = recorded.text(sizeof(float) * kTexels[level]);
    std::memcpy(texels.data() + level * kLevelAlignment, some.data(), some.size());
  }
  TextureHeader header;
  header.address = kAddress;
  header.format = TextureHeader::Format::floating;
  header.width = kTexels[0];
  header.row_bytes = header.layer_bytes = kTexels[0] * sizeof(float);
  header.addressing.fill(TextureHeader::Addressing::clamp);
  header.linear_filter = header.linear_between_levels = header.normalized_coordinates = true;
  header.last_level = kLevels - 1;
  const TexelMemory memory = [&](std::uint64_t address, std::uint64_t) {
    return texels.data() + (address - kAddress);
  };
  int count = 0;
  for (; !recorded.done(); ++count) {
    const auto [at, level, expected] = recorded.take<std::array<float, 3>>();
    const auto got = sample_texture(header, {{at, 0, 0}, 0, level}, memory);
    ASSERT_TRUE(got);
    EXPECT_EQ(std::bit_cast<float>((*got)[0]), expected) << at << ", level " << level;
  }
  EXPECT_EQ(count, 1500);
}

// Textures of any kind, sampled by a warp at once and lane by lane.
class RandomTextures {
 public:
  TextureHeader header() {
    constexpr Shape kShapes[] = {Shape::line,  Shape::plane,  Shape::volume,
                                 Shape::lines, Shape::planes, Shape::buffer};
    TextureHeader made;
    made.address = kAddress;
    made.shape = kShapes[below(6)];
    made.format = static_cast<TextureHeader::Format>(below(3));
    made.channels = static_cast<std::uint8_t>(1 << below(3));
    made.channel_bits = static_cast<std::uint8_t>(8 << below(3));
    if (made.format == TextureHeader::Format::floating && made.channel_bits == 8)
      made.channel_bits = 32;
    const bool flat = made.shape == Shape::line || made.shape == Shape::buffer;
    made.width = 1 + below(9);
    made.height = flat || made.shape == Shape::lines ? 1 : 1 + below(7);
    made.depth = flat || made.shape == Shape::plane ? 1 : 1 + below(5);
    made.row_bytes = made.width * made.texel_bytes() + 16 * below(2);
    made.layer_bytes = made.row_bytes * made.height;
    for (auto& mode : made.addressing) mode = static_cast<TextureHeader::Addressing>(below(4));
    made.linear_filter = below(3) != 0;
    made.normalized_coordinates = below(2) != 0;
    made.normalized_result = below(3) != 0;
    made.srgb = below(4) == 0;
    made.border = {0.25f, 7, -3, 1.5f};
    return made;
  }
  float coordinate(float size) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    constexpr float kOthers[] = {kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN(),
                                 1e30f,     -1e9f,      0.0f,
                                 -0.0f,     1.0f};
    if (below(16) == 0) return kOthers[below(8)];
    const float within = std::uniform_real_distribution<float>(-0.75f, 1.75f)(random_);
    return below(2) == 0 ? within * size : within;
  }
  std::vector<std::byte> texels(const TextureHeader& header) {
    std::vector<std::byte> bytes(TextureSampler::bytes(header));
    for (std::byte& each : bytes) each = static_cast<std::byte>(random_());
    if (header.format != TextureHeader::Format::floating) return bytes;
    for (std::size_t at = 0; at < bytes.size(); at += header.channel_bits / 8u) {
      const float number = std::uniform_real_distribution<float>(-9, 9)(random_);
      const auto half = static_cast<std::uint16_t>(random_() & 0xbbff);  // no NaN, nor infinite
      if (header.channel_bits == 32)
        std::memcpy(&bytes[at], &number, 4);
      else
        std::memcpy(&bytes[at], &half, 2);
    }
    return bytes;
  }
  std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>(random_() % count); }

 private:
  std::mt19937 random_{7};
};

using LaneRow = std::array<std::uint32_t, kWarpSize>;

struct LaneRows {
  std::array<LaneRow, 3> at;
  LaneRow layer;
  std::array<TextureSampler::Row, 3> pointers() const {
    return {at[0].data(), at[1].data(), at[2].data()};
  }
};

LaneRows random_places(RandomTextures& random, const TextureHeader& header, bool whole) {
  LaneRows rows;
  const float sizes[] = {static_cast<float>(header.width), static_cast<float>(header.height),
                         static_cast<float>(header.depth)};
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    rows.layer[lane] = random.below(8) | random.below(2) << 16;
    for (unsigned i = 0; i < 3; ++i)
      rows.at[i][lane] =
          whole ? random.below(12) - 2 : std::bit_cast<std::uint32_t>(random.coordinate(sizes[i]));
  }
  return rows;
}

TEST(Textures, SampledByAWarpAtOnceAreAsLaneByLane) {
  RandomTextures random;
  int sampled = 0;
  for (int i = 0; i < 3000; ++i) {
    const TextureHeader header = random.header();
    if (!TextureSampler::can_sample(header)) continue;
    ++sampled;
    const std::vector<std::byte> texels = random.texels(header);
    std::vector<std::uint64_t> read;  // by the lane, in order
    const TexelMemory memory = [&](std::uint64_t address, std::uint64_t bytes) {
      read.push_back(address);
      return address - kAddress + bytes <= texels.size() ? &texels[address - kAddress] : nullptr;
    };
    const TextureSampler sampler(header, texels.data());
    const bool fetches = random.below(4) == 0;
    const LaneRows rows = random_places(random, header, fetches);
    TexelRows together;
    TexelReads reads;
    if (fetches)
      sampler.fetch(rows.pointers(), together, &reads);
    else
      sampler.sample(rows.pointers(), rows.layer.data(), together, &reads);
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      read.clear();
      const auto index = [&](unsigned k) { return static_cast<std::int32_t>(rows.at[k][lane]); };
      const auto number = [&](unsigned k) { return std::bit_cast<float>(rows.at[k][lane]); };
      const auto expected =
          fetches ? fetch_texel(header, {index(0), index(1), index(2)}, memory)
                  : sample_texture(
                        header, {{number(0), number(1), number(2)}, rows.layer[lane] & 0xffff, 0},
                        memory);
      ASSERT_TRUE(expected);
      const TexelBits got = {together[0][lane], together[1][lane], together[2][lane],
                             together[3][lane]};
      ASSERT_EQ(got, *expected) << "texture " << i << ", lane " << lane << ", at " << number(0)
                                << ", " << number(1) << ", " << number(2);
      std::vector<std::uint64_t> noted;
      for (const TexelReads::Tap& tap : std::span(reads.taps).first(reads.count))
        if (tap.lanes.has(lane)) noted.push_back(kAddress + tap.offset[lane]);
      ASSERT_EQ(noted, read) << "texture " << i << ", lane " << lane;
    }
  }
  EXPECT_GT(sampled, 1000);
}

TEST(Textures, MemoryThatIsNotThereIsNoTexel) {
  TextureHeader header;
  header.address = kAddress;
  header.width = 4;
  EXPECT_FALSE(sample_texture(header, {}, [](std::uint64_t, std::uint64_t) { return nullptr; }));
}

TEST(Textures, HandlesComeFromATableInDeviceMemory) {
  DeviceMemory memory(1 << 24);
  EXPECT_EQ(texture_table(memory), nullptr);
  TextureHeader header;
  header.address = kAddress;
  header.width = 7;
  const auto first = add_texture(memory, header), second = add_texture(memory, header);
  ASSERT_TRUE(first && second);
  EXPECT_NE(*first, *second);
  EXPECT_EQ(find_texture(texture_table(memory), *first)->width, 7u);
  EXPECT_TRUE(remove_texture(memory, *first));
  EXPECT_FALSE(remove_texture(memory, *first));
  EXPECT_FALSE(find_texture(texture_table(memory), 0xffff'ffff));
  EXPECT_TRUE(find_texture(texture_table(memory), *second));
}

// Device code can write the table, and a capsule holds it.
TEST(Textures, HeadersThatContradictThemselvesAreNone) {
  TextureHeader good;
  good.address = kAddress;
  good.width = 4;
  const auto is_there = [](const TextureHeader& header, std::size_t at, std::uint8_t value) {
    DeviceMemory memory(1 << 24);
    const auto handle = add_texture(memory, header);
    const Allocation* table = texture_table(memory);
    std::memcpy(table->data + *handle * sizeof header + at, &value, sizeof value);
    return find_texture(table, *handle).has_value();
  };
  EXPECT_TRUE(is_there(good, offsetof(TextureHeader, channels), 4));
  EXPECT_FALSE(is_there(good, offsetof(TextureHeader, channels), 5));
  EXPECT_FALSE(is_there(good, offsetof(TextureHeader, channels), 0));
  EXPECT_FALSE(is_there(good, offsetof(TextureHeader, channel_bits), 255));
  EXPECT_FALSE(is_there(good, offsetof(TextureHeader, channel_bits), 4));
  EXPECT_FALSE(is_there(good, offsetof(TextureHeader, shape), 6));
  EXPECT_FALSE(is_there(good, offsetof(TextureHeader, shape), 9));
  EXPECT_FALSE(is_there(good, offsetof(TextureHeader, format), 3));
  EXPECT_FALSE(is_there(good, offsetof(TextureHeader, addressing) + 2, 4));
  EXPECT_FALSE(is_there(good, offsetof(TextureHeader, depth), 0));
  EXPECT_FALSE(is_there(good, offsetof(TextureHeader, width) + 7, 0x80));
  EXPECT_FALSE(is_there(good, offsetof(TextureHeader, first_level), 1));
  EXPECT_FALSE(is_there(good, offsetof(TextureHeader, last_level), 200));
  EXPECT_FALSE(is_there(good, offsetof(TextureHeader, surface), 2));
}

TEST(Textures, StayWhereTheyAreUntilTheirPlaceIsGivenAgain) {
  DeviceMemory memory(1 << 24);
  TextureHeader header;
  header.address = kAddress;
  const auto first = add_texture(memory, header);
  EXPECT_TRUE(remove_texture(memory, *first));
  EXPECT_FALSE(remove_texture(memory, *first));
  EXPECT_TRUE(find_texture(texture_table(memory), *first));
  header.width = 9;
  EXPECT_EQ(add_texture(memory, header), first);
  EXPECT_EQ(find_texture(texture_table(memory), *first)->width, 9u);
}

TEST(Surfaces, PlacesBeyondTheEdgeAreOutsideOrClamped) {
  TextureHeader header;
  header.address = kAddress;
  header.width = header.height = 4;
  header.row_bytes = 16;
  header.layer_bytes = 64;
  const auto place = [&](std::int64_t x, std::int64_t y, SurfaceBoundary boundary) {
    return place_in_surface(header, x, y, 0, 4, boundary);
  };
  EXPECT_EQ(place(4, 2, SurfaceBoundary::zero).address, kAddress + 36);
  EXPECT_TRUE(place(16, 0, SurfaceBoundary::zero).outside);
  EXPECT_TRUE(place(-4, 0, SurfaceBoundary::trap).outside);
  EXPECT_EQ(place(100, 100, SurfaceBoundary::clamp).address, kAddress + 60);
}

// docs/experiments/textures.md, "Misaligned coordinates"
TEST(Surfaces, ACoordinateThatIsNoMultipleOfTheAccessIsAFault) {
  TextureHeader header;
  header.format = TextureHeader::Format::unsigned_integer;
  header.channels = 2;
  header.channel_bits = 32;
  header.width = 8;
  header.height = 4;
  const auto is_fault = [&](std::int64_t x, std::int64_t y, std::uint32_t bytes,
                            SurfaceBoundary boundary) {
    return is_misaligned_in_surface(header, x, y, 0, bytes, boundary);
  };
  for (const auto boundary :
       {SurfaceBoundary::trap, SurfaceBoundary::zero, SurfaceBoundary::clamp}) {
    const bool traps = boundary == SurfaceBoundary::trap;
    for (const std::int64_t x : {0, 4, 60}) EXPECT_FALSE(is_fault(x, 1, 4, boundary)) << x;
    for (const std::int64_t x : {1, 2, 3, 63}) EXPECT_TRUE(is_fault(x, 1, 4, boundary)) << x;
    EXPECT_TRUE(is_fault(4, 1, 8, boundary));
    EXPECT_TRUE(is_fault(8, 1, 16, boundary));
    EXPECT_FALSE(is_fault(2, 1, 2, boundary));
    for (const std::int64_t x : {-1, 65}) EXPECT_EQ(is_fault(x, 1, 4, boundary), !traps) << x;
    if (traps) {
      EXPECT_FALSE(is_fault(1, 9, 4, boundary));  // an illegal address
    }
    for (const std::int64_t x : {-4, 64}) EXPECT_FALSE(is_fault(x, 1, 4, boundary)) << x;
  }
}

}  // namespace
}  // namespace heddle::simulator
