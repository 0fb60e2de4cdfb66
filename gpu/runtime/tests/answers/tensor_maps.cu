// Which tensor maps are made, one thing at a time wrong or at its edge, and what they hold: for
// each sweep a line with an error's number for every value, and a hash of all maps that were made.
#include <cstdint>
#include <string>

#include "answers.hpp"

namespace {

// What the three functions are given; a map of two dimensions that is made, unless it is changed.
struct Asked {
  std::uintptr_t address = 0x100000000;
  unsigned type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32, rank = 2;
  cuuint64_t sizes[6] = {64, 64, 64, 64, 64, 64};
  cuuint64_t strides[6] = {256, 256 * 64, 256 * 64 * 64, 256ull << 18, 256ull << 24, 0};
  cuuint32_t box[6] = {8, 8, 8, 2, 2, 2}, steps[6] = {1, 1, 1, 1, 1, 1};
  unsigned interleave = 0, swizzle = 0, promotion = 0, fill = 0;
  int lower[4] = {}, upper[4] = {};
  cuuint32_t channels = 8, pixels = 16;
};

class Sweep {
 public:
  explicit Sweep(const char* name) : name_(name) {}
  ~Sweep() { std::printf("%s:%s %016llx\n", name_, codes_.c_str(), hash_); }

  void tiled(const Asked& asked) {
    add(cuTensorMapEncodeTiled(
        &map_, CUtensorMapDataType(asked.type), asked.rank, reinterpret_cast<void*>(asked.address),
        asked.sizes, asked.strides, asked.box, asked.steps, CUtensorMapInterleave(asked.interleave),
        CUtensorMapSwizzle(asked.swizzle), CUtensorMapL2promotion(asked.promotion),
        CUtensorMapFloatOOBfill(asked.fill)));
  }
  void im2col(const Asked& asked) {
    add(cuTensorMapEncodeIm2col(
        &map_, CUtensorMapDataType(asked.type), asked.rank, reinterpret_cast<void*>(asked.address),
        asked.sizes, asked.strides, asked.lower, asked.upper, asked.channels, asked.pixels,
        asked.steps, CUtensorMapInterleave(asked.interleave), CUtensorMapSwizzle(asked.swizzle),
        CUtensorMapL2promotion(asked.promotion), CUtensorMapFloatOOBfill(asked.fill)));
  }
  // Of the map made last.
  void replace(std::uintptr_t address) {
    add(cuTensorMapReplaceAddress(&map_, reinterpret_cast<void*>(address)));
  }

 private:
  void add(CUresult result) {
    codes_ += ' ' + std::to_string(int(result));
    if (result != CUDA_SUCCESS) return;
    const auto* bytes = reinterpret_cast<const unsigned char*>(&map_);
    for (std::size_t i = 0; i < sizeof map_; ++i) hash_ = (hash_ ^ bytes[i]) * 0x100000001b3;
  }

  const char* name_;
  alignas(64) CUtensorMap map_{};
  std::string codes_;
  unsigned long long hash_ = 0xcbf29ce484222325;
};

// One line of maps of `base` with each of `values` put by `set`.
template <typename Values, typename Set>
void sweep(const char* name, const Asked& base, const Values& values, Set&& set,
           void (Sweep::*make)(const Asked&) = &Sweep::tiled) {
  Sweep line(name);
  for (const auto value : values) {
    Asked asked = base;
    set(asked, value);
    (line.*make)(asked);
  }
}
template <typename Values, typename Set>
void sweep_im2col(const char* name, const Asked& base, const Values& values, Set&& set) {
  sweep(name, base, values, set, &Sweep::im2col);
}

using Numbers = std::vector<unsigned long long>;

Numbers up_to(unsigned long long last) {
  Numbers numbers;
  for (unsigned long long i = 0; i <= last; ++i) numbers.push_back(i);
  return numbers;
}

const Numbers kSizes{0,
                     1,
                     2,
                     3,
                     16,
                     255,
                     256,
                     257,
                     1000,
                     1ull << 31,
                     (1ull << 32) - 1,
                     1ull << 32,
                     (1ull << 32) + 1};
const Numbers kStrides{
    0,          4,         8, 16, 24, 32, 48, 64, 240, 256, 264, 1ull << 36, (1ull << 40) - 16,
    1ull << 40, 1ull << 41};
const Numbers kAddresses{0,           4,
                         8,           16,
                         24,          32,
                         48,          64,
                         0x100000008, 0x7fffffffffff0,
                         1ull << 49,  1ull << 52,
                         1ull << 56,  (1ull << 57) - 32,
                         1ull << 57,  ~15ull};

Asked of_type(unsigned type) {
  Asked asked;
  asked.type = type;
  return asked;
}

Asked im2col_base(unsigned rank) {
  Asked asked;
  asked.rank = rank;
  asked.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  return asked;
}

}  // namespace

