#include "simulator/timing/memory_system.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "simulator/models/gpu_model.hpp"

namespace heddle::simulator::timing {
namespace {

constexpr std::uint32_t kSms = 132, kGpcs = 8;

class WaysToL2 : public testing::Test {
 protected:
  // When what each of the SMs asks for at once is done, the last of `count` lines of its own.
  std::vector<Cycle> ask(const std::vector<std::uint32_t>& sms, Request::Kind kind, int count,
                         bool whole = true) {
    std::vector<Request> requests;
    for (int i = 0; i < count; ++i)
      for (const std::uint32_t sm : sms)
        requests.push_back({.time = 0,
                            .line = LineNumber{sm} * 4096 + static_cast<LineNumber>(i),
                            .sm = sm,
                            .kind = kind,
                            .sectors = SectorMask(whole ? 0xf : 0x1),
                            .outgoing = {.flits = static_cast<std::uint16_t>(whole ? 4 : 2),
                                         .partial = !whole,
                                         .whole_passes = std::uint8_t(whole ? 4 : 0),
                                         .half_passes = std::uint8_t(whole ? 0 : 1)}});
    std::vector<Request*> order;
    for (Request& request : requests) order.push_back(&request);
    memory_.start(false);  // what has been read is there
    memory_.serve(order);
    memory_.start(false);
    memory_.serve(order);
    std::vector<Cycle> done(kSms);
    for (const Request& request : requests)
      done[request.sm] = std::max(done[request.sm], request.done);
    return done;
  }
  static Cycle last(const std::vector<Cycle>& done) { return *std::ranges::max_element(done); }
  // The first `count` SMs of the GPC.
  static std::vector<std::uint32_t> of_gpc(std::uint32_t gpc, std::uint32_t count) {
    std::vector<std::uint32_t> sms;
    for (std::uint32_t i = 0; i < count; ++i) sms.push_back(gpc + i * kGpcs);
    return sms;
  }
  static std::vector<std::uint32_t> all() {
    std::vector<std::uint32_t> sms(kSms);
    for (std::uint32_t sm = 0; sm < kSms; ++sm) sms[sm] = sm;
    return sms;
  }

  const Constants constants_ = *gpu_model("h200").timing;
  MemorySystem memory_{constants_, gpu_model("h200").l2_bytes, kSms};
};

TEST_F(WaysToL2, SmsOfOneGpcWaitForOneAnothersSectors) {
  const Cycle of_one = last(ask(of_gpc(0, 16), Request::Kind::read, 64));
  const Cycle of_each =
      last(ask({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, Request::Kind::read, 64));
  EXPECT_GE(of_one,
            constants_.latency_l2_hit + 16 * 64 * 128 / constants_.gpc_read_bytes_per_cycle);
  EXPECT_LT(of_each, of_one - 60);
}

TEST_F(WaysToL2, SixSmsOfAGpcShareAWayForStores) {
  const Cycle together = last(ask(of_gpc(0, 6), Request::Kind::write, 64));
  const Cycle apart = last(ask({0, 1, 2, 3, 4, 5}, Request::Kind::write, 64));
  const Cycle two_ways = last(ask({0, 8, 16, 48, 56, 64}, Request::Kind::write, 64));
  EXPECT_GT(together, apart + 30);
  EXPECT_LT(two_ways, together);
}

TEST_F(WaysToL2, OneRequestBringsAWholeLineToSmsOfItsGpcThatAskSoonAfter) {
  const auto sectors_read = [&](std::uint32_t other_sm, Cycle later, SectorMask sectors = 0xf) {
    memory_.start(true);
    Request first{.time = 0, .line = 7, .sm = 0, .sectors = 0xf};
    Request second{.time = later, .line = 7, .sm = other_sm, .sectors = sectors};
    Request* both[] = {&first, &second};
    memory_.serve(both);
    EXPECT_GE(second.done, first.done);
    return memory_.traffic().l2_read.sectors;
  };
  const Cycle soon = constants_.gpc_join_cycles;
  EXPECT_EQ(sectors_read(kGpcs, 0), 4);
  EXPECT_EQ(sectors_read(kGpcs, soon), 4);
  EXPECT_EQ(sectors_read(kGpcs, soon + 1), 8);
  EXPECT_EQ(sectors_read(kGpcs, 0, 0x3), 6) << "a part of it";
  EXPECT_EQ(sectors_read(1, 0), 8) << "another GPC";
}

// ways.store_column.all of gpu/kernels/micro/timing/ways.cu: 77 cycles beside 116.
TEST_F(WaysToL2, FewSmsOnAWayEndBeforeSixWhenAllStore) {
  const std::vector<Cycle> done = ask(all(), Request::Kind::write, 64, false);
  const Cycle begin = constants_.latency_l2_hit;
  const Cycle of_six = done[7] - begin, of_four = done[7 + 12 * kGpcs] - begin;
  EXPECT_NEAR(double(of_four) / double(of_six), 77. / 116, 0.1);
}

TEST_F(WaysToL2, ALoneGpcSendsMoreThanItsShareOfWhatL2Takes) {
  const Cycle alone = last(ask(of_gpc(0, 16), Request::Kind::write, 64));
  const Cycle beside_others = ask(all(), Request::Kind::write, 64)[0];
  EXPECT_LT(alone - constants_.latency_l2_hit,
            (beside_others - constants_.latency_l2_hit) * 85 / 100);
}

}  // namespace
}  // namespace heddle::simulator::timing
