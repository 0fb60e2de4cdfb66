// What reading textures takes: a chain of reads that hit, reads per SM by kind, format and which
// texels a warp names, when the n-th read of a warp issues, and reads that L1 lacks.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o textures textures.cu && ./textures [QUESTION…]
#include "spans.h"

namespace {

using namespace timing;

constexpr int kSide = 512, kChain = 64, kRounds = 16, kEach = 4;

// ---- one warp, one read after the other
// ------------------------------------------------------------

enum class Kind { kPoint, kLinear, kWords };

// All texels are 0, so that each read names the first one's neighbours.
template <Kind kind>
__global__ void chain(long long* times, cudaTextureObject_t texture, float* sink) {
  float x = 0.5f + float(threadIdx.x % 8), y = 0.5f + float(threadIdx.x / 8);
  int i = int(threadIdx.x);
  float sum = 0;
#pragma unroll 1
  for (int round = 0; round < 2; ++round) {
    if (round == 1) begin_span(times);
#pragma unroll 1
    for (int k = 0; k < kChain; ++k) {
      if constexpr (kind == Kind::kWords) {
        i += int(tex1Dfetch<float>(texture, i));
      } else {
        x += tex2D<float>(texture, x, y);
      }
    }
  }
  end_span(times);
  sum = x + float(i);
  if (sum == 1e9f) *sink = sum;
}

// Each read names lines that L1 lacks; `count` of them, one after the other.
__global__ void walk(long long* times, cudaTextureObject_t texture, int count, float* sink) {
  const float x = 0.5f + float(threadIdx.x % 8);
  float y = 0.5f + float(threadIdx.x / 8);
  begin_span(times);
#pragma unroll 1
  for (int k = 0; k < count; ++k) y += 8 + tex2D<float>(texture, x, y);
  end_span(times);
  if (y == 1e9f) *sink = y;
}

// ---- many reads
// ------------------------------------------------------------------------------------

template <typename Texel>
__device__ float sum_of(Texel t);
template <>
__device__ float sum_of(float t) {
  return t;
}
template <>
__device__ float sum_of(float4 t) {
  return t.x + t.y + t.z + t.w;
}
template <>
__device__ float sum_of(uchar4 t) {
  return float(t.x + t.y + t.z + t.w);
}
template <>
__device__ float sum_of(unsigned char t) {
  return float(t);
}

// How a warp's lanes lie: a row of 32 texels, a tile of 8 by 4, a column, one texel for all, or
// texels far from one another.
enum class Lie { kRow, kTile, kColumn, kOne, kFar };
__device__ __forceinline__ void place(Lie lie, unsigned lane, float& x, float& y) {
  const unsigned column = lie == Lie::kRow    ? lane
                          : lie == Lie::kTile ? lane % 8
                          : lie == Lie::kFar  ? lane * 37 % 64
                                              : 0;
  const unsigned row = lie == Lie::kTile     ? lane / 8
                       : lie == Lie::kColumn ? lane
                       : lie == Lie::kFar    ? lane * 11 % 64
                                             : 0;
  x = float(column) + 0.5f, y = float(row) + 0.5f;
}

enum class Way { kPlane, kWords, kGather, kVolume, kSurface };
// `offset`: of where reads lie between texels. Each round's `kEach` reads lie one texel apart.
template <typename Texel, Way way>
__global__ void reads(long long* times, cudaTextureObject_t texture, Lie lie, float offset,
                      float step, float* sink) {
  float x, y, sum = 0;
  place(lie, threadIdx.x % 32, x, y);
  x += offset, y += offset;
#pragma unroll 1
  for (int round = 0; round < 2; ++round) {
    begin_span(times);
    float at = y;
#pragma unroll 1
    for (int i = 0; i < kRounds; i += kEach) {
      Texel t[kEach];
#pragma unroll
      for (int k = 0; k < kEach; ++k) {
        if constexpr (way == Way::kWords)
          t[k] = tex1Dfetch<Texel>(texture, int(x) + int(at) * 64 + k);
        if constexpr (way == Way::kPlane) t[k] = tex2D<Texel>(texture, x + float(k), at);
        if constexpr (way == Way::kGather) t[k] = tex2Dgather<Texel>(texture, x + float(k), at, 0);
        if constexpr (way == Way::kVolume) t[k] = tex3D<Texel>(texture, x + float(k), at, offset);
        if constexpr (way == Way::kSurface)
          t[k] = surf2Dread<Texel>(texture, (int(x) + k) * int(sizeof(Texel)), int(at));
      }
#pragma unroll
      for (int k = 0; k < kEach; ++k) sum += sum_of(t[k]);
      at += step;
    }
    end_span(times);
  }
  if (sum == 1e9f) *sink = sum;
}

// ---- when the n-th read of a warp issues
// -----------------------------------------------------------

template <int count>
__global__ void issue(long long* times, cudaTextureObject_t texture, float* sink) {
  const float x = 0.5f + float(threadIdx.x % 8), y = 0.5f + float(threadIdx.x / 8 % 4);
  float sum = 0;
#pragma unroll 1
  for (int round = 0; round < 2; ++round) {
    __syncthreads();
    const long long begin = clock_now();
    const float first = y + float(begin < 0);  // or the reads would be made before
    float t[count];
#pragma unroll
    for (int k = 0; k < count; ++k)
      asm volatile("tex.2d.v4.f32.f32 {%0, _, _, _}, [%1, {%2, %3}];"
                   : "=f"(t[k])
                   : "l"(texture), "f"(x), "f"(first + float(k))
                   : "memory");
    const long long end = clock_now();
#pragma unroll
    for (int k = 0; k < count; ++k) sum += t[k];
    if (threadIdx.x == 0) times[2 * blockIdx.x] = begin, times[2 * blockIdx.x + 1] = end;
  }
  if (sum == 1e9f) *sink = sum;
}

// ---- every SM reads an image once
// ------------------------------------------------------------------

template <typename Texel>
__global__ void image(long long* times, cudaTextureObject_t texture, int width, float offset,
                      float* out) {
  begin_span(times);
  const int tile = int(blockIdx.x), tiles = width / 16;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int at = tile + k * int(gridDim.x);
    const float x = float(at % tiles * 16 + int(threadIdx.x % 16)) + offset;
    const float y = float(at / tiles * 16 + int(threadIdx.x / 16)) + offset;
    sum += sum_of(tex2D<Texel>(texture, x, y));
  }
  if (sum == 1e9f) *out = sum;
  end_span(times);
}

