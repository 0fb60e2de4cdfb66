// What --trace accelsim writes of three sm_80 kernels, read back field by field.
#include "traces/formats/accelsim_trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "simulator/base/mapped_file.hpp"
#include "simulator/launch/observer.hpp"
#include "tests/scratch_folder.hpp"
#include "traces/formats/accelsim_launch.hpp"
#include "traces/formats/accelsim_reader.hpp"
#include "traces/tests/machine_kernels.hpp"

namespace heddle::traces {
namespace {

using simulator::Dim3;
using simulator::operator""_lanes;

struct ReadWarp {
  Dim3 block;
  std::uint32_t warp = 0;
  std::vector<AccelsimInstruction> instructions;
};

// All that a trace holds; opcodes point into the text.
AccelsimKernel read_all(std::string_view text, const std::string& origin,
                        const std::function<void(const ReadWarp&)>& warp) {
  AccelsimKernel kernel = read_accelsim_kernel(text, origin);
  for (const AccelsimBlock& block : kernel.blocks)
    for (const AccelsimWarp& each : block.warps) {
      ReadWarp read{block.index, each.warp, {}};
      AccelsimWarpReader reader(text, origin, kernel, each);
      for (AccelsimInstruction instruction; reader.next(instruction);)
        read.instructions.push_back(instruction);
      EXPECT_EQ(read.instructions.size(), each.instructions);
      warp(read);
    }
  return kernel;
}

// What a warp executed, kept as the trace tells it; passes everything on to the trace.
class Witness : public simulator::Observer {
 public:
  explicit Witness(simulator::Observer& trace) : trace_(trace) {}
  struct Seen {
    std::uint32_t pc;
    simulator::Mask on;
    std::uint32_t width = 0;
    simulator::Addresses address{};
  };
  void block_started(const simulator::CoreView& core, const simulator::BlockView& block) override {
    trace_.block_started(core, block);
  }
  void issued(const simulator::CoreView& core, const simulator::WarpView& warp,
              const simulator::Issue& issue) override {
    Seen seen{.pc = issue.pc, .on = issue.on};
    for (const simulator::Access& access : issue.accesses) {
      seen.width = access.width;
      for (const unsigned lane : access.lanes) seen.address[lane] = access.address[lane];
    }
    warps[{warp.block().index().x, warp.index()}].push_back(seen);
    trace_.issued(core, warp, issue);
  }
  void block_ended(const simulator::CoreView& core, const simulator::BlockView& block) override {
    trace_.block_ended(core, block);
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Seen>> warps;

 private:
  simulator::Observer& trace_;
};

class AccelsimTraceTest : public testing::Test {
 protected:
  void expect_read_back(const simulator::LaunchRequest& request) {
    std::optional<Witness> witness;
    {
      const auto trace =
          make_trace(trace_options({{"trace", "accelsim=" + folder_.path().string()}}));
      simulator::Observer* observer = trace->begin_launch(0, request, machine_.device.model());
      ASSERT_NE(observer, nullptr);
      simulator::LaunchOptions options;
      options.observer = &witness.emplace(*observer);
      const simulator::LaunchOutcome outcome = machine_.device.launch(request, options);
      ASSERT_FALSE(outcome.fault) << outcome.fault->message();
      trace->end_launch(outcome);
    }
    const auto kernels = read_accelsim_list(folder_ / "kernelslist.g");
    ASSERT_EQ(kernels.size(), 1u);
    const simulator::MappedFile file(kernels[0]);
    std::size_t warps = 0;
    const AccelsimKernel kernel =
        read_all(file.bytes(), kernels[0].string(), [&](const ReadWarp& warp) {
          ++warps;
          expect_same(warp, witness->warps.at({warp.block.x, warp.warp}));
        });
    EXPECT_EQ(warps, witness->warps.size());
    EXPECT_EQ(kernel.name, request.kernel->name);
    EXPECT_EQ(kernel.grid, request.grid);
    EXPECT_EQ(kernel.block, request.block);
    EXPECT_EQ(kernel.registers, request.kernel->registers);
    EXPECT_EQ(kernel.shared_bytes, request.kernel->static_shared_bytes);
    EXPECT_EQ(kernel.binary_version, 80u);
  }

