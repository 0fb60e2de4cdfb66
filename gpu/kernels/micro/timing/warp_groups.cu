// What products of warp groups, copies of tensors' boxes and the barriers between them take.
//
//   nvcc -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a -o warp_groups warp_groups.cu
//   ./warp_groups [QUESTION…]      beginnings of questions; default: all
#include "warp_group_probe.h"

namespace {

using namespace timing;

// ---- products

// `kCount` products in a row, then a wait; the second half of the rounds counts.
template <int kN, bool kFromRegisters, int kCount>
__global__ void products(long long* times, int rounds) {
  extern __shared__ __align__(1024) unsigned char shared[];
  const std::uint64_t a = matrix(shared + threadIdx.x / kGroup * 8192), b = matrix(shared + 65536);
  Product<kN, kFromRegisters> product = {};
  long long begin = 0, end = 0;
  __syncthreads();
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    if (round == rounds / 2) begin = clock_now();
    begin_products();
#pragma unroll
    for (int i = 0; i < kCount; ++i) product(a, b);
    commit_products();
    wait_for_products<0>();
  }
  end = clock_now();
  float sum = 0;
  for (const float each : product.d) sum += each;
  if (sum == 1.5f) times[1000] = 0;
  if (threadIdx.x == 0) times[blockIdx.x] = end - begin;
}

template <int kN>
void ask_products() {
  constexpr int kRounds = 64;
  const double share = 2.0 / kRounds;
  const std::string n = std::to_string(kN);
  for (int groups = 1; groups <= (kN == 256 ? 2 : 3); ++groups) {
    const std::string end = "." + n + ".g" + std::to_string(groups);
    const auto each = [&](const char* name, auto kernel) {
      ask(name + end, kernel, 1, groups * kGroup, 1, share, kRounds);
    };
    each("products.shared.x1", products<kN, false, 1>);
    each("products.shared.x2", products<kN, false, 2>);
    each("products.shared.x8", products<kN, false, 8>);
    each("products.registers.x1", products<kN, true, 1>);
    each("products.registers.x2", products<kN, true, 2>);
    each("products.registers.x8", products<kN, true, 8>);
  }
}

// Each group begins `kCount` products at the same time as the others. When its own are done.
template <int kN, int kCount>
__global__ void batches(long long* times, int rounds) {
  extern __shared__ __align__(1024) unsigned char shared[];
  const std::uint64_t at = matrix(shared);
  Product<kN, false> product;
  for (float& each : product.d) each = 0;
  long long took = 0;
  for (int i = 0; i < rounds; ++i) {  // the last one counts
    __syncthreads();
    const long long begin = clock_now();
    begin_products();
#pragma unroll
    for (int k = 0; k < kCount; ++k) product(at, at);
    commit_products();
    wait_for_products<0>();
    took = clock_now() - begin;
  }
  float sum = 0;
  for (const float each : product.d) sum += each;
  if (threadIdx.x % kGroup == 0)
    times[threadIdx.x / kGroup * gridDim.x + blockIdx.x] = took + (sum == 1 ? 1 : 0);
}

template <int kN>
void ask_batches() {
  const std::string columns = "." + std::to_string(kN);
  const auto each = [&](const std::string& name, auto kernel) {
    ask_parts(name + columns + ".g2", {"0", "1"}, kernel, Shape{1, 2 * kGroup}, 1, 3);
    ask_parts(name + columns + ".g3", {"0", "1", "2"}, kernel, Shape{1, 3 * kGroup}, 1, 3);
  };
  each("batch.x1", batches<kN, 1>);
  each("batch.x2", batches<kN, 2>);
  each("batch.x4", batches<kN, 4>);
  each("batch.x8", batches<kN, 8>);
}

// Four products of a round are on their way while those of the next one issue.
__global__ void overlapped(long long* times, int rounds) {
  extern __shared__ __align__(1024) unsigned char shared[];
  float sums[64];
  __syncthreads();
  const long long begin = clock_now();
  for (int round = 0; round < rounds; ++round) {
    begin_products();
    multiply_boxes<__nv_bfloat16>(sums, shared, shared + 65536, round > 0);
    commit_products();
    wait_for_products<1>();
  }
  wait_for_products<0>();
  const long long end = clock_now();
  float sum = 0;
  for (const float each : sums) sum += each;
  if (sum == 1.5f) times[1000] = 0;
  if (threadIdx.x == 0) times[blockIdx.x] = end - begin;
}

// Nothing to wait for.
__global__ void empty_waits(long long* times, int rounds) {
  const long long begin = clock_now();
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    begin_products();
    commit_products();
    wait_for_products<0>();
  }
  if (threadIdx.x == 0) times[blockIdx.x] = clock_now() - begin;
}

// ---- copies

