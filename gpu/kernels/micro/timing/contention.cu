// The way to L2 and back when many ask: lines and sectors of scattered accesses, atomics by how
// many words and lines they meet on, what may be on the way before a warp is held, L1 hits on many
// lines, and data that lies on many pages.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o contention contention.cu && ./contention
#include "probe.h"

namespace {

using namespace timing;

constexpr std::size_t kMega = std::size_t{1} << 20;
constexpr int kRepeats = 3;
int sms = 0;

__device__ __forceinline__ unsigned next_random(unsigned x) { return x * 1664525u + 1013904223u; }

enum class Op { kLoad, kLoadPastL1, kStore, kRed };
template <Op op>
__device__ __forceinline__ unsigned access(char* at) {
  unsigned v = 0;
  if constexpr (op == Op::kLoad)
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
  if constexpr (op == Op::kLoadPastL1)
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
  if constexpr (op == Op::kStore)
    asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(0) : "memory");
  if constexpr (op == Op::kRed)
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(0) : "memory");
  return v;
}

// First and last clock of each SM's only block.
struct Spans {
  Buffer<long long> times;
  explicit Spans(int blocks) : times(std::size_t(blocks) * 2) {}
  // Mean over the blocks.
  double mean() const {
    finish();
    const auto t = times.read();
    double sum = 0;
    for (std::size_t i = 0; i < t.size(); i += 2) sum += double(t[i + 1] - t[i]);
    return sum / (double(t.size()) / 2);
  }
};

__device__ __forceinline__ void begin_span(long long* times) {
  __syncthreads();
  if (threadIdx.x == 0) times[2 * blockIdx.x] = clock_now();
  __syncthreads();
}
__device__ __forceinline__ void end_span(long long* times) {
  __syncthreads();
  if (threadIdx.x == 0) times[2 * blockIdx.x + 1] = clock_now();
}

// ---- scattered accesses
// ----------------------------------------------------------------------------

constexpr int kRounds = 64;

// A warp touches `lines` lines at a random place and `sectors` sectors of each.
template <Op op>
__global__ void scatter(char* data, unsigned mask, unsigned lines, unsigned sectors,
                        long long* times, unsigned* sink) {
  const unsigned lane = threadIdx.x % 32, of_line = 32 / lines;
  const unsigned offset =
      lane / of_line * 128 + lane % of_line % sectors * 32 + lane % of_line / sectors * 4 % 32;
  unsigned random = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 7919 + 1, all = 0;
  begin_span(times);
#pragma unroll 1
  for (int i = 0; i < kRounds; i += 4) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      random = next_random(random);
      all |= access<op>(data + ((random >> 8 << 7) & mask) + offset);
    }
  }
  if (all != 0) *sink = all;
  end_span(times);
}

template <Op op>
void scatters(const char* name, const Buffer<char>& data) {
  const Buffer<unsigned> sink(1);
  for (const int blocks : {1, sms})
    for (const int warps : {8, 32})
      for (const unsigned lines : {1u, 2u, 4u, 8u, 16u, 32u})
        for (const unsigned sectors : {1u, 2u, 4u}) {
          if (sectors * lines > 32) continue;
          const Spans spans(blocks);
          std::vector<double> samples;
          for (int i = 0; i < kRepeats; ++i) {
            scatter<op><<<blocks, warps * 32>>>(data.data(), (16 << 20) - 1, lines, sectors,
                                                spans.times.data(), sink.data());
            samples.push_back(spans.mean() / (warps * kRounds));
          }
          print(std::string("scatter.") + name + ".blocks" + std::to_string(blocks) + ".w" +
                    std::to_string(warps) + ".lines" + std::to_string(lines) + ".sectors" +
                    std::to_string(sectors),
                samples, "cycle");
        }
}

// ---- atomics by what they meet on
// ------------------------------------------------------------------

// Each lane at a random word of `words`.
__global__ void meet(unsigned* data, unsigned mask, long long* times) {
  unsigned random = (blockIdx.x * blockDim.x + threadIdx.x) * 7919 + 1;
  begin_span(times);
#pragma unroll 4
  for (int i = 0; i < kRounds; ++i) {
    random = next_random(random);
    access<Op::kRed>(reinterpret_cast<char*>(data + (random >> 8 & mask)));
  }
  __threadfence();
  end_span(times);
}

