// Walks down a search tree that lies in an array: to a key, to all keys of a range with a stack in
// local memory, and by bisection of the sorted keys.
//
//   tree_walks [keys = 65536] [block size = 128] [blocks = 264]
#include <algorithm>

#include "../common/device_array.h"

struct Node {
  unsigned key;
  int left, right;
};

__global__ void find(const Node* nodes, unsigned limit, unsigned* depths) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned key = scramble(thread) % limit;
  unsigned depth = 0;
  for (int node = 0; node >= 0; ++depth) {
    if (nodes[node].key == key) break;
    node = key < nodes[node].key ? nodes[node].left : nodes[node].right;
  }
  depths[thread] = depth;
}

__global__ void count_range(const Node* nodes, unsigned limit, unsigned* counts) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned low = scramble(thread) % limit, high = low + limit / 4096;
  int stack[48], size = 0;
  unsigned count = 0;
  stack[size++] = 0;
  while (size > 0) {
    const Node node = nodes[stack[--size]];
    if (node.key >= low && node.key <= high) ++count;
    if (node.left >= 0 && node.key >= low) stack[size++] = node.left;
    if (node.right >= 0 && node.key <= high) stack[size++] = node.right;
  }
  counts[thread] = count;
}

__global__ void bisect(const unsigned* sorted, unsigned size, unsigned limit, unsigned* places) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned key = scramble(thread) % limit;
  unsigned low = 0, high = size;
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    if (sorted[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  places[thread] = low;
}

int main(int argc, char** argv) {
  const unsigned size = unsigned(argument(argc, argv, 1, 65536, 16, 1 << 22));
  const unsigned block = unsigned(argument(argc, argv, 2, 128, 1, 1024));
  const unsigned blocks = unsigned(argument(argc, argv, 3, 264, 1, 4096));
  const unsigned limit = size * 4, threads = block * blocks;
  // Inserted one by one, in random order.
  std::vector<unsigned> sorted(size);
  std::vector<Node> nodes;
  for (unsigned i = 0; i < size; ++i) sorted[i] = i * 4 + scramble(i) % 4;
  std::vector<unsigned> order = sorted;
  for (unsigned i = size - 1; i > 0; --i) std::swap(order[i], order[scramble(i + 5) % (i + 1)]);
  for (const unsigned key : order) {
    int* link = nullptr;
    for (int node = nodes.empty() ? -1 : 0; node >= 0; node = *link)
      link = key < nodes[node].key ? &nodes[node].left : &nodes[node].right;
    const int index = int(nodes.size());
    if (link != nullptr) *link = index;
    nodes.push_back({key, -1, -1});
  }
  DeviceArray<Node> d_nodes(nodes);
  DeviceArray<unsigned> d_sorted(sorted), depths(threads), counts(threads), places(threads);
  find<<<blocks, block>>>(d_nodes.data(), limit, depths.data());
  count_range<<<blocks, block>>>(d_nodes.data(), limit, counts.data());
  bisect<<<blocks, block>>>(d_sorted.data(), size, limit, places.data());
  const auto found_depths = depths.host(), found_counts = counts.host(),
             found_places = places.host();
  bool right_depths = true, right_counts = true, right_places = true;
  const auto place = [&](unsigned key) {
    return unsigned(std::lower_bound(sorted.begin(), sorted.end(), key) - sorted.begin());
  };
  for (unsigned thread = 0; thread < threads; ++thread) {
    const unsigned key = scramble(thread) % limit;
    unsigned depth = 0;
    for (int node = 0; node >= 0 && nodes[node].key != key; ++depth)
      node = key < nodes[node].key ? nodes[node].left : nodes[node].right;
    right_depths = right_depths && found_depths[thread] == depth;
    right_counts =
        right_counts && found_counts[thread] == place(key + limit / 4096 + 1) - place(key);
    right_places = right_places && found_places[thread] == place(key);
  }
  Verdict verdict;
  verdict.expect(right_depths, "find");
  verdict.expect(right_counts, "count_range");
  verdict.expect(right_places, "bisect");
  return verdict.finish();
}
