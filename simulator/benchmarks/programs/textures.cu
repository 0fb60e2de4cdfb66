// An image through the texture unit: filtered between texels, clamped at its edges, and fetched
// word by word.
//
//   textures [size = 1024] [rounds = 8]
#include "../../../gpu/kernels/common/device_array.h"

__global__ void filtered(cudaTextureObject_t image, float* out, unsigned size, unsigned rounds) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  float sum = 0, u = x + 0.25f, v = y + 0.75f;
  for (unsigned i = 0; i < rounds; ++i) {
    sum += tex2D<float>(image, u, v);
    u += 0.375f;
    v += sum * 0.125f - 0.0625f;
  }
  out[y * size + x] = sum;
}

__global__ void fetched(cudaTextureObject_t words, float* out, unsigned count, unsigned rounds) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  unsigned at = thread;
  for (unsigned i = 0; i < rounds; ++i) {
    sum += tex1Dfetch<float>(words, int(at % count));
    at = at * 5 + 1;
  }
  out[thread] = sum;
}

static cudaTextureObject_t texture_of(const cudaResourceDesc& resource,
                                      cudaTextureFilterMode mode) {
  cudaTextureDesc how = {};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  how.filterMode = mode;
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  return texture;
}

int main(int argc, char** argv) {
  const auto size = unsigned(argument(argc, argv, 1, 1024, 128, 8192)) / 128 * 128;
  const auto rounds = unsigned(argument(argc, argv, 2, 8, 1, 1024));
  std::vector<float> texels(std::size_t{size} * size);
  for (std::size_t i = 0; i < texels.size(); ++i)
    texels[i] = float(scramble(unsigned(i)) % 256) / 256;
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  CHECK(cudaMallocArray(&array, &format, size, size));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, texels.data(), size * 4, size * 4, size,
                            cudaMemcpyHostToDevice));
  cudaResourceDesc of_array = {};
  of_array.resType = cudaResourceTypeArray;
  of_array.res.array.array = array;
  const cudaTextureObject_t image = texture_of(of_array, cudaFilterModeLinear);

  DeviceArray<float> words(texels), out(texels.size());
  cudaResourceDesc of_words = {};
  of_words.resType = cudaResourceTypeLinear;
  of_words.res.linear.devPtr = words.data();
  of_words.res.linear.desc = format;
  of_words.res.linear.sizeInBytes = texels.size() * sizeof(float);
  const cudaTextureObject_t list = texture_of(of_words, cudaFilterModePoint);

  filtered<<<dim3(size / 128, size), 128>>>(image, out.data(), size, rounds);
  const auto sums = out.host();
  fetched<<<size * size / 128, 128>>>(list, out.data(), size * size, rounds);
  const auto plain = out.host();
  Verdict verdict;
  bool within = true, same = true;
  for (std::size_t i = 0; i < texels.size(); ++i) {
    within = within && sums[i] >= 0 && sums[i] <= float(rounds);
    float sum = 0;
    unsigned at = unsigned(i);
    for (unsigned round = 0; round < rounds; ++round, at = at * 5 + 1)
      sum += texels[at % (size * size)];
    same = same && plain[i] == sum;
  }
  verdict.expect(within, "filtered");
  verdict.expect(same, "fetched");
  return verdict.finish();
}