// `lanes` lanes at each word; the words lie `stride` bytes apart.
__global__ void share(char* data, unsigned lanes, unsigned stride, long long* times) {
  char* const at = data + threadIdx.x % 32 / lanes * stride;
  begin_span(times);
#pragma unroll 4
  for (int i = 0; i < kRounds; ++i) access<Op::kRed>(at);
  __threadfence();
  end_span(times);
}

void atomics(const Buffer<char>& data) {
  const int warps = 8;
  const Spans spans(sms);
  for (unsigned bytes = 32; bytes <= 4 << 20; bytes *= 2) {
    std::vector<double> samples;
    for (int i = 0; i < kRepeats; ++i) {
      meet<<<sms, warps * 32>>>(reinterpret_cast<unsigned*>(data.data()), bytes / 4 - 1,
                                spans.times.data());
      samples.push_back(spans.mean() / (warps * kRounds * sms));
    }
    print("meet.bytes" + std::to_string(bytes), samples, "cycle");
  }
  for (const unsigned stride : {4u, 32u, 128u, 256u, 512u, 1024u, 4096u})
    for (const unsigned lanes : {1u, 2u, 4u, 8u, 16u, 32u}) {
      std::vector<double> samples;
      for (int i = 0; i < kRepeats; ++i) {
        share<<<sms, warps * 32>>>(data.data(), lanes, stride, spans.times.data());
        samples.push_back(spans.mean() / (warps * kRounds * sms));
      }
      print("share.stride" + std::to_string(stride) + ".lanes" + std::to_string(lanes), samples,
            "cycle");
    }
}

// ---- what may be on the way
// ------------------------------------------------------------------------

// One warp of each SM, `count` accesses to one word or to its own lines, no more: cycles until the
// last has issued, and until the block would end.
template <Op op>
__global__ void pile(char* data, unsigned of_block, unsigned of_lane, int count, long long* times) {
  char* const at = data + blockIdx.x * of_block + threadIdx.x * of_lane;
  const long long begin = clock_now();
#pragma unroll 1
  for (int i = 0; i < count; ++i) access<op>(at);
  const long long end = clock_now();
  if (threadIdx.x == 0) times[2 * blockIdx.x] = begin, times[2 * blockIdx.x + 1] = end;
}

template <Op op>
void piles(const char* name, const Buffer<char>& data, unsigned of_block, unsigned of_lane) {
  const Spans spans(sms);
  for (const int count : {1, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512}) {
    std::vector<double> samples;
    for (int i = 0; i < kRepeats; ++i) {
      pile<op><<<sms, 32>>>(data.data(), of_block, of_lane, count, spans.times.data());
      samples.push_back(spans.mean());
    }
    print(std::string("pile.") + name + ".n" + std::to_string(count), samples, "cycle");
  }
}

// ---- L1 hits on many lines, banks apart
// ------------------------------------------------------------

template <int width>
__global__ void many_lines(const char* data, unsigned stride, long long* times, unsigned* sink) {
  const char* at = data + threadIdx.x % 32 * stride;
  unsigned zero = 0;
#pragma unroll 1
  for (int round = 0; round < 2; ++round) {
    begin_span(times);
#pragma unroll 1
    for (int i = 0; i < kRounds; i += 4) {
      unsigned v[4][4] = {};
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const char* const place = at + k * 8 * 4096 + zero;  // or the four would be merged
        if constexpr (width == 4)
          asm volatile("ld.global.u32 %0, [%1];" : "=r"(v[k][0]) : "l"(place) : "memory");
        if constexpr (width == 8)
          asm volatile("ld.global.v2.u32 {%0,%1}, [%2];"
                       : "=r"(v[k][0]), "=r"(v[k][1])
                       : "l"(place)
                       : "memory");
        if constexpr (width == 16)
          asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];"
                       : "=r"(v[k][0]), "=r"(v[k][1]), "=r"(v[k][2]), "=r"(v[k][3])
                       : "l"(place)
                       : "memory");
      }
#pragma unroll
      for (int k = 0; k < 4; ++k) zero |= v[k][0] | v[k][1] | v[k][2] | v[k][3];
    }
    end_span(times);
  }
  if (zero != 0) *sink = zero;
}