// ----------------------------------------------------------------------------------------------------

// A texture of zeros.
class Texture {
 public:
  template <typename Texel>
  static Texture array(const Texel&, int side, bool linear, bool normalized_read) {
    Texture t;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<Texel>();
    CUDA(cudaMallocArray(&t.array_, &format, side, side,
                         cudaArrayTextureGather | cudaArraySurfaceLoadStore));
    std::vector<Texel> zeros(std::size_t(side) * side);
    const std::size_t pitch = side * sizeof(Texel);
    CUDA(cudaMemcpy2DToArray(t.array_, 0, 0, zeros.data(), pitch, pitch, side,
                             cudaMemcpyHostToDevice));
    cudaResourceDesc what{};
    what.resType = cudaResourceTypeArray;
    what.res.array.array = t.array_;
    t.make(what, linear, normalized_read);
    return t;
  }
  static Texture volume(int side, bool linear) {
    Texture t;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    const std::size_t edge = side;
    const cudaExtent extent{edge, edge, edge};
    CUDA(cudaMalloc3DArray(&t.array_, &format, extent));
    std::vector<float> zeros(edge * edge * edge);
    cudaMemcpy3DParms copy{};
    copy.srcPtr = make_cudaPitchedPtr(zeros.data(), edge * sizeof(float), edge, edge);
    copy.dstArray = t.array_;
    copy.extent = extent;
    copy.kind = cudaMemcpyHostToDevice;
    CUDA(cudaMemcpy3D(&copy));
    cudaResourceDesc what{};
    what.resType = cudaResourceTypeArray;
    what.res.array.array = t.array_;
    t.make(what, linear, false);
    return t;
  }
  template <typename Texel>
  static Texture words(const Buffer<Texel>& data, std::size_t count) {
    Texture t;
    cudaResourceDesc what{};
    what.resType = cudaResourceTypeLinear;
    what.res.linear.devPtr = data.data();
    what.res.linear.desc = cudaCreateChannelDesc<Texel>();
    what.res.linear.sizeInBytes = count * sizeof(Texel);
    t.make(what, false, false);
    return t;
  }
  cudaTextureObject_t object() const { return object_; }
  cudaSurfaceObject_t surface() const {
    cudaResourceDesc what{};
    what.resType = cudaResourceTypeArray;
    what.res.array.array = array_;
    cudaSurfaceObject_t made = 0;
    CUDA(cudaCreateSurfaceObject(&made, &what));
    return made;
  }

 private:
  void make(const cudaResourceDesc& what, bool linear, bool normalized_read) {
    cudaTextureDesc how{};
    how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = cudaAddressModeClamp;
    how.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    how.readMode = normalized_read ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    CUDA(cudaCreateTextureObject(&object_, &what, &how, nullptr));
  }
  cudaArray_t array_ = nullptr;
  cudaTextureObject_t object_ = 0;
};

const char* name_of(Lie lie) {
  switch (lie) {
    case Lie::kRow:
      return "row";
    case Lie::kTile:
      return "tile";
    case Lie::kColumn:
      return "column";
    case Lie::kOne:
      return "one";
    default:
      return "far";
  }
}

