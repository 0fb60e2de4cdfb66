// Arrays, copies to and from them, textures and surfaces.
#include <cmath>
#include <vector>

#include "check.hpp"

static cudaTextureDesc sampling(cudaTextureAddressMode mode, cudaTextureFilterMode filter,
                                cudaTextureReadMode read, bool normalized) {
  cudaTextureDesc description = {};
  for (cudaTextureAddressMode& each : description.addressMode) each = mode;
  description.filterMode = filter;
  description.readMode = read;
  description.normalizedCoords = normalized;
  return description;
}

static cudaResourceDesc over(cudaArray_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

static cudaTextureObject_t texture(const cudaResourceDesc& resource, const cudaTextureDesc& how) {
  cudaTextureObject_t object = 0;
  OK(cudaCreateTextureObject(&object, &resource, &how, nullptr));
  return object;
}

__global__ void read_plane(cudaTextureObject_t from, const float2* at, float* out) {
  out[threadIdx.x] = tex2D<float>(from, at[threadIdx.x].x, at[threadIdx.x].y);
}
__global__ void read_bytes(cudaTextureObject_t from, float4* out) {
  out[threadIdx.x] = tex1Dfetch<float4>(from, static_cast<int>(threadIdx.x) - 1);
}
__global__ void read_volume(cudaTextureObject_t from, short2* out) {
  out[threadIdx.x] = tex3D<short2>(from, threadIdx.x % 4, threadIdx.x / 4 % 3, threadIdx.x / 12);
}
__global__ void read_layers(cudaTextureObject_t from, float* out) {
  out[threadIdx.x] =
      tex2DLayered<float>(from, threadIdx.x % 4, threadIdx.x / 4 % 3, threadIdx.x / 12);
}
// Lanes with textures of their own.
__global__ void read_many(const cudaTextureObject_t* from, float* out) {
  out[threadIdx.x] = tex2D<float>(from[threadIdx.x % 2], 1, 1);
}
__global__ void turn(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
  const int x = threadIdx.x, y = threadIdx.y;
  surf2Dwrite(surf2Dread<float>(from, x * 4, y) + 1, to, y * 4, x);
}
__global__ void beyond(cudaSurfaceObject_t from, float* out) {
  out[0] = surf2Dread<float>(from, -4, 0, cudaBoundaryModeZero);
  out[1] = surf2Dread<float>(from, 4 * 100, 100, cudaBoundaryModeClamp);
  surf2Dwrite(5.0f, from, 4 * 100, 0, cudaBoundaryModeZero);
}

template <typename T>
static T* on_device(const std::vector<T>& values) {
  T* device;
  OK(cudaMalloc(&device, values.size() * sizeof(T)));
  OK(cudaMemcpy(device, values.data(), values.size() * sizeof(T), cudaMemcpyDefault));
  return device;
}
template <typename T>
static std::vector<T> back(const T* device, std::size_t count) {
  std::vector<T> values(count);
  OK(cudaMemcpy(values.data(), device, count * sizeof(T), cudaMemcpyDefault));
  return values;
}

static void plane() {
  constexpr int kWidth = 5, kHeight = 4;
  float texels[kHeight][kWidth], copied[kHeight][kWidth] = {};
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) texels[y][x] = 10.0f * y + x;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array, other;
  OK(cudaMallocArray(&array, &format, kWidth, kHeight));
  OK(cudaMallocArray(&other, &format, kWidth, kHeight));
  OK(cudaMemcpy2DToArray(array, 0, 0, texels, sizeof texels[0], sizeof texels[0], kHeight,
                         cudaMemcpyHostToDevice));
  EXPECT_CALL(cudaErrorInvalidValue,
              cudaMemcpy2DToArray(array, 4, 0, texels, sizeof texels[0], sizeof texels[0], kHeight,
                                  cudaMemcpyHostToDevice));
  OK(cudaMemcpy2DArrayToArray(other, 0, 0, array, 0, 0, sizeof texels[0], kHeight));
  OK(cudaMemcpy2DFromArray(copied, sizeof copied[0], other, 4, 1, 8, 2, cudaMemcpyDeviceToHost));
  EXPECT(copied[0][0] == 11 && copied[0][1] == 12 && copied[1][1] == 22 && copied[0][2] == 0);
  // Of one row a pitch of zero will do.
  OK(cudaMemcpy2DFromArray(copied, 0, array, 0, 2, 8, 1, cudaMemcpyDeviceToHost));
  EXPECT(copied[0][0] == 20 && copied[0][1] == 21 && copied[0][2] == 0);
  OK(cudaMemcpy2DToArray(array, 0, 2, texels[2], 0, sizeof texels[0], 1, cudaMemcpyHostToDevice));
  EXPECT_CALL(cudaErrorInvalidPitchValue,
              cudaMemcpy2DToArray(array, 0, 0, texels, 0, 8, 2, cudaMemcpyHostToDevice));
  cudaGetLastError();

  const std::vector<float2> places{{0.5f, 0.5f}, {1.9f, 2.1f}, {-3, 9}, {2, 1.5f}, {1.25f, 1.5f}};
  const float2* at = on_device(places);
  float* out = on_device(std::vector<float>(8));
  const auto ask = [&](cudaTextureAddressMode mode, cudaTextureFilterMode filter) {
    const auto object =
        texture(over(array), sampling(mode, filter, cudaReadModeElementType, false));
    read_plane<<<1, places.size()>>>(object, at, out);
    OK(cudaDestroyTextureObject(object));
    return back(out, places.size());
  };
  EXPECT((ask(cudaAddressModeClamp, cudaFilterModePoint) == std::vector<float>{0, 21, 30, 12, 11}));
  EXPECT((ask(cudaAddressModeBorder, cudaFilterModePoint) == std::vector<float>{0, 21, 0, 12, 11}));
  const auto filtered = ask(cudaAddressModeClamp, cudaFilterModeLinear);
  EXPECT(filtered[0] == 0 && filtered[2] == 30 && filtered[3] == 11.5f && filtered[4] == 10.75f);

  const std::vector<cudaTextureObject_t> two{
      texture(over(array),
              sampling(cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, false)),
      texture(over(other), sampling(cudaAddressModeClamp, cudaFilterModeLinear,
                                    cudaReadModeElementType, false))};
  read_many<<<1, 4>>>(on_device(two), out);
  EXPECT((back(out, 4) == std::vector<float>{11, 5.5f, 11, 5.5f}));
  cudaResourceDesc same;
  OK(cudaGetTextureObjectResourceDesc(&same, two[0]));
  EXPECT(same.res.array.array == array);
  OK(cudaFreeArray(array));
  OK(cudaFreeArray(other));
}

