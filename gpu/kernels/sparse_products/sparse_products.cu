// A sparse matrix of compressed rows by a vector: a thread for each row, whose rows end at
// different times; a warp for each row; and a thread for each row of a matrix padded to its longest
// row.
//
//   sparse_products [rows = 16384]
#include <algorithm>

#include "../common/device_array.h"

__global__ void row_by_thread(const int* rows, const int* columns, const float* values,
                              const float* x, float* y, int count) {
  const int row = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= count) return;
  float sum = 0;
  for (int i = rows[row]; i < rows[row + 1]; ++i) sum += values[i] * x[columns[i]];
  y[row] = sum;
}

__global__ void row_by_warp(const int* rows, const int* columns, const float* values,
                            const float* x, float* y, int count) {
  const int row = int(blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
  if (row >= count) return;
  float sum = 0;
  for (int i = rows[row] + lane; i < rows[row + 1]; i += 32) sum += values[i] * x[columns[i]];
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_down_sync(~0u, sum, unsigned(distance));
  if (lane == 0) y[row] = sum;
}

__global__ void padded(const int* columns, const float* values, const float* x, float* y, int count,
                       int width) {
  const int row = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= count) return;
  float sum = 0;
  for (int i = 0; i < width; ++i) {
    const int column = columns[i * count + row];
    if (column >= 0) sum += values[i * count + row] * x[column];
  }
  y[row] = sum;
}

int main(int argc, char** argv) {
  const int count = int(argument(argc, argv, 1, 16384, 256, 1 << 20));
  std::vector<int> rows(count + 1), columns;
  std::vector<float> values, x(count), want(count);
  // Small whole numbers: their sums are exact in any order.
  for (int i = 0; i < count; ++i) x[i] = float(scramble(unsigned(i)) % 16);
  int width = 0;
  for (int row = 0; row < count; ++row) {
    rows[row] = int(columns.size());
    const unsigned random = scramble(unsigned(row) + 77);
    const int length = random % 16 == 0 ? int(random >> 8) % 64 : int(random >> 8) % 12;
    for (int i = 0; i < length; ++i) {
      columns.push_back(int(scramble(unsigned(row * 64 + i)) % unsigned(count)));
      values.push_back(float(i % 8));
      want[row] += values.back() * x[columns.back()];
    }
    width = std::max(width, length);
  }
  rows[count] = int(columns.size());
  std::vector<int> padded_columns(std::size_t(width) * count, -1);
  std::vector<float> padded_values(padded_columns.size());
  for (int row = 0; row < count; ++row)
    for (int i = rows[row]; i < rows[row + 1]; ++i) {
      padded_columns[std::size_t(i - rows[row]) * count + row] = columns[i];
      padded_values[std::size_t(i - rows[row]) * count + row] = values[i];
    }
  DeviceArray<int> d_rows(rows), d_columns(columns), d_padded(padded_columns);
  DeviceArray<float> d_values(values), d_padded_values(padded_values), d_x(x);
  constexpr unsigned kThreads = 128;
  const unsigned by_thread = unsigned(count + kThreads - 1) / kThreads;
  Verdict verdict;
  DeviceArray<float> a(count), b(count), c(count);
  row_by_thread<<<by_thread, kThreads>>>(d_rows.data(), d_columns.data(), d_values.data(),
                                         d_x.data(), a.data(), count);
  verdict.expect(a.host() == want, "row_by_thread");
  row_by_warp<<<by_thread * 32, kThreads>>>(d_rows.data(), d_columns.data(), d_values.data(),
                                            d_x.data(), b.data(), count);
  verdict.expect(b.host() == want, "row_by_warp");
  padded<<<by_thread, kThreads>>>(d_padded.data(), d_padded_values.data(), d_x.data(), c.data(),
                                  count, width);
  verdict.expect(c.host() == want, "padded");
  return verdict.finish();
}
