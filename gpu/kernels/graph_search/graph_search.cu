// Breadth-first search over a graph of compressed rows, one launch a level, with a frontier that
// threads add to by an atomic; and the same by one block that stops when nothing changes.
#include "../common/device_array.h"

__global__ void level(const int* rows, const int* edges, int* distances, const int* frontier,
                      int size, int* next, int* next_size, int distance) {
  const int thread = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (thread >= size) return;
  const int node = frontier[thread];
  for (int i = rows[node]; i < rows[node + 1]; ++i)
    if (atomicCAS(&distances[edges[i]], -1, distance) == -1)
      next[atomicAdd(next_size, 1)] = edges[i];
}

__global__ void relax(const int* rows, const int* edges, int* distances, int nodes) {
  __shared__ bool changed;
  do {
    __syncthreads();
    changed = false;
    __syncthreads();
    for (int node = int(threadIdx.x); node < nodes; node += int(blockDim.x)) {
      const int from = distances[node];
      if (from < 0) continue;
      for (int i = rows[node]; i < rows[node + 1]; ++i) {
        const int before = distances[edges[i]];
        if (before >= 0 && before <= from + 1) continue;
        atomicMin(reinterpret_cast<unsigned*>(&distances[edges[i]]), unsigned(from + 1));
        changed = true;
      }
    }
    __syncthreads();
  } while (changed);
}

int main() {
  constexpr int kNodes = 200;
  std::vector<int> rows(kNodes + 1), edges;
  for (int node = 0; node < kNodes; ++node) {
    rows[node] = int(edges.size());
    for (unsigned i = 0; i < scramble(unsigned(node)) % 5; ++i)
      edges.push_back(int(scramble(unsigned(node) * 8 + i) % kNodes));
  }
  rows[kNodes] = int(edges.size());
  std::vector<int> want(kNodes, -1), queue = {1};
  want[1] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (int e = rows[queue[i]]; e < rows[queue[i] + 1]; ++e)
      if (want[edges[e]] < 0) {
        want[edges[e]] = want[queue[i]] + 1;
        queue.push_back(edges[e]);
      }

  std::vector<int> start(kNodes, -1);
  start[1] = 0;
  DeviceArray<int> d_rows(rows), d_edges(edges), distances(start), relaxed(start);
  DeviceArray<int> a(std::vector<int>(kNodes, 1)), b(kNodes), size(1);
  int frontier = 1;
  for (int distance = 1; frontier > 0; ++distance) {
    CHECK(cudaMemset(size.data(), 0, sizeof(int)));
    level<<<(unsigned(frontier) + 63) / 64, 64>>>(
        d_rows.data(), d_edges.data(), distances.data(), distance % 2 ? a.data() : b.data(),
        frontier, distance % 2 ? b.data() : a.data(), size.data(), distance);
    frontier = size.host()[0];
  }
  relax<<<1, 64>>>(d_rows.data(), d_edges.data(), relaxed.data(), kNodes);
  Verdict verdict;
  verdict.expect(queue.size() > 20, "the search reaches many nodes");
  verdict.expect(distances.host() == want, "level");
  verdict.expect(relaxed.host() == want, "relax");
  return verdict.finish();
}