  void expect_same(const ReadWarp& warp, const std::vector<Witness::Seen>& seen) {
    ASSERT_EQ(warp.instructions.size(), seen.size());
    Listing listing(machine_.module);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const AccelsimInstruction& read = warp.instructions[i];
      const Listing::Line& line = listing.at(seen[i].pc);
      const isa::Instruction& in = *machine_.module.program().instructions[seen[i].pc];
      EXPECT_EQ(read.pc, line.offset);
      EXPECT_EQ(read.lanes, seen[i].on) << line.text;
      EXPECT_THAT(line.text, testing::HasSubstr(std::string(read.opcode)));
      EXPECT_EQ(read.destinations.empty(), in.rd == isa::kRZ) << line.text;
      if (!read.destinations.empty()) {
        EXPECT_EQ(read.destinations[0], in.rd) << line.text;
      }
      for (const std::uint32_t source : read.sources)
        EXPECT_THAT(line.text, testing::HasSubstr("R" + std::to_string(source)));
      if (seen[i].on.empty()) continue;
      EXPECT_EQ(read.width, seen[i].width) << line.text;
      if (read.width != 0) ++accesses_;
      for (const unsigned lane : read.width != 0 ? read.lanes : simulator::Mask()) {
        EXPECT_EQ(read.address[lane], seen[i].address[lane]) << line.text << " lane " << lane;
      }
    }
  }