SECTION(before_cuInit) {
  Sweep("tiled").tiled({});
  Sweep("im2col").im2col(im2col_base(4));
  Sweep("replaced").replace(0x100000000);
}

SECTION(without_context) {
  cuInit(0);
  Sweep("tiled").tiled({});
  Sweep("im2col").im2col(im2col_base(4));
  Sweep("replaced").replace(0x100000000);
}

SECTION(tiled) {
  cudaFree(nullptr);  // a context
  sweep("type", {}, up_to(18), [](Asked& a, auto v) { a.type = unsigned(v); });
  sweep("rank", {}, up_to(6), [](Asked& a, auto v) { a.rank = unsigned(v); });
  sweep("address", {}, kAddresses, [](Asked& a, auto v) { a.address = v; });
  for (int i : {0, 1}) {
    sweep("size", {}, kSizes, [&](Asked& a, auto v) { a.sizes[i] = v; });
    sweep("box", {}, kSizes, [&](Asked& a, auto v) { a.box[i] = cuuint32_t(v); });
    sweep("step", {}, up_to(10), [&](Asked& a, auto v) { a.steps[i] = cuuint32_t(v); });
  }
  sweep("stride", {}, kStrides, [](Asked& a, auto v) { a.strides[0] = v; });
  sweep("second stride", {}, kStrides, [](Asked& a, auto v) { a.rank = 3, a.strides[1] = v; });
  sweep("promotion", {}, up_to(5), [](Asked& a, auto v) { a.promotion = unsigned(v); });
}

SECTION(types) {
  cudaFree(nullptr);  // a context
  for (unsigned type = 0; type <= 15; ++type) {
    char name[32];
    std::snprintf(name, sizeof name, "box of type %u", type);
    sweep(name, of_type(type), Numbers{1, 2, 3, 4, 8, 16, 32, 64, 96, 128, 160, 256, 257},
          [](Asked& a, auto v) { a.box[0] = cuuint32_t(v); });
    std::snprintf(name, sizeof name, "size of type %u", type);
    sweep(name, of_type(type), Numbers{1, 7, 16, 32, 64, 96, 128, 256, 1000},
          [](Asked& a, auto v) { a.sizes[0] = v; });
    std::snprintf(name, sizeof name, "fill of type %u", type);
    sweep(name, of_type(type), up_to(2), [](Asked& a, auto v) { a.fill = unsigned(v); });
    std::snprintf(name, sizeof name, "address of type %u", type);
    sweep(name, of_type(type), kAddresses, [](Asked& a, auto v) { a.address = v; });
    std::snprintf(name, sizeof name, "stride of type %u", type);
    sweep(name, of_type(type), kStrides, [](Asked& a, auto v) { a.strides[0] = v; });
  }
}

