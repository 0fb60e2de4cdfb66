// Products of matrices of small whole numbers, whose sums every order of addition gets right.
#pragma once

#include <type_traits>

#include "device_array.h"
#include "tensor_maps.h"
#include "warp_groups.h"

template <typename T>
struct Matrices {
  static constexpr bool kIsByte = sizeof(T) == 1;
  static constexpr CUtensorMapDataType kType =
      kIsByte ? CU_TENSOR_MAP_DATA_TYPE_UINT8 : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;

  // A's rows and B's columns are k long.
  Matrices(int m_, int n_, int k_)
      : m(m_), n(n_), k(k_), a(numbers(m * k, 1)), b(numbers(n * k, 2)), c(std::size_t(m) * n) {}

  CUtensorMap map_a(int rows) { return matrix_map(kType, sizeof(T), a.data(), m, k, rows); }
  CUtensorMap map_b(int rows) { return matrix_map(kType, sizeof(T), b.data(), n, k, rows); }

  int wrong_sums() const {
    const std::vector<T> left = a.host(), right = b.host();
    const std::vector<float> x(left.begin(), left.end()), y(right.begin(), right.end());
    const std::vector<float> sums = c.host();
    int wrong = 0;
    for (int row = 0; row < m; ++row)
      for (int column = 0; column < n; ++column) {
        float sum = 0;
        for (int i = 0; i < k; ++i)
          sum += x[std::size_t(row) * k + i] * y[std::size_t(column) * k + i];
        wrong += sum != sums[std::size_t(row) * n + column];
      }
    return wrong;
  }

  static std::vector<T> numbers(int count, unsigned seed) {
    std::vector<T> values;
    values.reserve(std::size_t(count));
    for (int i = 0; i < count; ++i)
      values.push_back(T(float(int(scramble(unsigned(i) * 2 + seed) % 9) - 4)));
    return values;
  }

  int m, n, k;
  DeviceArray<T> a, b;
  DeviceArray<float> c;
};