template <int width>
void lines_in_l1(const Buffer<char>& data) {
  const Buffer<unsigned> sink(1);
  for (const unsigned stride :
       {unsigned(width), 32u, 64u, 128u, 128u + width, 256u + width, 512u + width})
    for (const int warps : {1, 4, 16, 32}) {
      const Spans spans(1);
      std::vector<double> samples;
      for (int i = 0; i < kRepeats; ++i) {
        many_lines<width><<<1, warps * 32>>>(data.data(), stride, spans.times.data(), sink.data());
        samples.push_back(spans.mean() / (warps * kRounds));
      }
      print("many_lines.load" + std::to_string(width * 8) + ".stride" + std::to_string(stride) +
                ".w" + std::to_string(warps),
            samples, "cycle");
    }
}

// ---- pages
// -----------------------------------------------------------------------------------------

__global__ void read_all(const unsigned long long* data, std::size_t words,
                         unsigned long long* sink) {
  unsigned long long all = 0;
  for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < words;
       i += gridDim.x * blockDim.x)
    all |= __ldcg(data + i);
  if (all != 0) *sink = all;
}

// One word a thread; data in pieces, each on a page of its own. Blocks say where and when they
// were.
__global__ void stream(const char* data, unsigned piece, unsigned page, long long* times,
                       unsigned* where, unsigned* sink) {
  const std::size_t byte = std::size_t(blockIdx.x * blockDim.x + threadIdx.x) * 4;
  const long long begin = clock_now();
  unsigned v;
  asm volatile("ld.global.u32 %0, [%1];"
               : "=r"(v)
               : "l"(data + byte / piece * page + byte % piece)
               : "memory");
  if (v != 0) *sink = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    times[2 * blockIdx.x] = begin, times[2 * blockIdx.x + 1] = clock_now();
    where[blockIdx.x] = sm_id();
  }
}

void pages(const Buffer<char>& data) {
  constexpr int kThreads = 256;
  constexpr std::size_t kBytes = 8 * kMega;
  constexpr int kBlocks = kBytes / 4 / kThreads;
  const Buffer<unsigned long long> other(25 * kMega), sink(1);
  const Buffer<long long> times(2 * kBlocks);
  const Buffer<unsigned> where(kBlocks);
  for (const std::size_t piece : {2 * kMega, kMega / 2, kMega / 8, kMega / 32}) {
    std::vector<double> samples;
    for (int i = 0; i < kRepeats; ++i) {
      read_all<<<1024, 256>>>(other.data(), 25 * kMega, sink.data());
      stream<<<kBlocks, kThreads>>>(data.data(), unsigned(piece), unsigned(2 * kMega), times.data(),
                                    where.data(), reinterpret_cast<unsigned*>(sink.data()));
      finish();
      const auto t = times.read();
      const auto w = where.read();
      std::vector<long long> first(sms, -1), last(sms, 0);
      for (int block = 0; block < kBlocks; ++block) {
        long long& begin = first[w[block]];
        if (begin < 0 || t[2 * block] < begin) begin = t[2 * block];
        last[w[block]] = std::max(last[w[block]], t[2 * block + 1]);
      }
      double worst = 0;
      for (int sm = 0; sm < sms; ++sm) worst = std::max(worst, double(last[sm] - first[sm]));
      samples.push_back(worst);
    }
    print("pages.8MiB.piece" + std::to_string(piece / 1024) + "KiB", samples, "cycle");
  }
}

}  // namespace

int main() {
  print_header("contention");
  CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  const Buffer<char> data(520 * kMega);
  scatters<Op::kLoad>("load", data);
  scatters<Op::kLoadPastL1>("load_past_l1", data);
  scatters<Op::kStore>("store", data);
  scatters<Op::kRed>("red", data);
  atomics(data);
  piles<Op::kRed>("red.one_word", data, 0, 0);
  piles<Op::kRed>("red.one_line", data, 0, 4);
  piles<Op::kRed>("red.own_line", data, 128, 4);
  piles<Op::kRed>("red.own_lines", data, 4096, 128);
  piles<Op::kStore>("store.one_line", data, 0, 4);
  piles<Op::kStore>("store.own_line", data, 128, 4);
  piles<Op::kStore>("store.own_lines", data, 4096, 128);
  lines_in_l1<4>(data);
  lines_in_l1<8>(data);
  lines_in_l1<16>(data);
  pages(data);
}
