// Tensor memory of sm_100a (simulator/tests/kernels/tensor_memory.cu) against products computed
// here in whole numbers, and against where the PTX ISA has matrices, descriptors and cells.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "simulator/device/device.hpp"
#include "simulator/launch/launch.hpp"
#include "simulator/tests/compiled_kernels.hpp"

namespace heddle::simulator {
namespace {

constexpr unsigned kColumns = 256, kLanes = 128, kImageBytes = 16384, kMostRows = 256;

using Words = std::vector<std::uint32_t>;

class TensorMemory : public testing::Test {
 protected:
  std::uint64_t upload(const void* data, std::size_t bytes) {
    const std::uint64_t address = *device_.memory().allocate(bytes, "test");
    std::memcpy(device_.memory().view(address, bytes), data, bytes);
    return address;
  }
  std::uint64_t upload(const Words& words) { return upload(words.data(), words.size() * 4); }
  Words download(std::uint64_t address, std::size_t count) {
    Words words(count);
    std::memcpy(words.data(), device_.memory().view(address, count * 4), count * 4);
    return words;
  }
  template <typename... Arguments>
  LaunchOutcome run(const char* kernel, unsigned threads, Arguments... arguments) {
    LaunchRequest request;
    request.module = &module_;
    request.kernel = module_.cubin().find_kernel(kernel);
    request.block = {threads, 1, 1};
    request.parameters = parameters(arguments...);
    return device_.launch(request, {});
  }
  // Lane, column by column.
  static Words numbered_cells() {
    Words cells(kLanes * kColumns);
    for (unsigned lane = 0; lane < kLanes; ++lane)
      for (unsigned column = 0; column < kColumns; ++column)
        cells[lane * kColumns + column] = lane << 24 | lane << 8 | column << 16 | column;
    return cells;
  }