// `copies` boxes of `bytes` each, to places one behind another, then a wait for all.
__global__ void loads(long long* times, const __grid_constant__ CUtensorMap map, int copies,
                      int bytes, int rows, int rounds, int spread) {
  extern __shared__ __align__(1024) unsigned char shared[];
  __shared__ std::uint64_t barrier;
  if (threadIdx.x != 0) return;
  make_barrier(&barrier, 1);
  publish_barriers();
  long long sum = 0;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    const long long begin = clock_now();
    expect_bytes(&barrier, unsigned(copies * bytes));
#pragma unroll 1
    for (int i = 0; i < copies; ++i)
      copy_box(shared + i * bytes, &map, &barrier, 0, int(blockIdx.x) * spread + i * rows);
    wait(&barrier, unsigned(round % 2));
    sum += clock_now() - begin;
  }
  times[blockIdx.x] = sum;
}

// A run of bytes that is no tensor's.
__global__ void bulk_loads(long long* times, const unsigned char* data, int copies, int bytes,
                           int rounds) {
  extern __shared__ __align__(1024) unsigned char shared[];
  __shared__ std::uint64_t barrier;
  if (threadIdx.x != 0) return;
  make_barrier(&barrier, 1);
  publish_barriers();
  long long sum = 0;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    const long long begin = clock_now();
    expect_bytes(&barrier, unsigned(copies * bytes));
#pragma unroll 1
    for (int i = 0; i < copies; ++i)
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
          "[%3];" ::"r"(shared_address(shared + i * bytes)),
          "l"(data + i * bytes), "r"(bytes), "r"(shared_address(&barrier))
          : "memory");
    wait(&barrier, unsigned(round % 2));
    sum += clock_now() - begin;
  }
  times[blockIdx.x] = sum;
}

// One block of a cluster brings boxes to all of them; all wait.
__global__ void multicast(long long* times, const __grid_constant__ CUtensorMap map, int copies,
                          int bytes, int rows, int rounds, int blocks) {
  extern __shared__ __align__(1024) unsigned char shared[];
  __shared__ std::uint64_t barrier;
  if (threadIdx.x == 0) {
    make_barrier(&barrier, 1);
    publish_barriers();
  }
  long long sum = 0;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    if (threadIdx.x == 0) expect_bytes(&barrier, unsigned(copies * bytes));
    meet_cluster();
    const long long begin = clock_now();
    if (threadIdx.x == 0) {
      if (rank_in_cluster() == 0)
#pragma unroll 1
        for (int i = 0; i < copies; ++i)
          copy_box_to_all(shared + i * bytes, &map, &barrier, 0, i * rows,
                          static_cast<unsigned short>((1 << blocks) - 1));
      wait(&barrier, unsigned(round % 2));
    }
    sum += clock_now() - begin;
    meet_cluster();
  }
  if (threadIdx.x == 0) times[blockIdx.x] = sum;
}

enum class Leaves { kStores, kAdds };
template <Leaves leaves, bool kReads>
__global__ void stores(long long* times, const __grid_constant__ CUtensorMap map, int copies,
                       int bytes, int rows, int rounds) {
  extern __shared__ __align__(1024) unsigned char shared[];
  if (threadIdx.x != 0) return;
  long long sum = 0;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    const long long begin = clock_now();
#pragma unroll 1
    for (int i = 0; i < copies; ++i)
      if (leaves == Leaves::kStores)
        store_box(&map, shared + i * bytes, 0, i * rows);
      else
        add_box(&map, shared + i * bytes, 0, i * rows);
    commit_stores();
    if (kReads)
      wait_for_reads();
    else
      wait_for_stores();
    sum += clock_now() - begin;
    wait_for_stores();
  }
  times[blockIdx.x] = sum;
}

// ---- barriers, registers

// Two warps by turns, each of which waits at a barrier for the other.
__global__ void handed(long long* times, int rounds) {
  __shared__ std::uint64_t barriers[2];
  if (threadIdx.x == 0) {
    for (auto& each : barriers) make_barrier(&each, 1);
    publish_barriers();
  }
  __syncthreads();
  const int own = int(threadIdx.x) / 32;
  const long long begin = clock_now();
  if (threadIdx.x % 32 == 0)
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
      if (own == 0) arrive(&barriers[1]);
      wait(&barriers[own], unsigned(round % 2));
      if (own == 1) arrive(&barriers[0]);
    }
  if (threadIdx.x == 0) times[blockIdx.x] = clock_now() - begin;
}

// The same between two blocks of a cluster.
__global__ void handed_over(long long* times, int rounds) {
  __shared__ std::uint64_t barrier;
  if (threadIdx.x == 0) {
    make_barrier(&barrier, 1);
    publish_barriers();
  }
  meet_cluster();
  const unsigned own = rank_in_cluster();
  const long long begin = clock_now();
  if (threadIdx.x == 0)
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
      if (own == 0) arrive_at_block(&barrier, 1);
      wait_for_cluster(&barrier, unsigned(round % 2));
      if (own == 1) arrive_at_block(&barrier, 0);
    }
  if (threadIdx.x == 0) times[blockIdx.x] = clock_now() - begin;
  meet_cluster();
}

