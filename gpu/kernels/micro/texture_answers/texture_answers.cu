// What the texture unit answers, as raw bits: one file per case with records of (x, y, z, layer, r,
// g, b, a).
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#define OK(call)                                                           \
  do {                                                                     \
    const cudaError_t e_ = (call);                                         \
    if (e_ != cudaSuccess) {                                               \
      std::printf("%d %s: %s\n", __LINE__, #call, cudaGetErrorString(e_)); \
      std::exit(1);                                                        \
    }                                                                      \
  } while (0)

struct Point {
  float x, y, z;
  int layer;
};
struct Texel {
  float r, g, b, a;
};
enum Dim { d1, d2, d3, a1, a2, cube, gather, fetch };

template <typename T>
__device__ Texel texel(T v);
template <>
__device__ Texel texel(float4 v) {
  return {v.x, v.y, v.z, v.w};
}
template <>
__device__ Texel texel(uint4 v) {
  return {__uint_as_float(v.x), __uint_as_float(v.y), __uint_as_float(v.z), __uint_as_float(v.w)};
}

template <typename T>
__global__ void sample(cudaTextureObject_t t, Dim dim, const Point* p, Texel* o, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Point q = p[i];
  T v{};
  switch (dim) {
    case d1:
      v = tex1D<T>(t, q.x);
      break;
    case d2:
      v = tex2D<T>(t, q.x, q.y);
      break;
    case d3:
      v = tex3D<T>(t, q.x, q.y, q.z);
      break;
    case a1:
      v = tex1DLayered<T>(t, q.x, q.layer);
      break;
    case a2:
      v = tex2DLayered<T>(t, q.x, q.y, q.layer);
      break;
    case cube:
      v = texCubemap<T>(t, q.x, q.y, q.z);
      break;
    case gather:
      v = q.layer == 0   ? tex2Dgather<T>(t, q.x, q.y, 0)
          : q.layer == 1 ? tex2Dgather<T>(t, q.x, q.y, 1)
          : q.layer == 2 ? tex2Dgather<T>(t, q.x, q.y, 2)
                         : tex2Dgather<T>(t, q.x, q.y, 3);
      break;
    case fetch:
      v = tex1Dfetch<T>(t, q.layer);
      break;
  }
  o[i] = texel<T>(v);
}

static std::mt19937 rng(7);
static float uniform(float a, float b) { return a + (b - a) * (rng() * (1.0f / 4294967296.0f)); }

struct Setup {
  std::string name;
  Dim dim;
  cudaChannelFormatDesc format;
  int w, h, d;  // d: layers or depth
  cudaTextureAddressMode mode;
  cudaTextureFilterMode filter;
  cudaTextureReadMode read;
  bool normalized;
  bool integer;
  bool random;  // texels: random, else 0 1 0 0 …
  bool srgb = false;
};

static void run(const Setup& s, const std::vector<Point>& points) {
  const int bytes = (s.format.x + s.format.y + s.format.z + s.format.w) / 8;
  const bool flat = s.dim == d1;
  const int h = flat || s.dim == a1 ? 1 : s.h, d = s.dim == d3 || s.dim == a1 || s.dim == a2 ? s.d
                                                   : s.dim == cube                           ? 6
                                                                                             : 1;
  std::vector<unsigned char> data(size_t(s.w) * h * d * bytes);
  if (s.format.f == cudaChannelFormatKindFloat) {
    for (size_t i = 0; i < data.size() / (s.format.x / 8); ++i) {
      float v = s.random ? uniform(-2, 5) : float(i % s.w == 1);
      if (s.format.x == 32)
        std::memcpy(&data[4 * i], &v, 4);
      else {
        __half x = __float2half(v);
        std::memcpy(&data[2 * i], &x, 2);
      }
    }
  } else {
    for (auto& b : data) b = static_cast<unsigned char>(rng() >> 13);
  }
  cudaArray_t array = nullptr;
  void* linear = nullptr;
  cudaResourceDesc r{};
  if (s.dim == fetch) {
    OK(cudaMalloc(&linear, data.size()));
    OK(cudaMemcpy(linear, data.data(), data.size(), cudaMemcpyHostToDevice));
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = linear;
    r.res.linear.desc = s.format;
    r.res.linear.sizeInBytes = data.size();
  } else {
    unsigned flags = s.dim == a1 || s.dim == a2 ? cudaArrayLayered
                     : s.dim == cube            ? cudaArrayCubemap
                     : s.dim == gather          ? cudaArrayTextureGather
                                                : 0;
    cudaExtent e =
        make_cudaExtent(s.w, flat || s.dim == a1 ? 0 : h,
                        s.dim == d3 || s.dim == a1 || s.dim == a2 || s.dim == cube ? d : 0);
    OK(cudaMalloc3DArray(&array, &s.format, e, flags));
    cudaMemcpy3DParms c{};
    c.srcPtr = make_cudaPitchedPtr(data.data(), size_t(s.w) * bytes, s.w, h);
    c.dstArray = array;
    c.extent = make_cudaExtent(s.w, h, d);
    c.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&c));
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
  }
  cudaTextureDesc t{};
  for (auto& m : t.addressMode) m = s.mode;
  t.filterMode = s.filter;
  t.readMode = s.read;
  t.normalizedCoords = s.normalized;
  t.sRGB = s.srgb;
  t.borderColor[0] = 0.25f;
  t.borderColor[1] = 7;
  t.borderColor[2] = -3;
  t.borderColor[3] = 1.5f;
  cudaTextureObject_t object;
  OK(cudaCreateTextureObject(&object, &r, &t, nullptr));
  Point* p;
  Texel* o;
  OK(cudaMalloc(&p, points.size() * sizeof(Point)));
  OK(cudaMalloc(&o, points.size() * sizeof(Texel)));
  OK(cudaMemcpy(p, points.data(), points.size() * sizeof(Point), cudaMemcpyHostToDevice));
  const int n = int(points.size());
  if (s.integer)
    sample<uint4><<<(n + 127) / 128, 128>>>(object, s.dim, p, o, n);
  else
    sample<float4><<<(n + 127) / 128, 128>>>(object, s.dim, p, o, n);
  std::vector<Texel> out(points.size());
  OK(cudaMemcpy(out.data(), o, out.size() * sizeof(Texel), cudaMemcpyDeviceToHost));
  std::FILE* f = std::fopen((s.name + ".bin").c_str(), "wb");
  const int head[12] = {s.dim,      s.format.x, s.format.y,
                        s.format.z, s.format.w, s.format.f,
                        s.w,        h,          d,
                        s.mode,     s.filter,   (s.read << 8) | (s.normalized << 4) | s.srgb};
  const int bytes_of_data = int(data.size());
  std::fwrite(head, sizeof head, 1, f);
  std::fwrite(&bytes_of_data, 4, 1, f);
  std::fwrite(data.data(), data.size(), 1, f);
  for (int i = 0; i < n; ++i) {
    std::fwrite(&points[i], sizeof(Point), 1, f);
    std::fwrite(&out[i], sizeof(Texel), 1, f);
  }
  std::fclose(f);
  OK(cudaDestroyTextureObject(object));
  OK(cudaFree(p));
  OK(cudaFree(o));
  OK(cudaFree(linear));
  if (array) OK(cudaFreeArray(array));
}

