#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "simulator/models/gpu_model.hpp"
#include "simulator/timing/memory_system.hpp"

namespace heddle::simulator::timing {
namespace {

constexpr std::uint32_t kSms = 132;
constexpr unsigned kFlitsOfLine = 4;
constexpr std::uint64_t kKilo = 1000;

// What work.*.far and sides.* of gpu/kernels/micro/timing/halves.cu ask, of the memory system.
class HalvesOfL2 : public testing::Test {
 protected:
  Request of(std::uint32_t sm, LineNumber line, Request::Kind kind) const {
    return {.line = line,
            .sm = sm,
            .kind = kind,
            .sectors = 0xf,
            .outgoing = {.flits = kFlitsOfLine, .whole_passes = kFlitsOfLine}};
  }
  void serve(std::vector<Request>& requests) {
    std::vector<Request*> order;
    for (Request& request : requests) order.push_back(&request);
    memory_.serve(order);
  }
  // SMs that are near to a half.
  std::vector<std::uint32_t> near_to(unsigned half) const {
    std::vector<std::uint32_t> sms;
    const auto places = sm_places(constants_, kSms);
    for (std::uint32_t sm = 0; sm < kSms; ++sm)
      if (near_half_of(constants_, places[sm].gpc) == half) sms.push_back(sm);
    return sms;
  }
  // Lines that are at home in the half that is near to SMs of the other one.
  std::vector<LineNumber> far_lines(unsigned half, LineNumber from, std::size_t count) {
    const std::uint32_t sm = near_to(half)[0], other = near_to(1 - half)[0];
    std::vector<LineNumber> lines;
    for (LineNumber line = from; lines.size() < count; ++line)
      if (cycles_of_store(sm, line) > cycles_of_store(other, line) + constants_.l2_distance)
        lines.push_back(line);
    return lines;
  }
  // When the last read by SMs of one half is done. The lines are in the far half alone, or in the
  // near one. SMs of the half that `storing` names store to lines far from them meanwhile.
  enum class Storing { none, same_half, other_half };
  Cycle last_read(bool far, Storing storing) {
    constexpr std::uint32_t kLines = 2048;
    const unsigned storing_half = storing == Storing::other_half ? 1 : 0;
    const std::vector<std::uint32_t> readers = near_to(0), writers = near_to(storing_half);
    const auto read = far_lines(far ? 0 : 1, 0, kLines);
    const auto stored = far_lines(storing_half, 1 << 20, kLines);
    memory_.start(true);
    std::vector<Request> brought, all;
    for (const LineNumber line : read) brought.push_back(of(0, line, Request::Kind::prefetch));
    serve(brought);
    memory_.start(false);
    for (std::uint32_t i = 0; i < kLines && storing != Storing::none; ++i)
      all.push_back(of(writers[i % writers.size()], stored[i], Request::Kind::write));
    for (std::uint32_t i = 0; i < kLines; ++i)
      all.push_back(of(readers[i % readers.size()], read[i], Request::Kind::read));
    serve(all);
    Cycle last = 0;
    for (const Request& each : all)
      if (each.kind == Request::Kind::read) last = std::max(last, each.done);
    return last;
  }

  const Constants constants_ = *gpu_model("h200").timing;
  MemorySystem memory_{constants_, gpu_model("h200").l2_bytes, kSms};
  const Cycle crossing_ = 2048 * kFlitsOfLine * kKilo / constants_.l2_far_flits_per_kilocycle;

 private:
  Cycle cycles_of_store(std::uint32_t sm, LineNumber line) {
    constexpr Cycle kApart = 1000;
    std::vector<Request> one{of(sm, line, Request::Kind::write)};
    one[0].time = asked_ += kApart;
    serve(one);
    return one[0].done - one[0].time;
  }
  Cycle asked_ = 0;
};

TEST_F(HalvesOfL2, LinesOfTheFarHalfCrossOneBehindTheOther) {
  EXPECT_LT(last_read(false, Storing::none), constants_.latency_l2_hit + crossing_);
  EXPECT_GE(last_read(true, Storing::none),
            constants_.latency_l2_hit + constants_.latency_l2_far_extra + crossing_ - 4);
}

TEST_F(HalvesOfL2, StoresTakeTheWayOfReadsThatGoInTheirDirection) {
  const Cycle alone = last_read(true, Storing::none);
  EXPECT_GT(last_read(true, Storing::other_half), alone + crossing_ - 60);
  EXPECT_LT(last_read(true, Storing::same_half), alone + crossing_ / 4);
}

}  // namespace
}  // namespace heddle::simulator::timing
