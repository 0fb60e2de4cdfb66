// Which SMs share a GPC.
#pragma once

#include <map>
#include <numeric>

#include "probe.h"

namespace timing {

static __global__ void tell_sm(unsigned* sm) {
  if (threadIdx.x == 0) sm[blockIdx.x] = sm_id();
}

// The GPC of each SM, by the clusters that its blocks have been in: those of one share a GPC. Where
// some are never in one together, what is left is taken to be one GPC.
inline std::vector<int> find_gpcs(int sms) {
  constexpr int kMostNumbers = 256;
  constexpr unsigned kAlone = 120 * 1024;  // shared memory of a block that has an SM for itself
  std::vector<int> parent(kMostNumbers);
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int sm) {
    while (parent[sm] != sm) sm = parent[sm];
    return sm;
  };
  CUDA(cudaFuncSetAttribute(tell_sm, cudaFuncAttributeMaxDynamicSharedMemorySize, kAlone));
  for (int round = 0; round < 8; ++round)
    for (const unsigned size : {8u, 7u, 6u, 5u, 4u, 3u, 2u}) {
      const unsigned blocks = unsigned(sms) / size * size;
      const Buffer<unsigned> seen(blocks);
      cudaLaunchConfig_t launch{};
      launch.gridDim = blocks;
      launch.blockDim = 32;
      launch.dynamicSmemBytes = kAlone;
      cudaLaunchAttribute cluster{};
      cluster.id = cudaLaunchAttributeClusterDimension;
      cluster.val.clusterDim = {size, 1, 1};
      launch.attrs = &cluster;
      launch.numAttrs = 1;
      CUDA(cudaLaunchKernelEx(&launch, tell_sm, seen.data()));
      finish();
      const auto sm = seen.read();
      for (unsigned i = 0; i < blocks; ++i)
        parent[root(int(sm[i]))] = root(int(sm[i / size * size]));
    }
  std::map<int, int> sizes;
  for (int sm = 0; sm < sms; ++sm) ++sizes[root(sm)];
  constexpr int kFew = 10;
  int few = -1;
  for (int sm = 0; sm < sms; ++sm)
    if (parent[sm] == sm && sizes[sm] < kFew) {
      if (few >= 0) parent[sm] = few;
      few = root(sm);
    }
  std::map<int, int> numbers;
  std::vector<int> gpc(sms);
  for (int sm = 0; sm < sms; ++sm)
    gpc[sm] = numbers.emplace(root(sm), int(numbers.size())).first->second;
  return gpc;
}

}  // namespace timing
