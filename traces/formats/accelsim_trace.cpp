#include "traces/formats/accelsim_trace.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "simulator/base/file.hpp"
#include "simulator/launch/observer.hpp"
#include "simulator/memory/address_space.hpp"
#include "traces/formats/accelsim_replay.hpp"

namespace heddle::traces {
namespace {

using simulator::CoreView;
using simulator::Issue;
using simulator::Mask;
using simulator::WarpView;

bool accelsim_takes(isa::Arch arch) {
  switch (arch) {
    case isa::Arch::sm_75:
    case isa::Arch::sm_80:
    case isa::Arch::sm_86:
      return true;
    case isa::Arch::sm_89:
    case isa::Arch::sm_90:
    case isa::Arch::sm_100:
    case isa::Arch::sm_103:
    case isa::Arch::sm_110:
    case isa::Arch::sm_120:
    case isa::Arch::sm_121:
      break;
  }
  return false;
}

unsigned binary_version(isa::Arch arch) {
  if (accelsim_takes(arch)) return static_cast<unsigned>(isa::sm_number(arch));
  std::vector<std::string> names, gpus;
  for (const isa::Arch each : isa::kAllArchs) {
    if (!accelsim_takes(each)) continue;
    names.emplace_back(isa::name(each));
    gpus.push_back(simulator::accelsim_model(each)->id);
  }
  const auto joined = [](std::vector<std::string>& words, std::string_view last) {
    const std::string end = std::move(words.back());
    words.pop_back();
    return fmt::format("{}{}{}", fmt::join(words, ", "), last, end);
  };
  throw std::runtime_error(
      fmt::format("--trace accelsim: Accel-Sim takes {}, and this is {} (--gpu {})",
                  joined(names, " and "), isa::name(arch), joined(gpus, " or ")));
}

// "N R1 R2 …": registers of the vector file, RZ left out, at most four.
std::string source_text(const isa::Instruction& in) {
  constexpr unsigned kMost = 4;
  std::string text;
  unsigned count = 0;
  for (const isa::Source& source : {in.a, in.b, in.c})
    if (source.kind == isa::Source::Kind::reg && source.index != isa::kRZ && count < kMost) {
      text += fmt::format(" R{}", source.index);
      ++count;
    }
  return fmt::format("{}{}", count, text);
}

std::int64_t immediate_of(const isa::Instruction& in) {
  for (const isa::Source& source : {in.a, in.b, in.c})
    if (source.kind == isa::Source::Kind::imm) return static_cast<std::int32_t>(source.value);
  return 0;
}

// "WIDTH MODE ADDRESSES", or "0". A generic access may be several, of different lanes; of a copy
// from global to shared memory the first one counts.
std::string access_text(const Issue& issue) {
  if (issue.accesses.empty() || issue.on.empty()) return "0";
  simulator::Addresses address{};
  Mask lanes;
  for (const simulator::Access& access : issue.accesses)
    for (const unsigned lane : access.lanes & ~lanes) {
      address[lane] = access.address[lane];
      lanes |= Mask::of(lane);
    }
  // The reader expects an address for every lane of the line's mask.
  if (lanes != issue.on) return "0";
  return fmt::format("{} {}", issue.accesses.front().width, accelsim_addresses(lanes, address));
}

}  // namespace

std::string accelsim_addresses(Mask lanes, const simulator::Addresses& address) {
  const auto first = lanes.first();
  std::string differences;
  std::int64_t stride = 0;
  bool even = true;
  unsigned last = first;
  for (const unsigned lane : lanes.without_first()) {
    const auto difference = static_cast<std::int64_t>(address[lane] - address[last]);
    if (last == first) stride = difference;
    even = even && difference == stride;
    differences += fmt::format(" {}", difference);
    last = lane;
  }
  if (lanes.is_run() && even) return fmt::format("1 {:#018x} {}", address[first], stride);
  return fmt::format("2 {:#018x}{}", address[first], differences);
}

AccelsimTrace::AccelsimTrace(const TraceOptions& options)
    : options_(options), kernels_(options.kernel), folder_(options.file) {
  if (options.file.empty())
    throw std::invalid_argument("--trace: accelsim needs a folder: accelsim=FOLDER");
  std::filesystem::create_directories(folder_);
  simulator::StreamFile(folder_ / "kernelslist.g");  // emptied
}

simulator::Observer* AccelsimTrace::begin_launch(std::uint64_t,
                                                 const simulator::LaunchRequest& request,
                                                 const simulator::GpuModel&) {
  if (!kernels_.matches(request.kernel->name)) return nullptr;
  binary_version(request.module->program().arch);
  const std::string name = fmt::format("kernel-{}.traceg", ++kernels_written_);
  file_ = std::make_unique<simulator::StreamFile>(folder_ / name);
  listing_.emplace(*request.module);
  blocks_.clear();
  write_header(request);
  write_code(*request.module);
  simulator::StreamFile list(folder_ / "kernelslist.g", simulator::StreamFile::Start::append);
  list.write(name + "\n");
  list.flush();
  list.check();
  return this;
}

void AccelsimTrace::write_header(const simulator::LaunchRequest& request) {
  const isa::Kernel& kernel = *request.kernel;
  const auto dim = [](const simulator::Dim3& size) {
    return fmt::format("({},{},{})", size.x, size.y, size.z);
  };
  file_->write(fmt::format(
      "-kernel name = {}\n-kernel id = {}\n-grid dim = {}\n-block dim = {}\n"
      "-shmem = {}\n-nregs = {}\n-binary version = {}\n-cuda stream id = 0\n"
      "-shmem base_addr = {:#018x}\n-local mem base_addr = {:#018x}\n"
      "-nvbit version = none (Heddle)\n-accelsim tracer version = 5\n"
      "-enable lineinfo = 0\n\n"
      "#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
      "[adrrescompress?] [mem_addresses] immediate\n\n",
      simulator::visible(kernel.name), kernels_written_, dim(request.grid), dim(request.block),
      kernel.static_shared_bytes + request.dynamic_shared_bytes, kernel.registers,
      binary_version(request.module->program().arch), simulator::kSharedWindow,
      simulator::kLocalWindow));
}

// kernel-N.cubin: once, with as many names as launches of it.
void AccelsimTrace::write_code(const simulator::Module& module) {
  const std::filesystem::path code = folder_ / fmt::format("kernel-{}.cubin", kernels_written_);
  std::filesystem::remove(code);
  const auto [written, is_new] = code_written_.try_emplace(module.code_sha256(), code);
  std::error_code refused;
  if (!is_new) std::filesystem::create_hard_link(written->second, code, refused);
  if (is_new || refused) {
    const std::vector<std::byte>& bytes = module.cubin_bytes();
    simulator::write_file(code, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
}

void AccelsimTrace::end_launch(const simulator::LaunchOutcome&) {
  blocks_.clear();
  listing_.reset();
  file_->flush();
  file_->check();
  file_.reset();
}

void AccelsimTrace::block_started(const CoreView&, const simulator::BlockView& block) {
  blocks_[block.linear()].resize(block.warps());
}

void AccelsimTrace::issued(const CoreView& core, const WarpView& warp, const Issue& issue) {
  if (!options_.blocks.contains(warp.block().linear())) return;
  const simulator::MicroOp& step = core.instruction(issue.pc);
  if (step.instruction == nullptr) return;
  const isa::Instruction& in = *step.instruction;
  const Listing::Line& line = listing_->at(issue.pc);
  const bool in_kernel = line.function == core.request().kernel->name;
  const std::uint64_t pc =
      in_kernel ? line.offset : kAccelsimFunctions + std::uint64_t{16} * issue.pc;
  WarpLines& lines = blocks_[warp.block().linear()][warp.index()];
  ++lines.count;
  lines.text += fmt::format("{:04x} {:08x} {} {} {} {} {}\n", pc, issue.on.bits(),
                            in.rd != isa::kRZ ? fmt::format("1 R{}", in.rd) : "0", line.opcode,
                            source_text(in), access_text(issue), immediate_of(in));
}

void AccelsimTrace::block_ended(const CoreView&, const simulator::BlockView& block) {
  const auto found = blocks_.find(block.linear());
  if (found == blocks_.end()) return;
  if (options_.blocks.contains(block.linear())) {
    file_->write(fmt::format("#BEGIN_TB\n\nthread block = {},{},{}\n\n", block.index().x,
                             block.index().y, block.index().z));
    for (std::size_t warp = 0; warp < found->second.size(); ++warp) {
      file_->write(fmt::format("warp = {}\ninsts = {}\n{}\n", warp, found->second[warp].count,
                               found->second[warp].text));
    }
    file_->write("#END_TB\n\n");
  }
  blocks_.erase(found);
}

}  // namespace heddle::traces