static void linear_memory() {
  std::vector<uchar4> texels(4);
  for (unsigned char i = 0; i < 4; ++i)
    texels[i] = make_uchar4(static_cast<unsigned char>(51 * i), 255, 0, 51);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = on_device(texels);
  resource.res.linear.desc = cudaCreateChannelDesc<uchar4>();
  resource.res.linear.sizeInBytes = 16;
  const auto object = texture(resource, sampling(cudaAddressModeClamp, cudaFilterModePoint,
                                                 cudaReadModeNormalizedFloat, false));
  float4* out = on_device(std::vector<float4>(6));
  read_bytes<<<1, 6>>>(object, out);
  const auto read = back(out, 6);
  EXPECT(read[0].y == 0 && read[5].y == 0);  // there is nothing
  for (int i = 0; i < 4; ++i)
    EXPECT(read[i + 1].x == i / 5.0f && read[i + 1].y == 1 && read[i + 1].w == 0.2f);
  resource.res.linear.sizeInBytes = std::size_t{1} << 40;
  cudaTextureObject_t none;
  const auto how =
      sampling(cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, false);
  EXPECT_CALL(cudaErrorInvalidValue, cudaCreateTextureObject(&none, &resource, &how, nullptr));
}

static void boxes() {
  std::vector<short2> texels(4 * 3 * 2);
  std::vector<float> numbers(texels.size());
  for (std::size_t i = 0; i < texels.size(); ++i) {
    texels[i] = make_short2(static_cast<short>(i), static_cast<short>(-i));
    numbers[i] = 0.5f * i;
  }
  const auto fill = [](cudaArray_t array, void* from, std::size_t bytes) {
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(from, 4 * bytes, 4, 3);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(4, 3, 2);
    copy.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&copy));
  };
  const auto how =
      sampling(cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, false);
  cudaArray_t volume, layers;
  const cudaChannelFormatDesc pairs = cudaCreateChannelDesc<short2>(),
                              single = cudaCreateChannelDesc<float>();
  OK(cudaMalloc3DArray(&volume, &pairs, make_cudaExtent(4, 3, 2)));
  OK(cudaMalloc3DArray(&layers, &single, make_cudaExtent(4, 3, 2), cudaArrayLayered));
  cudaExtent extent;
  unsigned flags;
  OK(cudaArrayGetInfo(nullptr, &extent, &flags, layers));
  EXPECT(extent.depth == 2 && flags == cudaArrayLayered);
  fill(volume, texels.data(), sizeof(short2));
  fill(layers, numbers.data(), sizeof(float));
  short2* out = on_device(texels);
  read_volume<<<1, 24>>>(texture(over(volume), how), out);
  const auto read = back(out, 24);
  for (int i = 0; i < 24; ++i) EXPECT(read[i].x == i && read[i].y == -i);
  float* from_layers = on_device(std::vector<float>(24));
  read_layers<<<1, 24>>>(texture(over(layers), how), from_layers);
  EXPECT(back(from_layers, 24) == numbers);
}

static void surfaces() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  std::vector<float> texels(16), turned(16);
  for (int i = 0; i < 16; ++i) texels[i] = static_cast<float>(i);
  cudaArray_t from, to;
  OK(cudaMallocArray(&from, &format, 4, 4, cudaArraySurfaceLoadStore));
  OK(cudaMallocArray(&to, &format, 4, 4, cudaArraySurfaceLoadStore));
  OK(cudaMemcpy2DToArray(from, 0, 0, texels.data(), 16, 16, 4, cudaMemcpyHostToDevice));
  cudaSurfaceObject_t source, destination;
  cudaResourceDesc resource = over(from);
  OK(cudaCreateSurfaceObject(&source, &resource));
  resource = over(to);
  OK(cudaCreateSurfaceObject(&destination, &resource));
  turn<<<1, dim3(4, 4)>>>(source, destination);
  OK(cudaMemcpy2DFromArray(turned.data(), 16, to, 0, 0, 16, 4, cudaMemcpyDeviceToHost));
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 4; ++x) EXPECT(turned[4 * x + y] == texels[4 * y + x] + 1);
  float* out = on_device(std::vector<float>(2, 9));
  beyond<<<1, 1>>>(source, out);
  EXPECT((back(out, 2) == std::vector<float>{0, 15}));
  OK(cudaDestroySurfaceObject(source));
  OK(cudaDestroySurfaceObject(destination));
  turn<<<1, dim3(4, 4)>>>(source, destination);  // destroyed: an H200 does not mind
  OK(cudaDeviceSynchronize());
}

int main() {
  plane();
  linear_memory();
  boxes();
  surfaces();
  std::puts("ok");
}