static std::vector<Point> sweep(float from, float to, int n) {
  std::vector<Point> v;
  for (int i = 0; i < n; ++i) v.push_back({from + (to - from) * (float(i) / n), 0.5f, 0.5f, 0});
  return v;
}
static std::vector<Point> cloud(float lo, float hx, float hy, float hz, int n, int layers) {
  std::vector<Point> v;
  for (int i = 0; i < n; ++i)
    v.push_back({uniform(lo, hx), uniform(lo, hy), uniform(lo, hz), int(rng() % layers)});
  const float odd[] = {0.0f, -0.0f, 0.5f,       1.0f,        -0.5f,      1e-30f,    -1e-30f,
                       1e9f, -1e9f, 1e30f,      -1e30f,      INFINITY,   -INFINITY, NAN,
                       hx,   hy,    3.9999998f, 0.50195312f, 0.49804688f};
  for (float a : odd)
    for (float b : odd) v.push_back({a, b, a, 1});
  return v;
}

int main() {
  const auto f1 = cudaCreateChannelDesc<float>(), f4 = cudaCreateChannelDesc<float4>(),
             u8 = cudaCreateChannelDesc<uchar4>(), s8 = cudaCreateChannelDesc<char4>(),
             u16 = cudaCreateChannelDesc<ushort2>(), s16 = cudaCreateChannelDesc<short2>(),
             u32 = cudaCreateChannelDesc<uint2>(), h1 = cudaCreateChannelDescHalf1(),
             u81 = cudaCreateChannelDesc<unsigned char>();
  const auto el = cudaReadModeElementType;
  const auto nf = cudaReadModeNormalizedFloat;
  const auto pt = cudaFilterModePoint;
  const auto li = cudaFilterModeLinear;
  const auto cl = cudaAddressModeClamp;
  const auto bo = cudaAddressModeBorder;
  const auto wr = cudaAddressModeWrap;
  const auto mi = cudaAddressModeMirror;
  run({"alpha", d1, f1, 8, 1, 1, cl, li, el, false, false, false}, sweep(0, 4, 8192));
  run({"alpha_far", d1, f1, 4096, 1, 1, cl, li, el, false, false, true}, sweep(3000, 3002, 4096));
  run({"linear_random_1d", d1, f1, 16, 1, 1, cl, li, el, false, false, true},
      cloud(-2, 18, 1, 1, 8000, 1));
  run({"linear_random_2d", d2, f1, 16, 16, 1, cl, li, el, false, false, true},
      cloud(-2, 18, 18, 1, 12000, 1));
  run({"linear_random_3d", d3, f1, 8, 8, 8, cl, li, el, false, false, true},
      cloud(-2, 10, 10, 10, 12000, 1));
  run({"linear_f4_2d", d2, f4, 7, 5, 1, bo, li, el, false, false, true},
      cloud(-2, 9, 7, 1, 4000, 1));
  run({"point_2d_clamp", d2, f1, 7, 5, 1, cl, pt, el, false, false, true},
      cloud(-2, 9, 7, 1, 4000, 1));
  run({"point_2d_border", d2, f4, 7, 5, 1, bo, pt, el, false, false, true},
      cloud(-2, 9, 7, 1, 4000, 1));
  for (int w : {7, 8})
    for (auto mode : {cl, bo, wr, mi})
      for (auto filter : {pt, li})
        run({"norm_" + std::to_string(w) + "_" + std::to_string(mode) + "_" +
                 std::to_string(filter),
             d2, f1, w, 5, 1, mode, filter, el, true, false, true},
            cloud(-3, 3, 3, 1, 4000, 1));
  run({"u8_norm_point", d2, u8, 16, 16, 1, cl, pt, nf, false, false, true},
      cloud(0, 16, 16, 1, 3000, 1));
  run({"s8_norm_point", d2, s8, 16, 16, 1, cl, pt, nf, false, false, true},
      cloud(0, 16, 16, 1, 3000, 1));
  run({"u16_norm_point", d2, u16, 64, 64, 1, cl, pt, nf, false, false, true},
      cloud(0, 64, 64, 1, 6000, 1));
  run({"s16_norm_point", d2, s16, 64, 64, 1, cl, pt, nf, false, false, true},
      cloud(0, 64, 64, 1, 6000, 1));
  run({"u8_norm_linear", d2, u8, 16, 16, 1, cl, li, nf, false, false, true},
      cloud(-1, 17, 17, 1, 8000, 1));
  run({"u8_norm_linear_1d", d1, u81, 16, 1, 1, cl, li, nf, false, false, true},
      cloud(-1, 17, 17, 1, 8000, 1));
  run({"s8_norm_linear", d2, s8, 16, 16, 1, cl, li, nf, false, false, true},
      cloud(-1, 17, 17, 1, 8000, 1));
  run({"u16_norm_linear", d2, u16, 16, 16, 1, cl, li, nf, false, false, true},
      cloud(-1, 17, 17, 1, 8000, 1));
  run({"s16_norm_linear", d2, s16, 16, 16, 1, cl, li, nf, false, false, true},
      cloud(-1, 17, 17, 1, 8000, 1));
  run({"u8_srgb_point", d2, u8, 16, 16, 1, cl, pt, nf, false, false, true, true},
      cloud(0, 16, 16, 1, 3000, 1));
  run({"half_linear", d2, h1, 16, 16, 1, cl, li, el, false, false, true},
      cloud(-1, 17, 17, 1, 8000, 1));
  run({"half_point", d2, h1, 16, 16, 1, cl, pt, el, false, false, true},
      cloud(-1, 17, 17, 1, 2000, 1));
  run({"u8_int", d2, u8, 16, 16, 1, bo, pt, el, false, true, true}, cloud(-1, 17, 17, 1, 2000, 1));
  run({"s8_int", d2, s8, 16, 16, 1, cl, pt, el, false, true, true}, cloud(-1, 17, 17, 1, 2000, 1));
  run({"u32_int", d2, u32, 16, 16, 1, bo, pt, el, false, true, true},
      cloud(-1, 17, 17, 1, 2000, 1));
  run({"layered_1d", a1, f1, 8, 1, 4, cl, li, el, false, false, true}, cloud(-1, 9, 9, 1, 2000, 6));
  run({"layered_2d", a2, f1, 8, 8, 4, cl, li, el, false, false, true}, cloud(-1, 9, 9, 1, 4000, 6));
  run({"cube_point", cube, f1, 8, 8, 6, cl, pt, el, true, false, true},
      cloud(-1, 1, 1, 1, 6000, 1));
  run({"cube_linear", cube, f1, 8, 8, 6, cl, li, el, true, false, true},
      cloud(-1, 1, 1, 1, 6000, 1));
  run({"gather", gather, f4, 8, 8, 1, cl, pt, el, false, false, true}, cloud(-1, 9, 9, 1, 4000, 4));
  run({"gather_linear", gather, f4, 8, 8, 1, cl, li, el, false, false, true},
      cloud(-1, 9, 9, 1, 4000, 4));
  std::vector<Point> fetches;
  for (int i = -5; i < 40; ++i) fetches.push_back({0, 0, 0, i});
  run({"fetch_f1", fetch, f1, 32, 1, 1, cl, pt, el, false, false, true}, fetches);
  run({"fetch_u8", fetch, u8, 32, 1, 1, cl, pt, nf, false, false, true}, fetches);
  run({"fetch_int", fetch, s16, 32, 1, 1, cl, pt, el, false, true, true}, fetches);
  std::printf("done\n");
}
