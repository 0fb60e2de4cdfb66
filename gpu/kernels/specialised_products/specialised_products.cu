// A product of matrices by warps with different work: the first warp group copies and gives its
// registers away, two others multiply 64 rows each. Two blocks of a cluster have the same columns;
// each brings half of B's box to both. Barriers hand stages of a ring to and fro.
//
//   specialised_products [M N K]       multiples of 256, 128 and 128; default 256 128 1024
#include "../common/whole_products.h"

constexpr int kColumns = 128, kStages = 4, kBlocks = 2, kGroups = 2;
constexpr int kBytesOfA = kGroupRows * kBoxWidth, kBytesOfB = kColumns * kBoxWidth;
constexpr int kStage = kGroups * kBytesOfA + kBytesOfB;

// Copies what the block needs, and half of what both need of B.
template <typename T>
__device__ void produce(const CUtensorMap* map_a, const CUtensorMap* map_b, unsigned char* boxes,
                        std::uint64_t* full, std::uint64_t* empty, int row, int column, int steps) {
  constexpr int kDepth = kBoxWidth / int(sizeof(T)), kHalf = kColumns / kBlocks;
  const int rank = int(rank_in_cluster());
  for (int step = 0; step < steps; ++step) {
    const int stage = step % kStages;
    unsigned char* const to = boxes + stage * kStage;
    wait_for_cluster(&empty[stage], (step / kStages + 1) % 2);
    expect_bytes(&full[stage], kStage);
    for (int group = 0; group < kGroups; ++group)
      copy_box(to + group * kBytesOfA, map_a, &full[stage], step * kDepth,
               row + group * kGroupRows);
    copy_box_to_all(to + kGroups * kBytesOfA + rank * kHalf * kBoxWidth, map_b, &full[stage],
                    step * kDepth, column + rank * kHalf, (1 << kBlocks) - 1);
  }
}

// One product is on its way while the stage of the one before is handed back, to both blocks.
template <typename T>
__device__ void consume(float (&sums)[64], const unsigned char* boxes, std::uint64_t* full,
                        std::uint64_t* empty, int group, int steps) {
  const auto hand_back = [&](int stage) {
    if (threadIdx.x % kGroup < kBlocks) arrive_at_block(&empty[stage], threadIdx.x % kGroup);
  };
  for (int step = 0; step < steps; ++step) {
    const int stage = step % kStages;
    const unsigned char* const from = boxes + stage * kStage;
    wait(&full[stage], step / kStages % 2);
    begin_products();
    multiply_boxes<T>(sums, from + group * kBytesOfA, from + kGroups * kBytesOfA, step > 0);
    commit_products();
    wait_for_products<1>();
    if (step > 0) hand_back((step - 1) % kStages);
  }
  wait_for_products<0>();
}

template <typename T>
__global__ void __cluster_dims__(kBlocks, 1, 1) __launch_bounds__(3 * kGroup, 1)
    specialised(const __grid_constant__ CUtensorMap map_a,
                const __grid_constant__ CUtensorMap map_b, float* c, int columns, int k) {
  extern __shared__ __align__(1024) unsigned char boxes[];
  __shared__ std::uint64_t full[kStages], empty[kStages];
  const int row = int(blockIdx.x) * kGroups * kGroupRows, column = int(blockIdx.y) * kColumns;
  const int steps = k * int(sizeof(T)) / kBoxWidth;
  if (threadIdx.x == 0) {
    for (std::uint64_t& each : full) make_barrier(&each, 1);
    for (std::uint64_t& each : empty) make_barrier(&each, kGroups * kBlocks);
    publish_barriers();
  }
  meet_cluster();
  if (threadIdx.x < kGroup) {
    give_registers_up<40>();
    if (threadIdx.x == 0) produce<T>(&map_a, &map_b, boxes, full, empty, row, column, steps);
  } else {
    take_registers<232>();
    const int group = int(threadIdx.x) / kGroup - 1;
    float sums[64];
    consume<T>(sums, boxes, full, empty, group, steps);
    store_sums(sums, c, columns, row + group * kGroupRows, column);
  }
  meet_cluster();  // nobody leaves while others arrive at its barriers
}

template <typename T>
void multiply_matrices(int m, int n, int k, const char* what, Verdict& verdict) {
  Matrices<T> matrices(m, n, k);
  constexpr int kShared = kStages * kStage;
  CHECK(cudaFuncSetAttribute(specialised<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  specialised<T>
      <<<dim3(unsigned(m / (kGroups * kGroupRows)), unsigned(n / kColumns)), 3 * kGroup, kShared>>>(
          matrices.map_a(kGroupRows), matrices.map_b(kColumns / kBlocks), matrices.c.data(), n, k);
  verdict.expect(matrices.wrong_sums() == 0, what);
}

int main(int argc, char** argv) {
  const int m = int(argument(argc, argv, 1, 256, 256, 4096)) / 256 * 256;
  const int n = int(argument(argc, argv, 2, 128, 128, 4096)) / 128 * 128;
  const int k = int(argument(argc, argv, 3, 1024, 128, 8192)) / 128 * 128;
  Verdict verdict;
  multiply_matrices<__nv_bfloat16>(m, n, k, "products of bf16", verdict);
  multiply_matrices<__nv_fp8_e4m3>(m, n, k, "products of e4m3", verdict);
  return verdict.finish();
}