SECTION(layouts) {
  cudaFree(nullptr);  // a context
  for (unsigned interleave = 0; interleave <= 3; ++interleave)
    for (unsigned rank : {2u, 3u, 5u})
      for (unsigned box : {4u, 8u, 16u, 32u, 64u}) {
        Asked base;
        base.interleave = interleave;
        base.rank = rank;
        base.box[0] = box;
        char name[48];
        std::snprintf(name, sizeof name, "interleave %u rank %u box %u", interleave, rank, box);
        sweep(name, base, up_to(8), [](Asked& a, auto v) { a.swizzle = unsigned(v); });
        if (box != 8) continue;
        std::snprintf(name, sizeof name, "interleave %u rank %u address", interleave, rank);
        sweep(name, base, kAddresses, [](Asked& a, auto v) { a.address = v; });
        std::snprintf(name, sizeof name, "interleave %u rank %u stride", interleave, rank);
        sweep(name, base, kStrides, [](Asked& a, auto v) { a.strides[0] = v; });
      }
}

SECTION(boxes) {
  cudaFree(nullptr);  // a context
  // The whole box in shared memory, and strides of steps.
  for (unsigned edge : {16u, 64u, 128u, 256u}) {
    Asked base;
    base.rank = 3;
    base.box[0] = base.box[1] = edge;
    char name[32];
    std::snprintf(name, sizeof name, "edges %u", edge);
    sweep(name, base, Numbers{1, 2, 3, 4, 16, 64, 256},
          [](Asked& a, auto v) { a.box[2] = cuuint32_t(v); });
    std::snprintf(name, sizeof name, "edges %u by steps", edge);
    sweep(name, base, up_to(9), [](Asked& a, auto v) { a.steps[1] = cuuint32_t(v); });
  }
}

// How many bytes a box may have; also where a step leaves a part over.
SECTION(bytes) {
  cudaFree(nullptr);
  Asked base = of_type(CU_TENSOR_MAP_DATA_TYPE_UINT8);
  base.rank = 3;
  base.box[0] = 256;
  base.box[2] = 4;
  sweep("rows", base,
        Numbers{192, 208, 224, 225, 226, 227, 228, 229, 230, 231, 232, 240, 248, 255, 256},
        [](Asked& a, auto v) { a.box[1] = cuuint32_t(v); });
  base.box[1] = 256;
  base.steps[1] = 7;
  sweep("layers by a step of 7", base, Numbers{22, 23, 24, 25, 26, 27, 28},
        [](Asked& a, auto v) { a.box[2] = cuuint32_t(v); });
  Asked pixels = im2col_base(4);
  pixels.channels = 256;
  sweep_im2col("pixels", pixels,
               Numbers{384, 440, 452, 453, 454, 455, 456, 457, 458, 460, 480, 511, 512},
               [](Asked& a, auto v) { a.pixels = cuuint32_t(v); });
}

SECTION(im2col) {
  cudaFree(nullptr);  // a context
  for (unsigned rank : {2u, 3u, 4u, 5u, 6u}) {
    const Asked base = im2col_base(rank);
    char name[32];
    const auto named = [&](const char* what) {
      std::snprintf(name, sizeof name, "%s of rank %u", what, rank);
      return name;
    };
    sweep_im2col(named("channels"), base, Numbers{0, 1, 4, 8, 16, 64, 128, 255, 256, 257, 1024},
                 [](Asked& a, auto v) { a.channels = cuuint32_t(v); });
    sweep_im2col(named("pixels"), base, Numbers{0, 1, 16, 256, 512, 1023, 1024, 1025},
                 [](Asked& a, auto v) { a.pixels = cuuint32_t(v); });
    for (int i = 0; i < 3; ++i) {
      const auto corner = [&](int(Asked::*side)[4]) {
        Sweep line(named(side == &Asked::lower ? "lower" : "upper"));
        for (int value : {-32769, -32768, -129, -128, -65, -64, -17, -16, -9,  -8,    -1,   0,
                          1,      7,      8,    15,   16,  63,  64,  127, 128, 32767, 32768}) {
          Asked asked = base;
          (asked.*side)[i] = value;
          line.im2col(asked);
        }
      };
      corner(&Asked::lower);
      corner(&Asked::upper);
    }
    sweep_im2col(named("step"), base, up_to(10),
                 [](Asked& a, auto v) { a.steps[1] = cuuint32_t(v); });
    sweep_im2col(named("swizzle"), base, up_to(5),
                 [](Asked& a, auto v) { a.swizzle = unsigned(v), a.channels = 16; });
    sweep_im2col(named("interleave"), base, up_to(3),
                 [](Asked& a, auto v) { a.interleave = unsigned(v); });
    sweep_im2col(named("type"), base, up_to(16), [](Asked& a, auto v) { a.type = unsigned(v); });
  }
}

