// Sweeps over a graph of compressed rows: which nodes are next to those reached last, how many
// triangles each edge closes, and the smallest name within reach.
//
//   graph_sweeps [nodes = 16384]
#include <algorithm>

#include "../common/device_array.h"

// A node that has no distance yet looks for a neighbour that was reached last.
__global__ void pull_level(const int* rows, const int* edges, int* distances, int nodes,
                           int level) {
  const int node = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (node >= nodes || distances[node] >= 0) return;
  for (int i = rows[node]; i < rows[node + 1]; ++i)
    if (distances[edges[i]] == level) {
      distances[node] = level + 1;
      break;
    }
}

// Neighbours that a node and each of its neighbours share; both lists are sorted.
__global__ void triangles(const int* rows, const int* edges, int* counts, int nodes) {
  const int node = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (node >= nodes) return;
  int count = 0;
  for (int e = rows[node]; e < rows[node + 1]; ++e) {
    const int other = edges[e];
    int i = rows[node], j = rows[other];
    while (i < rows[node + 1] && j < rows[other + 1]) {
      if (edges[i] == edges[j]) ++count;
      if (edges[i] <= edges[j])
        ++i;
      else
        ++j;
    }
  }
  counts[node] = count;
}

__global__ void least_names(const int* rows, const int* edges, const int* names, int* least,
                            int nodes) {
  const int node = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (node >= nodes) return;
  int found = names[node];
  for (int i = rows[node]; i < rows[node + 1]; ++i) found = min(found, names[edges[i]]);
  least[node] = found;
}

int main(int argc, char** argv) {
  const int nodes = int(argument(argc, argv, 1, 16384, 64, 1 << 20));
  std::vector<std::vector<int>> neighbours(nodes);
  for (int node = 0; node < nodes; ++node) {
    const unsigned random = scramble(unsigned(node) * 3 + 1);
    const unsigned degree = random % 32 == 0 ? random >> 8 & 31 : 1 + (random >> 8 & 3);
    for (unsigned i = 0; i < degree; ++i) {
      const unsigned to = scramble(unsigned(node) * 64 + i);
      const int other =
          to % 4 == 0 ? int((to >> 4) % unsigned(nodes)) : (node + 1 + int((to >> 4) % 16)) % nodes;
      neighbours[node].push_back(other);
      neighbours[other].push_back(node);
    }
  }
  std::vector<int> rows(nodes + 1), edges, names(nodes), want_triangles(nodes), want_least(nodes);
  for (int node = 0; node < nodes; ++node) {
    auto& list = neighbours[node];
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    rows[node] = int(edges.size());
    edges.insert(edges.end(), list.begin(), list.end());
    names[node] = int(scramble(unsigned(node) + 9) >> 1);
  }
  rows[nodes] = int(edges.size());
  for (int node = 0; node < nodes; ++node) {
    want_least[node] = names[node];
    for (const int other : neighbours[node]) {
      want_least[node] = std::min(want_least[node], names[other]);
      for (const int third : neighbours[other])
        want_triangles[node] +=
            std::binary_search(neighbours[node].begin(), neighbours[node].end(), third);
    }
  }
  std::vector<int> want(nodes, -1), queue = {1};
  want[1] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (const int other : neighbours[queue[i]])
      if (want[other] < 0) {
        want[other] = want[queue[i]] + 1;
        queue.push_back(other);
      }

  std::vector<int> start(nodes, -1);
  start[1] = 0;
  DeviceArray<int> d_rows(rows), d_edges(edges), d_names(names), distances(start);
  DeviceArray<int> counts(nodes), least(nodes);
  const unsigned threads = 128, blocks = (unsigned(nodes) + threads - 1) / threads;
  for (int level = 0; level < want[queue.back()]; ++level)
    pull_level<<<blocks, threads>>>(d_rows.data(), d_edges.data(), distances.data(), nodes, level);
  triangles<<<blocks, threads>>>(d_rows.data(), d_edges.data(), counts.data(), nodes);
  least_names<<<blocks, threads>>>(d_rows.data(), d_edges.data(), d_names.data(), least.data(),
                                   nodes);
  Verdict verdict;
  verdict.expect(queue.size() > std::size_t(nodes) / 2, "the search reaches most nodes");
  verdict.expect(distances.host() == want, "pull_level");
  verdict.expect(counts.host() == want_triangles, "triangles");
  verdict.expect(least.host() == want_least, "least_names");
  return verdict.finish();
}
