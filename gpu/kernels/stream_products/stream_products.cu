// A product of matrices by blocks that stay (stream-K): all steps of all tiles are one line, of
// which each block takes an equal piece, so that it may begin and end within a tile. Tiles it has
// alone are stored, others added to what is there, both by the copy engine. The first warp group of
// a block copies, two others multiply.
//
//   stream_products [M N K BLOCKS]       multiples of 128, 128 and 128; default 256 256 512 3
#include "../common/whole_products.h"

constexpr int kColumns = 128, kStages = 4, kGroups = 2, kSumsWidth = 32;
constexpr int kBytesOfA = kGroupRows * kBoxWidth, kBytesOfB = kColumns * kBoxWidth;
constexpr int kStage = kGroups * kBytesOfA + kBytesOfB;
constexpr int kBytesOfSums = kGroupRows * kBoxWidth;  // a box of 32 columns
constexpr int kShared = kStages * kStage + kGroups * kColumns / kSumsWidth * kBytesOfSums;

// A block's piece, and the tiles that it meets on the way.
struct Piece {
  int first, last, steps, tiles_across;
  __device__ Piece(int tiles_down, int tiles_across_, int steps_)
      : steps(steps_), tiles_across(tiles_across_) {
    const int all = tiles_down * tiles_across * steps;
    first = int(std::int64_t(all) * blockIdx.x / gridDim.x);
    last = int(std::int64_t(all) * (blockIdx.x + 1) / gridDim.x);
  }
  __device__ int row(int at) const { return at / steps / tiles_across * kGroups * kGroupRows; }
  __device__ int column(int at) const { return at / steps % tiles_across * kColumns; }
  __device__ int end_of_tile(int at) const { return min(last, (at / steps + 1) * steps); }
};

template <typename T>
__device__ void produce(const CUtensorMap* map_a, const CUtensorMap* map_b, unsigned char* boxes,
                        std::uint64_t* full, std::uint64_t* empty, const Piece& piece) {
  constexpr int kDepth = kBoxWidth / int(sizeof(T));
  for (int at = piece.first; at < piece.last; ++at) {
    const int number = at - piece.first, stage = number % kStages;
    const int k = at % piece.steps * kDepth;
    unsigned char* const to = boxes + stage * kStage;
    wait(&empty[stage], (number / kStages + 1) % 2);
    expect_bytes(&full[stage], kStage);
    for (int group = 0; group < kGroups; ++group)
      copy_box(to + group * kBytesOfA, map_a, &full[stage], k, piece.row(at) + group * kGroupRows);
    copy_box(to + kGroups * kBytesOfA, map_b, &full[stage], k, piece.column(at));
  }
}

// The group's sums to four boxes in shared memory, swizzled as the copy engine wants them, and on.
__device__ void leave_sums(const float (&sums)[64], unsigned char* boxes, const CUtensorMap* map_c,
                           int group, int row, int column, bool is_whole) {
  const bool leads = threadIdx.x % kGroup == 0;
  if (leads) wait_for_reads();  // of the tile before
  meet_group(1 + group);
  for (int i = 0; i < 64; i += 2) {
    const int r = row_of_sum(i), at = column_of_sum(i), box = at / kSumsWidth;
    const int chunk = at % kSumsWidth / 4 ^ r % 8;
    unsigned char* const to = boxes + box * kBytesOfSums + r * kBoxWidth + chunk * 16 + at % 4 * 4;
    *reinterpret_cast<float2*>(to) = make_float2(sums[i], sums[i + 1]);
  }
  show_to_copies();
  meet_group(1 + group);
  if (!leads) return;
  for (int box = 0; box < kColumns / kSumsWidth; ++box) {
    const unsigned char* const from = boxes + box * kBytesOfSums;
    const int at = column + box * kSumsWidth;
    is_whole ? store_box(map_c, from, at, row) : add_box(map_c, from, at, row);
  }
  commit_stores();
}

template <typename T>
__device__ void consume(const unsigned char* boxes, unsigned char* of_sums,
                        const CUtensorMap* map_c, std::uint64_t* full, std::uint64_t* empty,
                        const Piece& piece, int group) {
  for (int at = piece.first; at < piece.last;) {
    const int begin = at, end = piece.end_of_tile(at);
    float sums[64];
    for (; at < end; ++at) {
      const int number = at - piece.first, stage = number % kStages;
      const unsigned char* const from = boxes + stage * kStage;
      wait(&full[stage], number / kStages % 2);
      begin_products();
      multiply_boxes<T>(sums, from + group * kBytesOfA, from + kGroups * kBytesOfA, at > begin);
      commit_products();
      wait_for_products<0>();
      if (threadIdx.x % kGroup == 0) arrive(&empty[stage]);
    }
    leave_sums(sums, of_sums, map_c, group, piece.row(begin) + group * kGroupRows,
               piece.column(begin), end - begin == piece.steps);
  }
  if (threadIdx.x % kGroup == 0) wait_for_stores();
}

template <typename T>
__global__ void __launch_bounds__(3 * kGroup, 1)
    streamed(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
             const __grid_constant__ CUtensorMap map_c, int m, int n, int k) {
  extern __shared__ __align__(1024) unsigned char boxes[];
  __shared__ std::uint64_t full[kStages], empty[kStages];
  const Piece piece(m / (kGroups * kGroupRows), n / kColumns, k * int(sizeof(T)) / kBoxWidth);
  if (threadIdx.x == 0) {
    for (std::uint64_t& each : full) make_barrier(&each, 1);
    for (std::uint64_t& each : empty) make_barrier(&each, kGroups);
    publish_barriers();
  }
  __syncthreads();
  if (threadIdx.x < kGroup) {
    give_registers_up<40>();
    if (threadIdx.x == 0) produce<T>(&map_a, &map_b, boxes, full, empty, piece);
  } else {
    take_registers<232>();
    const int group = int(threadIdx.x) / kGroup - 1;
    unsigned char* const of_sums =
        boxes + kStages * kStage + group * (kColumns / kSumsWidth) * kBytesOfSums;
    consume<T>(boxes, of_sums, &map_c, full, empty, piece, group);
  }
}

template <typename T>
void multiply_matrices(int m, int n, int k, int blocks, const char* what, Verdict& verdict) {
  Matrices<T> matrices(m, n, k);
  const CUtensorMap map_c = matrix_map(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, sizeof(float),
                                       matrices.c.data(), m, n, kGroupRows);
  CHECK(cudaFuncSetAttribute(streamed<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  streamed<T><<<unsigned(blocks), 3 * kGroup, kShared>>>(matrices.map_a(kGroupRows),
                                                         matrices.map_b(kColumns), map_c, m, n, k);
  verdict.expect(matrices.wrong_sums() == 0, what);
}

int main(int argc, char** argv) {
  const int m = int(argument(argc, argv, 1, 256, 128, 4096)) / 128 * 128;
  const int n = int(argument(argc, argv, 2, 256, 128, 4096)) / 128 * 128;
  const int k = int(argument(argc, argv, 3, 512, 128, 8192)) / 128 * 128;
  const int blocks = int(argument(argc, argv, 4, 3, 1, 132));
  Verdict verdict;
  multiply_matrices<__nv_bfloat16>(m, n, k, blocks, "products of bf16", verdict);
  multiply_matrices<__nv_fp8_e4m3>(m, n, k, blocks, "products of e4m3", verdict);
  return verdict.finish();
}