  MachineKernels machine_{"a100", "sm_80"};
  std::size_t accesses_ = 0;
  const tests::ScratchFolder folder_;
};

TEST_F(AccelsimTraceTest, OfBarriersAndSharedMemoryReadsBack) {
  expect_read_back(
      machine_.request("barrier_on_both_sides", {3, 1, 1}, {64, 1, 1}, machine_.zeros(256)));
  EXPECT_EQ(accesses_, 3u * 2 * 3);  // STS, LDS, STG of each warp
}

TEST_F(AccelsimTraceTest, OfAtomicsReadsBack) {
  expect_read_back(
      machine_.request("integer_atomics", {2, 1, 1}, {48, 1, 1}, machine_.zeros(4096)));
  EXPECT_GT(accesses_, 20u);
}

TEST_F(AccelsimTraceTest, OfLanesThatDivergeReadsBack) {
  expect_read_back(
      machine_.request("spin_lock", {2, 1, 1}, {64, 1, 1}, machine_.zeros(4), machine_.zeros(4)));
  EXPECT_GT(accesses_, 500u);
}

// The launch, timed, and the trace that was written meanwhile, timed. `off`: the part by which
// stalls may differ.
void expect_same_time(MachineKernels& machine, const std::filesystem::path& folder,
                      const simulator::LaunchRequest& request, double off = 0) {
  const auto trace = make_trace(trace_options({{"trace", "accelsim=" + folder.string()}}));
  simulator::LaunchOptions options;
  options.settings.timing.emplace();
  options.observer = trace->begin_launch(0, request, machine.device.model());
  const simulator::LaunchOutcome direct = machine.device.launch(request, options);
  ASSERT_FALSE(direct.fault) << direct.fault->message();
  trace->end_launch(direct);

  AccelsimLaunch launch(read_accelsim_list(folder / "kernelslist.g").at(0));
  launch.place_on(accelsim_gpu(launch.kernel().binary_version));
  options.observer = nullptr;
  simulator::timing::DeviceTime time;
  const simulator::LaunchOutcome read = launch.time(options, time);
  ASSERT_FALSE(read.fault) << read.fault->message();
  const auto cycles = [](const simulator::LaunchOutcome& outcome) {
    return static_cast<double>(outcome.timing->elapsed);
  };
  EXPECT_GT(cycles(direct), 1000);
  EXPECT_NEAR(cycles(read), cycles(direct), cycles(direct) / 100);
  for (std::size_t i = 0; i < simulator::timing::kStalls; ++i) {
    const auto expected = static_cast<double>(direct.timing->stalls[i]);
    EXPECT_NEAR(static_cast<double>(read.timing->stalls[i]), expected, off * expected)
        << stall_name(static_cast<simulator::timing::Stall>(i));
  }
  EXPECT_EQ(read.timing->issued, direct.timing->issued);
  EXPECT_EQ(read.timing->traffic.dram_sectors_read, direct.timing->traffic.dram_sectors_read);
  EXPECT_EQ(read.timing->traffic.l1_global_load.sectors,
            direct.timing->traffic.l1_global_load.sectors);
  EXPECT_EQ(read.counts.size(), direct.counts.size());
  for (const auto& [pc, counts] : direct.counts) {
    EXPECT_EQ(read.counts[pc].executed, counts.executed) << pc;
    EXPECT_EQ(read.counts[pc].threads_on, counts.threads_on) << pc;
    EXPECT_EQ(read.counts[pc].sectors_global, counts.sectors_global) << pc;
    EXPECT_EQ(read.counts[pc].wavefronts_shared, counts.wavefronts_shared) << pc;
  }
}

// As a trace of Accel-Sim's own tracer is: without code.
TEST_F(AccelsimTraceTest, WithoutCodeTakesAboutTheSameTime) {
  const std::vector<std::pair<const char*, std::uint32_t>> kernels{{"integer_atomics", 20},
                                                                   {"exit_before_barrier", 10}};
  for (const auto& [name, blocks] : kernels) {
    const auto folder = folder_ / name;
    const auto trace = make_trace(trace_options({{"trace", "accelsim=" + folder.string()}}));
    const auto request =
        machine_.request(name, {blocks, 1, 1}, {64, 1, 1}, machine_.zeros(1 << 17));
    simulator::LaunchOptions options;
    options.settings.timing.emplace();
    options.observer = trace->begin_launch(0, request, machine_.device.model());
    const simulator::LaunchOutcome direct = machine_.device.launch(request, options);
    ASSERT_FALSE(direct.fault) << direct.fault->message();
    trace->end_launch(direct);
    std::filesystem::remove(folder / "kernel-1.cubin");

    AccelsimLaunch launch(folder / "kernel-1.traceg");
    launch.place_on(simulator::gpu_model("a100"));
    options.observer = nullptr;
    simulator::timing::DeviceTime time;
    const simulator::LaunchOutcome read = launch.time(options, time);
    ASSERT_FALSE(read.fault) << read.fault->message();
    EXPECT_EQ(read.timing->issued, direct.timing->issued) << name;
    EXPECT_EQ(read.timing->traffic.l1_global_store.sectors,
              direct.timing->traffic.l1_global_store.sectors)
        << name;
    const auto cycles = static_cast<double>(direct.timing->elapsed);
    EXPECT_NEAR(static_cast<double>(read.timing->elapsed), cycles, cycles / 4) << name;
    EXPECT_THAT(read.unmodelled, testing::Contains(testing::HasSubstr("has no code")));
  }
}

TEST_F(AccelsimTraceTest, OfBarriersTakesTheSameTime) {
  expect_same_time(machine_, folder_.path(),
                   machine_.request("barrier_on_both_sides", {300, 1, 1}, {64, 1, 1},
                                    machine_.zeros(300 * 64 * 4)));
}

TEST_F(AccelsimTraceTest, OfAtomicsTakesTheSameTime) {
  expect_same_time(
      machine_, folder_.path(),
      machine_.request("integer_atomics", {20, 1, 1}, {48, 1, 1}, machine_.zeros(4096)));
}

TEST_F(AccelsimTraceTest, OfLanesThatDivergeTakesTheSameTime) {
  expect_same_time(
      machine_, folder_.path(),
      machine_.request("spin_lock", {2, 1, 1}, {64, 1, 1}, machine_.zeros(4), machine_.zeros(4)));
}

// A trace does not show each group that was set aside, of which some are searched for.
TEST_F(AccelsimTraceTest, OfCallsTakesTheSameTime) {
  expect_same_time(machine_, folder_.path(),
                   machine_.request("recursion", {10, 1, 1}, {64, 1, 1}, machine_.zeros(256)),
                   0.004);
}

TEST_F(AccelsimTraceTest, OfWarpsThatLeaveBeforeABarrierTakesTheSameTime) {
  expect_same_time(machine_, folder_.path(),
                   machine_.request("exit_before_barrier", {10, 1, 1}, {128, 1, 1},
                                    machine_.zeros(10 * 128 * 4)));
}

TEST_F(AccelsimTraceTest, RefusesAnArchitectureTheFormatHasNot) {
  MachineKernels hopper;
  const auto trace = make_trace(trace_options({{"trace", "accelsim=" + folder_.path().string()}}));
  const auto request =
      hopper.request("barrier_on_both_sides", {1, 1, 1}, {64, 1, 1}, hopper.zeros(256));
  EXPECT_THROW(trace->begin_launch(0, request, hopper.device.model()), std::runtime_error);
}

TEST(AccelsimAddresses, AreWrittenInTheShortestForm) {
  simulator::Addresses address{};
  for (unsigned lane = 0; lane < 32; ++lane) address[lane] = 0x1000 + 4 * lane;
  EXPECT_EQ(accelsim_addresses(0xffffffff_lanes, address), "1 0x0000000000001000 4");
  EXPECT_EQ(accelsim_addresses(0x000000f0_lanes, address), "1 0x0000000000001010 4");
  EXPECT_EQ(accelsim_addresses(0x00000105_lanes, address), "2 0x0000000000001000 8 24");
  address[1] = 0x10;
  EXPECT_EQ(accelsim_addresses(0x00000003_lanes, address), "1 0x0000000000001000 -4080");
  EXPECT_EQ(accelsim_addresses(0x00000007_lanes, address), "2 0x0000000000001000 -4080 4088");
}

constexpr const char* kHeader =
    "-kernel name = k\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n"
    "-nregs = 8\n-binary version = 80\n-enable lineinfo = 1\n-accelsim tracer version = 5\n#\n";

TEST(AccelsimReader, TakesEveryFormOfAddresses) {
  const std::string text = std::string(kHeader) +
                           "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 3\n"
                           "12 0010 00000005 1 R4 LDG.E 1 R2 4 0 0x100 0x200 7\n"
                           "13 0020 00000007 0 STG.E 2 R2 R4 4 1 0x100 8 0\n"
                           "14 0030 0000000b 1 R6 LDG.E.64 1 R2 8 2 0x100 16 -32 0\n#END_TB\n";
  std::vector<AccelsimInstruction> read;
  read_all(text, "x", [&](const ReadWarp& warp) { read = warp.instructions; });
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read[0].line, 12u);
  EXPECT_EQ(read[0].immediate, 7);
  EXPECT_EQ(read[0].address[2], 0x200u);
  EXPECT_EQ(read[1].address[2], 0x110u);
  EXPECT_EQ(read[2].address[1], 0x110u);
  EXPECT_EQ(read[2].address[3], 0xf0u);
}

TEST(AccelsimReader, ListsNoFileOutsideTheFolder) {
  const tests::ScratchFolder folder;
  const std::filesystem::path list = folder / "kernelslist.g";
  const auto error_of = [&](const std::string& line) -> std::string {
    std::ofstream(list) << "kernel-1.traceg\n" << line << "\n";
    try {
      read_accelsim_list(list);
    } catch (const std::runtime_error& bad) {
      return bad.what();
    }
    return "accepted";
  };
  EXPECT_EQ(error_of("kernel-2.traceg"), "accepted");
  for (const char* line : {"kernel/../../kernel.traceg", "kernel-1/2.traceg", "kernel/etc/passwd"})
    EXPECT_EQ(error_of(line), list.string() + ":2: a name that leads out of the folder") << line;
  EXPECT_THAT(error_of("kernel.sh"), testing::HasSubstr(":2: "));
}

TEST(AccelsimReader, SaysWhereATraceIsWrong) {
  const auto error_of = [](const std::string& body) -> std::string {
    try {
      read_all(kHeader + body, "t.traceg", [](const ReadWarp&) {});
    } catch (const std::runtime_error& bad) {
      return bad.what();
    }
    return "accepted";
  };
  const std::string begin = "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n";
  EXPECT_THAT(error_of("warp = 0\n"), testing::StartsWith("t.traceg:11: "));
  EXPECT_THAT(error_of(begin), testing::HasSubstr("instructions are missing"));
  for (const char* line :
       {"1 0010 f 3 R1 R2 R3 ADD 0 0 0", "1 0010 f 0 ADD 9 R1 0 0", "1 0010 f 0 ADD 0 4 3 0x1 0",
        "1 0010 fffffffff 0 ADD 0 0 0", "1 zz f 0 ADD 0 0 0", "1 0010 f 0 ADD 0 0 0 0",
        "1 0010 f 0 ADD 0 4 0 0x10 0x20 0"})
    EXPECT_THAT(error_of(begin + line + "\n#END_TB\n"), testing::StartsWith("t.traceg:15: "))
        << line;
  EXPECT_EQ(error_of(begin + "1 0010 f 0 ADD 0 0 0\n#END_TB\n"), "accepted");
}

}  // namespace
}  // namespace heddle::traces