// Boxes of pixels that count along one side; whole maps are shown.
SECTION(wide) {
  cudaFree(nullptr);  // a context
  struct Wide {
    unsigned rank = 4, mode = 0, swizzle = CU_TENSOR_MAP_SWIZZLE_128B, interleave = 0;
    int lower = 0, upper = 0;
    cuuint32_t channels = 64, pixels = 16, step = 1;
  };
  const auto show = [](const char* what, const Wide& wide) {
    alignas(64) CUtensorMap map{};
    Asked asked = im2col_base(wide.rank);
    asked.steps[1] = wide.step;
    const CUresult result = cuTensorMapEncodeIm2colWide(
        &map, CUtensorMapDataType(asked.type), wide.rank, reinterpret_cast<void*>(asked.address),
        asked.sizes, asked.strides, wide.lower, wide.upper, wide.channels, wide.pixels, asked.steps,
        CUtensorMapInterleave(wide.interleave), CUtensorMapIm2ColWideMode(wide.mode),
        CUtensorMapSwizzle(wide.swizzle), CUtensorMapL2promotion(0), CUtensorMapFloatOOBfill(0));
    std::printf("%s: %d", what, int(result));
    for (int i = 0; i < 16 && result == CUDA_SUCCESS; ++i)
      std::printf(" %llx", static_cast<unsigned long long>(map.opaque[i]));
    std::printf("\n");
  };
  const auto numbers = [&](const char* what, auto member, std::initializer_list<long long> values) {
    for (const long long value : values) {
      Wide wide;
      wide.*member = static_cast<std::remove_reference_t<decltype(wide.*member)>>(value);
      show(what, wide);
    }
  };
  numbers("rank", &Wide::rank, {2, 3, 4, 5, 6});
  numbers("mode", &Wide::mode, {0, 1, 2});
  numbers("swizzle", &Wide::swizzle, {0, 1, 2, 3, 4, 5, 6, 7});
  numbers("interleave", &Wide::interleave, {0, 1, 2});
  numbers("lower", &Wide::lower, {-32769, -32768, -128, -1, 1, 127, 32767, 32768});
  numbers("upper", &Wide::upper, {-32769, -32768, -128, -1, 1, 127, 32767, 32768});
  numbers("channels", &Wide::channels, {0, 8, 32, 64, 128, 256, 257});
  numbers("pixels", &Wide::pixels, {0, 1, 32, 64, 128, 256, 512, 1024, 1025});
  numbers("step", &Wide::step, {0, 1, 2, 8, 9});
  Wide wide;
  wide.mode = 1;
  wide.pixels = 64;
  show("mode 1 with 64 pixels", wide);
}

SECTION(replacing) {
  cudaFree(nullptr);  // a context
  for (unsigned type : {0u, 6u}) {
    Sweep line("address");
    Asked asked = of_type(type);
    asked.sizes[0] = asked.box[0] = 128;
    line.tiled(asked);
    for (const auto address : kAddresses) line.replace(address);
  }
  alignas(64) static unsigned char nothing[128];
  std::printf("of zeros: %d\n",
              int(cuTensorMapReplaceAddress(reinterpret_cast<CUtensorMap*>(nothing), nullptr)));
  std::printf("of null: %d\n", int(cuTensorMapReplaceAddress(nullptr, nullptr)));
}