template <typename Texel, Way way = Way::kPlane>
void ask_reads(const char* name, cudaTextureObject_t texture, float offset) {
  const Buffer<float> sink(1);
  for (const Lie lie : {Lie::kRow, Lie::kTile, Lie::kColumn, Lie::kOne, Lie::kFar})
    for (const int warps : {1, 4, 8, 32})
      ask_span(std::string("reads.") + name + "." + name_of(lie) + ".w" + std::to_string(warps), 1,
               double(kRounds) * warps, [&](long long* times) {
                 reads<Texel, way><<<1, warps * 32>>>(times, texture, lie, offset, 1, sink.data());
               });
}

template <int count>
void ask_issue(const Texture& texture) {
  const Buffer<float> sink(1);
  for (const int warps : {1, 4})
    ask_span("issue.tex.n" + std::to_string(count) + ".w" + std::to_string(warps), 1, 1,
             [&](long long* times) {
               issue<count><<<1, warps * 32>>>(times, texture.object(), sink.data());
             });
}

template <typename Texel>
void ask_image(const char* name, int sms, bool linear) {
  const Buffer<float> sink(1);
  const int blocks = sms * 4;
  const Texture texture = Texture::array(Texel{}, 2048, linear, false);
  ask_span(std::string("image.") + name, blocks, double(kEach) * 8, [&](long long* times) {
    image<Texel>
        <<<blocks, 256>>>(times, texture.object(), 2048, linear ? 0.75f : 0.5f, sink.data());
  });
}

}  // namespace

int main(int argc, char** argv) {
  read_wanted(argc, argv);
  print_header("textures");
  int sms = 0;
  CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  const Buffer<float> sink(1), words(1 << 16);
  const Buffer<float4> wide_words(1 << 16);
  const Texture point = Texture::array(float{}, kSide, false, false);
  const Texture linear = Texture::array(float{}, kSide, true, false);
  const Texture point4 = Texture::array(float4{}, kSide, false, false);
  const Texture linear4 = Texture::array(float4{}, kSide, true, false);
  const Texture bytes4 = Texture::array(uchar4{}, kSide, false, false);
  const Texture bytes = Texture::array((unsigned char)0, kSide, false, false);
  const Texture linear_bytes4 = Texture::array(uchar4{}, kSide, true, true);
  const Texture fetched = Texture::words(words, 1 << 16);
  const Texture fetched4 = Texture::words(wide_words, 1 << 16);
  ask_span("chain.point", 1, kChain, [&](long long* times) {
    chain<Kind::kPoint><<<1, 32>>>(times, point.object(), sink.data());
  });
  ask_span("chain.linear", 1, kChain, [&](long long* times) {
    chain<Kind::kLinear><<<1, 32>>>(times, linear.object(), sink.data());
  });
  ask_span("chain.words", 1, kChain, [&](long long* times) {
    chain<Kind::kWords><<<1, 32>>>(times, fetched.object(), sink.data());
  });
  for (const int count : {1, 2, 32})
    ask_span("walk.n" + std::to_string(count), 1, 1,
             [&](long long* times) { walk<<<1, 32>>>(times, point.object(), count, sink.data()); });
  ask_reads<float>("point", point.object(), 0);
  ask_reads<float>("linear", linear.object(), 0.25f);
  ask_reads<float4>("point4", point4.object(), 0);
  ask_reads<float4>("linear4", linear4.object(), 0.25f);
  ask_reads<uchar4>("bytes4", bytes4.object(), 0);
  ask_reads<unsigned char>("bytes", bytes.object(), 0);
  ask_reads<float4>("linear_bytes4", linear_bytes4.object(), 0.25f);
  ask_reads<float, Way::kWords>("words", fetched.object(), 0);
  ask_reads<float4, Way::kWords>("words4", fetched4.object(), 0);
  ask_reads<float4, Way::kGather>("gather", point.object(), 0);
  const Texture volume = Texture::volume(64, false), linear_volume = Texture::volume(64, true);
  ask_reads<float, Way::kVolume>("volume", volume.object(), 0.5f);
  ask_reads<float, Way::kVolume>("linear_volume", linear_volume.object(), 0.75f);
  ask_reads<float, Way::kSurface>("surface", point.surface(), 0);
  ask_reads<float4, Way::kSurface>("surface4", point4.surface(), 0);
  ask_issue<1>(point);
  ask_issue<2>(point);
  ask_issue<4>(point);
  ask_issue<6>(point);
  ask_issue<8>(point);
  ask_issue<12>(point);
  ask_issue<16>(point);
  ask_issue<24>(point);
  ask_issue<32>(point);
  ask_image<float>("point", sms, false);
  ask_image<float>("linear", sms, true);
  ask_image<float4>("point4", sms, false);
  ask_image<float4>("linear4", sms, true);
  ask_image<uchar4>("bytes4", sms, false);
}