  Device device_{default_model(isa::Arch::sm_100)};
  Module module_{compiled_kernels("simulator/tests/kernels/tensor_memory.sm_100.cubin"),
                 "tensor_memory.cubin", device_.memory()};
};

// How a matrix lies in shared memory: `byte` of a row (K-major), or a row at number k.
enum class Layout { rows, rows_swizzled, columns, columns_swizzled };

bool is_transposed(Layout layout) {
  return layout == Layout::columns || layout == Layout::columns_swizzled;
}

// The PTX ISA's canonical layouts, of numbers of `size` bytes.
unsigned place_of(Layout layout, unsigned size, unsigned row, unsigned k) {
  const unsigned byte = k * size, together = 16 / size;
  const auto swizzled = [](unsigned at) { return at ^ (at >> 7 & 7) << 4; };
  switch (layout) {
    case Layout::rows:  // 256 bytes to the next eight rows, 128 to the next 16 bytes of k
      return row / 8 * 256 + byte / 16 * 128 + row % 8 * 16 + byte % 16;
    case Layout::rows_swizzled:
      return swizzled(row / 8 * 1024 + row % 8 * 128 + byte);
    case Layout::columns:  // 128 bytes to the next eight k, 512 to the next 16 bytes of rows
      return row / together * 512 + k / 8 * 128 + k % 8 * 16 + row % together * size;
    case Layout::columns_swizzled:  // 128 bytes of rows; 4096 to the next, 1024 to the next eight k
      return swizzled(row * size / 128 * 4096 + k / 8 * 1024 + k % 8 * 128 + row * size % 128);
  }
  return 0;
}

std::uint64_t descriptor(Layout layout, unsigned at) {
  const auto make = [&](unsigned leading, unsigned stride, std::uint64_t swizzle) {
    return std::uint64_t{at} >> 4 | std::uint64_t{leading} >> 4 << 16 |
           std::uint64_t{stride} >> 4 << 32 | std::uint64_t{1} << 46 | swizzle << 61;
  };
  switch (layout) {
    case Layout::rows:
      return make(128, 256, 0);
    case Layout::rows_swizzled:
      return make(16, 1024, 2);
    case Layout::columns:
      return make(128, 512, 0);
    case Layout::columns_swizzled:
      return make(4096, 1024, 2);
  }
  return 0;
}

// A type of numbers: its number in the instruction descriptor, and small whole numbers in it.
struct Type {
  unsigned number, bits, size;  // size: bytes of a row per number, with padding
  std::function<std::uint32_t(int)> of;
};

std::uint32_t float_bits(int value) { return std::bit_cast<std::uint32_t>(float(value)); }
// Of a float with these exponent and fraction bits; it must be able to hold the value.
std::uint32_t narrow(int value, unsigned exponent_bits, unsigned fraction_bits) {
  if (value == 0) return 0;
  const std::uint32_t wide = float_bits(std::abs(value));
  const int exponent = int(wide >> 23) - 127, bias = (1 << (exponent_bits - 1)) - 1;
  return std::uint32_t{value < 0} << (exponent_bits + fraction_bits) |
         std::uint32_t(exponent + bias) << fraction_bits |
         (wide >> (23 - fraction_bits) & ((1u << fraction_bits) - 1));
}

const Type kFp16{0, 16, 2, [](int value) { return narrow(value, 5, 10); }};
const Type kBf16{1, 16, 2, [](int value) { return float_bits(value) >> 16; }};
const Type kTf32{2, 32, 4, float_bits};
const Type kE4m3{0, 8, 1, [](int value) { return narrow(value, 4, 3); }};
const Type kE5m2{1, 8, 1, [](int value) { return narrow(value, 5, 2); }};
const Type kE2m3{3, 6, 1, [](int value) { return narrow(value, 2, 3); }};
const Type kE3m2{4, 6, 1, [](int value) { return narrow(value, 3, 2); }};
const Type kE2m1{5, 4, 1, [](int value) { return narrow(value, 2, 1); }};
const Type kU8{0, 8, 1, [](int value) { return std::uint32_t(value + 2); }};  // 0 to 4
const Type kS8{1, 8, 1, [](int value) { return std::uint32_t(value) & 0xff; }};

struct Product {
  const char* kernel;
  Type a, b;
  unsigned sum;  // 0 FP16, 1 FP32, 2 whole
  unsigned rows, columns;
  Layout layout_a, layout_b;
  bool adds = false, a_in_cells = false;
};

unsigned depth_of(const Type& type) { return 32 / type.size; }
int value_in(const Type& type, int value) {
  return type.bits == 8 && type.of(0) == 2 ? value + 2 : value;
}

// 64 rows of sums take half of each quarter of the lanes.
unsigned lane_of(unsigned rows, unsigned row) {
  return rows == 64 ? row / 16 * 32 + row % 16 : row;
}

std::uint32_t sum_bits(unsigned sum, int value) {
  return sum == 2 ? std::uint32_t(value) : sum == 1 ? float_bits(value) : narrow(value, 5, 10);
}

// Puts a number into a row, which begins at byte `at` for its sixteens: numbers of six or four bits
// lie side by side at the beginning of 16 bytes.
void put(std::vector<std::uint8_t>& image, unsigned start, Layout layout, const Type& type,
         unsigned row, unsigned k, int value) {
  const std::uint32_t number = type.of(value);
  if (type.bits >= 8) {
    std::memcpy(&image[start + place_of(layout, type.size, row, k)], &number, type.size);
    return;
  }
  const unsigned in_row = is_transposed(layout) ? row : k, first = in_row / 16 * 16;
  const unsigned at = start + (is_transposed(layout) ? place_of(layout, 1, first, k)
                                                     : place_of(layout, 1, row, first));
  for (unsigned bit = 0; bit < type.bits; ++bit) {
    const unsigned to = in_row % 16 * type.bits + bit;
    image[at + to / 8] =
        static_cast<std::uint8_t>(image[at + to / 8] | (number >> bit & 1) << to % 8);
  }
}

class TensorProducts : public TensorMemory {
 protected:
  std::uint32_t about(const Product& product) const {
    return product.sum << 4 | product.a.number << 7 | product.b.number << 10 |
           std::uint32_t{is_transposed(product.layout_a)} << 15 |
           std::uint32_t{is_transposed(product.layout_b)} << 16 | product.columns / 8 << 17 |
           product.rows / 16 << 24;
  }