// A barrier whose phase is over.
__global__ void over(long long* times, int rounds) {
  __shared__ std::uint64_t barrier;
  if (threadIdx.x != 0) return;
  make_barrier(&barrier, 1);
  publish_barriers();
  const long long begin = clock_now();
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) wait(&barrier, 1);
  times[blockIdx.x] = clock_now() - begin;
}

__global__ void __launch_bounds__(128, 1) registers(long long* times, int rounds) {
  const long long begin = clock_now();
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    give_registers_up<40>();
    take_registers<248>();
  }
  if (threadIdx.x == 0) times[blockIdx.x] = clock_now() - begin;
}

void ask_copies(unsigned char* data) {
  constexpr int kRounds = 16, kRows = 262144;
  constexpr double kShare = 1.0 / kRounds;
  // By width, rows and swizzle: one box, from L2.
  for (const auto& [swizzle, width] :
       {std::pair(0, 16), {0, 64}, {0, 128}, {0, 256}, {0, 512}, {1, 32}, {2, 64}, {3, 128}})
    for (const int rows : {1, 8, 32, 64, 128, 256}) {
      if (rows * width > 65536 || rows * width < 128) continue;
      const CUtensorMap map = map_of(data, swizzle, width, rows, kRows);
      ask("loads.s" + std::to_string(swizzle) + ".w" + std::to_string(width) + ".r" +
              std::to_string(rows),
          loads, 1, 32, 1, kShare, map, 1, rows * width, rows, kRounds, 0);
    }
  // By number and size, by one SM and by all.
  for (const int rows : {8, 64, 128})
    for (const int copies : {1, 2, 4, 8, 12}) {
      const CUtensorMap map = map_of(data, 3, 128, rows, kRows);
      for (const unsigned blocks : {1u, 132u})
        ask("many.r" + std::to_string(rows) + ".x" + std::to_string(copies) + ".b" +
                std::to_string(blocks),
            loads, blocks, 32, 1, kShare, map, copies, rows * 128, rows, kRounds, rows * copies);
    }
  for (const int bytes : {16, 128, 1024, 4096, 16384})
    for (const int copies : {1, 4})
      ask("bulk." + std::to_string(bytes) + ".x" + std::to_string(copies), bulk_loads, 1, 32, 1,
          kShare, static_cast<const unsigned char*>(data), copies, bytes, kRounds);
  for (const int blocks : {2, 4, 8})
    for (const int rows : {8, 64, 128})
      for (const int copies : {1, 4})
        ask("multicast.c" + std::to_string(blocks) + ".r" + std::to_string(rows) + ".x" +
                std::to_string(copies),
            multicast, unsigned(blocks), 32, blocks, kShare, map_of(data, 3, 128, rows, kRows),
            copies, rows * 128, rows, kRounds, blocks);
  for (const int rows : {8, 64, 128})
    for (const int copies : {1, 4}) {
      const CUtensorMap map = map_of(data, 3, 128, rows, kRows);
      const std::string end = ".r" + std::to_string(rows) + ".x" + std::to_string(copies);
      const auto each = [&](const char* name, auto kernel) {
        ask(name + end, kernel, 1, 32, 1, kShare, map, copies, rows * 128, rows, kRounds);
      };
      each("stores.read", stores<Leaves::kStores, true>);
      each("stores.done", stores<Leaves::kStores, false>);
      each("adds.read", stores<Leaves::kAdds, true>);
      each("adds.done", stores<Leaves::kAdds, false>);
    }
}

}  // namespace

int main(int argc, char** argv) {
  asked.assign(argv + 1, argv + argc);
  print_header("warp_groups");
  ask_products<8>();
  ask_products<32>();
  ask_products<64>();
  ask_products<128>();
  ask_products<256>();
  ask_batches<32>();
  ask_batches<64>();
  ask_batches<128>();
  for (const int rounds : {4, 16, 64})
    ask("overlapped.r" + std::to_string(rounds), overlapped, 1, kGroup, 1, 1.0 / rounds, rounds);
  ask("empty_waits", empty_waits, 1, kGroup, 1, 1.0 / 64, 64);
  Buffer<unsigned char> data(std::size_t{1} << 27);
  ask_copies(data.data());
  ask("handed", handed, 1, 64, 1, 1.0 / 64, 64);
  ask("handed_over", handed_over, 2, 32, 2, 1.0 / 64, 64);
  ask("over", over, 1, 32, 1, 1.0 / 64, 64);
  ask("registers", registers, 1, 128, 1, 1.0 / 64, 64);
}
