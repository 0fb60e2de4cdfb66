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
  // The first `count` SMs of the GPC, and of a CPC of it.
  std::vector<std::uint32_t> of_gpc(std::uint32_t gpc, std::uint32_t count) const {
    std::vector<std::uint32_t> sms;
    for (std::uint32_t sm = 0; sm < kSms && sms.size() < count; ++sm)
      if (places_[sm].gpc == gpc) sms.push_back(sm);
    return sms;
  }
  std::vector<std::uint32_t> of_cpc(std::uint32_t gpc, std::uint32_t cpc,
                                    std::uint32_t count) const {
    std::vector<std::uint32_t> sms;
    for (std::uint32_t sm = 0; sm < kSms && sms.size() < count; ++sm)
      if (places_[sm].gpc == gpc && places_[sm].cpc == cpc) sms.push_back(sm);
    return sms;
  }
  // `count` SMs of each GPC.
  std::vector<std::uint32_t> of_each_gpc(std::uint32_t count) const {
    std::vector<std::uint32_t> sms;
    for (std::uint32_t gpc = 0; gpc < kGpcs; ++gpc)
      for (const std::uint32_t sm : of_gpc(gpc, count)) sms.push_back(sm);
    return sms;
  }
  static std::vector<std::uint32_t> all() {
    std::vector<std::uint32_t> sms(kSms);
    for (std::uint32_t sm = 0; sm < kSms; ++sm) sms[sm] = sm;
    return sms;
  }

  const Constants constants_ = *gpu_model("h200").timing;
  const std::vector<SmPlace> places_ = sm_places(constants_, kSms);
  MemorySystem memory_{constants_, gpu_model("h200").l2_bytes, kSms};
};

TEST_F(WaysToL2, SmsOfOneGpcWaitForOneAnothersSectors) {
  const Cycle of_one = last(ask(of_gpc(0, 16), Request::Kind::read, 64));
  const Cycle of_each = last(ask(of_each_gpc(2), Request::Kind::read, 64));
  EXPECT_GE(of_one,
            constants_.latency_l2_hit + 16 * 64 * 128 / constants_.gpc_read_bytes_per_cycle);
  EXPECT_LT(of_each, of_one - 60);
}

TEST_F(WaysToL2, SixSmsOfAGpcShareAWayForStores) {
  const Cycle together = last(ask(of_cpc(0, 0, 6), Request::Kind::write, 64));
  const Cycle apart = last(ask(of_each_gpc(1), Request::Kind::write, 64));
  std::vector<std::uint32_t> on_two = of_cpc(0, 0, 3);
  for (const std::uint32_t sm : of_cpc(0, 1, 3)) on_two.push_back(sm);
  const Cycle two_ways = last(ask(on_two, Request::Kind::write, 64));
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
  EXPECT_EQ(sectors_read(1, 0), 4);
  EXPECT_EQ(sectors_read(1, soon), 4);
  EXPECT_EQ(sectors_read(1, soon + 1), 8);
  EXPECT_EQ(sectors_read(1, 0, 0x3), 6) << "a part of it";
  EXPECT_EQ(sectors_read(of_gpc(1, 1)[0], 0), 8) << "another GPC";
}

// ways.store_column.all of gpu/kernels/micro/timing/ways.cu: 77 cycles beside 116.
TEST_F(WaysToL2, FewSmsOnAWayEndBeforeSixWhenAllStore) {
  const std::vector<Cycle> done = ask(all(), Request::Kind::write, 512, false);
  // GPCs 2 to 7 have 16 SMs.
  const auto mean_of = [&](std::uint32_t cpc) {
    double sum = 0, count = 0;
    for (std::uint32_t sm = 0; sm < kSms; ++sm)
      if (places_[sm].gpc >= 2 && places_[sm].cpc == cpc)
        sum += double(done[sm] - constants_.latency_l2_hit), ++count;
    return sum / count;
  };
  const double of_six = mean_of(0), of_four = mean_of(2);
  EXPECT_NEAR(of_four / of_six, 77. / 116, 0.15);
}

TEST_F(WaysToL2, ALoneGpcSendsMoreThanItsShareOfWhatL2Takes) {
  const Cycle alone = last(ask(of_gpc(0, 16), Request::Kind::write, 64));
  const Cycle beside_others = ask(all(), Request::Kind::write, 64)[0];
  EXPECT_LT(alone - constants_.latency_l2_hit,
            (beside_others - constants_.latency_l2_hit) * 85 / 100);
}

}  // namespace
}  // namespace heddle::simulator::timing