  // Random whole numbers from -2 to 2.
  void expect_exact(const Product& product) {
    std::mt19937 random(3);
    const auto some = [&] { return int(random() % 5) - 2; };
    const unsigned depth = depth_of(product.a);
    std::vector<int> a(kLanes * depth), b(kMostRows * depth), c(kLanes * kColumns);
    for (auto* const numbers : {&a, &b, &c})
      for (int& number : *numbers) number = some();
    constexpr unsigned kStartOfA = 0, kStartOfB = 8192;
    std::vector<std::uint8_t> image(kImageBytes);
    Words cells_of_a(kLanes * kColumns), cells(kLanes * kColumns);
    for (unsigned row = 0; row < product.rows; ++row)
      for (unsigned k = 0; k < depth; ++k) {
        if (!product.a_in_cells)
          put(image, kStartOfA, product.layout_a, product.a, row, k, a[row * depth + k]);
        const unsigned lane = lane_of(product.rows, row), byte = k * product.a.size;
        cells_of_a[lane * kColumns + byte / 4] |= product.a.of(a[row * depth + k])
                                                  << 8 * (byte % 4);
      }
    for (unsigned row = 0; row < product.columns; ++row)
      for (unsigned k = 0; k < depth; ++k)
        put(image, kStartOfB, product.layout_b, product.b, row, k, b[row * depth + k]);
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = sum_bits(product.sum, c[i]);
    const auto of_cells = upload(cells);
    const LaunchOutcome outcome =
        run(product.kernel, 128, upload(image.data(), image.size()),
            product.a_in_cells ? ~std::uint64_t{0} : descriptor(product.layout_a, kStartOfA),
            descriptor(product.layout_b, kStartOfB), about(product), std::uint32_t{product.adds},
            upload(cells_of_a), of_cells);
    ASSERT_FALSE(outcome.fault) << outcome.fault->message();
    const Words got = download(of_cells, cells.size());
    for (unsigned row = 0; row < product.rows; ++row)
      for (unsigned column = 0; column < product.columns; ++column) {
        const unsigned at = lane_of(product.rows, row) * kColumns + column;
        int sum = product.adds ? c[at] : 0;
        for (unsigned k = 0; k < depth; ++k)
          sum +=
              value_in(product.a, a[row * depth + k]) * value_in(product.b, b[column * depth + k]);
        ASSERT_EQ(got[at], sum_bits(product.sum, sum)) << row << ", " << column;
        cells[at] = got[at];
      }
    EXPECT_EQ(got, cells);  // the others are as they were
  }
};

TEST_F(TensorProducts, OfHalvesInEachLayout) {
  for (const Layout a : {Layout::rows, Layout::rows_swizzled, Layout::columns})
    for (const Layout b : {Layout::rows, Layout::columns}) {
      const bool swizzled = a == Layout::rows_swizzled;
      expect_exact({"product_f16", kFp16, kFp16, 1, swizzled ? 32u * 2 : 128u, 64, a, b, true});
    }
}

TEST_F(TensorProducts, OfBf16WithColumnsThatAreSwizzled) {
  expect_exact(
      {"product_f16", kBf16, kBf16, 1, 64, 24, Layout::columns_swizzled, Layout::rows_swizzled});
}

TEST_F(TensorProducts, WithSumsOfHalves) {
  expect_exact({"product_f16", kFp16, kFp16, 0, 128, 256, Layout::rows, Layout::rows, true});
}

TEST_F(TensorProducts, OfTf32) {
  expect_exact({"product_tf32", kTf32, kTf32, 1, 128, 16, Layout::rows, Layout::rows, true});
}

TEST_F(TensorProducts, OfFloatsOfEightSixAndFourBits) {
  for (const Type& a : {kE4m3, kE5m2, kE2m3, kE3m2, kE2m1})
    for (const Type& b : {kE4m3, kE5m2, kE2m3, kE3m2, kE2m1})
      expect_exact({"product_f8f6f4", a, b, 1, 128, 32, Layout::rows, Layout::rows, true});
  expect_exact({"product_f8f6f4", kE4m3, kE2m1, 0, 64, 40, Layout::columns, Layout::columns});
}

TEST_F(TensorProducts, OfBytes) {
  expect_exact({"product_i8", kU8, kS8, 2, 128, 48, Layout::rows, Layout::columns, true});
  expect_exact({"product_i8", kS8, kU8, 2, 64, 8, Layout::columns, Layout::rows});
}

TEST_F(TensorProducts, WithAInTensorMemory) {
  expect_exact({"product_f16", kFp16, kFp16, 1, 128, 64, Layout::rows, Layout::rows, true, true});
  expect_exact({"product_f16", kBf16, kBf16, 1, 64, 64, Layout::rows, Layout::rows, true, true});
  expect_exact({"product_tf32", kTf32, kTf32, 1, 128, 32, Layout::rows, Layout::rows, true, true});
  expect_exact({"product_i8", kS8, kS8, 2, 128, 32, Layout::rows, Layout::rows, true, true});
  expect_exact(
      {"product_f8f6f4", kE5m2, kE4m3, 1, 128, 32, Layout::rows, Layout::rows, true, true});
}

// Where A is zero half of the old sums is left, but in the lanes that are left out.
TEST_F(TensorProducts, ScaleOldSumsAndLeaveOutLanes) {
  const Product product{"", kFp16, kFp16, 1, 128, 16, Layout::rows, Layout::rows};
  Words cells(kLanes * kColumns);
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = float_bits(int(i % 1000));
  const auto of_cells = upload(cells);
  const LaunchOutcome outcome =
      run("product_of_some_lanes", 128, upload(Words(kImageBytes / 4)), descriptor(Layout::rows, 0),
          descriptor(Layout::rows, 4096), about(product), of_cells);
  ASSERT_FALSE(outcome.fault) << outcome.fault->message();
  const Words got = download(of_cells, cells.size());
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned column = 0; column < 20; ++column) {
      const unsigned at = lane * kColumns + column;
      const bool same = lane == 1 || lane == 33 || lane == 127 || column >= 16;
      const float old = std::bit_cast<float>(cells[at]);
      EXPECT_EQ(std::bit_cast<float>(got[at]), same ? old : old / 2) << lane << ", " << column;
    }
}

TEST_F(TensorProducts, ThatAreNotDoneStopALaunchWithASentence) {
  Product product{"product_f16", kFp16, kFp16, 1, 128, 16, Layout::rows, Layout::rows};
  const auto image = upload(Words(kImageBytes / 4)), cells = upload(Words(kLanes * kColumns));
  const auto outcome_of = [&](std::uint32_t bits) {
    return run("product_f16", 128, image, descriptor(Layout::rows, 0),
               descriptor(Layout::rows, 4096), about(product) ^ bits, std::uint32_t{0}, cells,
               cells);
  };
  constexpr std::uint32_t kSparse = 1 << 2, kColumnsOdd = 1 << 17;
  const LaunchOutcome sparse = outcome_of(kSparse), odd = outcome_of(kColumnsOdd);
  ASSERT_TRUE(sparse.fault && odd.fault);
  EXPECT_EQ(sparse.fault->kind, Fault::Kind::unsupported_instruction);
  EXPECT_NE(sparse.fault->message().find("sparse products of tensor memory are not supported"),
            std::string::npos)
      << sparse.fault->message();
  EXPECT_EQ(odd.fault->kind, Fault::Kind::illegal_instruction);
}

TEST_F(TensorMemory, IsLoadedInEachShape) {
  const Words cells = numbered_cells();
  const auto out = upload(Words(20 * 128));
  const LaunchOutcome outcome = run("load_shapes", 128, upload(cells), out);
  ASSERT_FALSE(outcome.fault) << outcome.fault->message();
  const Words got = download(out, 20 * 128);
  for (unsigned thread = 0; thread < 128; ++thread) {
    const unsigned quarter = thread / 32 * 32, t = thread % 32;
    const auto cell = [&](unsigned lane, unsigned column) {
      return cells[(quarter + lane) * kColumns + 8 + column];
    };
    const auto halves = [&](unsigned lane, unsigned column) {
      return (cell(lane, column) & 0xffff) | cell(lane, column + 1) << 16;
    };
    const auto word = [&](unsigned i) { return got[i * 128 + thread]; };
    // The figures of the PTX ISA: which thread has which row and columns.
    for (unsigned i = 0; i < 2; ++i)
      EXPECT_EQ(word(i), cell(t / 4 + 8 * (t % 2), 2 * i + t % 4 / 2)) << thread;
    for (unsigned i = 0; i < 4; ++i)
      EXPECT_EQ(word(2 + i), cell(16 + t / 4 + 8 * (i % 2), 4 * (i / 2) + t % 4)) << thread;
    for (unsigned i = 0; i < 8; ++i)
      EXPECT_EQ(word(6 + i), cell(t / 4 + 8 * (i / 2 % 2), 8 * (i / 4) + 2 * (t % 4) + i % 2))
          << thread;
    for (unsigned i = 0; i < 2; ++i) {
      EXPECT_EQ(word(14 + i), cell(t % 16, i + (t < 16 ? 0 : 5))) << thread;
      EXPECT_EQ(word(16 + i), halves(t, 2 * i)) << thread;
      EXPECT_EQ(word(18 + i), halves(t / 4 + 8 * i, 2 * (t % 4))) << thread;
    }
  }
}

TEST_F(TensorMemory, IsStoredInEachShape) {
  Words cells = numbered_cells();
  const auto of_cells = upload(cells);
  const LaunchOutcome outcome = run("store_shapes", 128, of_cells);
  ASSERT_FALSE(outcome.fault) << outcome.fault->message();
  for (std::uint32_t thread = 0; thread < 128; ++thread) {
    const std::uint32_t quarter = thread / 32 * 32, t = thread % 32, word = thread << 16;
    const auto cell = [&](unsigned lane, unsigned column) -> std::uint32_t& {
      return cells[(quarter + lane) * kColumns + column];
    };
    for (unsigned i = 0; i < 2; ++i) cell(t / 4 + 8 * (t % 2), 2 * i + t % 4 / 2) = word + i;
    for (unsigned i = 0; i < 4; ++i) cell(t / 4 + 8 * (i / 2), 8 + 2 * (t % 4) + i % 2) = word + i;
    cell(t, 32) = 7;
    cell(t, 33) = thread;
  }
  EXPECT_EQ(download(of_cells, cells.size()), cells);
}

TEST_F(TensorMemory, IsFilledFromSharedMemory) {
  Words image(kImageBytes / 4), cells(kLanes * kColumns);
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = static_cast<std::uint32_t>(i);
  const auto of_cells = upload(cells);
  const LaunchOutcome outcome =
      run("copies", 128, upload(image), descriptor(Layout::rows, 0), of_cells);
  ASSERT_FALSE(outcome.fault) << outcome.fault->message();
  const Words got = download(of_cells, cells.size());
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const auto expect = [&](unsigned column, unsigned row, unsigned words) {
      for (unsigned i = 0; i < words; ++i)
        EXPECT_EQ(got[lane * kColumns + column + i], place_of(Layout::rows, 4, row, i) / 4)
            << lane << ", " << column;
    };
    const unsigned quarter = lane / 32, t = lane % 32;
    expect(0, lane, 8);
    expect(8, t, 4);
    expect(12, quarter % 2 * 32 + t, 4);
    expect(16, quarter / 2 * 32 + t, 4);
    expect(20, lane, 4);
  }
}

TEST_F(TensorMemory, IsTakenBeforeItIsUsed) {
  const auto addresses = upload(Words(3));
  const LaunchOutcome within = run("take_twice", 32, addresses, std::uint32_t{0});
  ASSERT_FALSE(within.fault) << within.fault->message();
  const Words got = download(addresses, 3);
  EXPECT_EQ(got[0], 0u);
  EXPECT_EQ(got[1], 128u);
  const LaunchOutcome beyond = run("take_twice", 32, addresses, std::uint32_t{1});
  ASSERT_TRUE(beyond.fault);
  EXPECT_EQ(beyond.fault->kind, Fault::Kind::illegal_address);
  EXPECT_NE(beyond.fault->message().find("tcgen05.alloc"), std::string::npos)
      << beyond.fault->message();
}

}  // namespace
}  // namespace heddle::simulator
