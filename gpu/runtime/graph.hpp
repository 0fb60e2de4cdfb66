// Graphs of work, built call by call or captured from streams. Work is carried out one item after
// another (engine.hpp), so a graph that is launched is its nodes in an order that its edges allow.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <unordered_map>
#include <vector>

#include "gpu/runtime/error.hpp"

namespace heddle::runtime {

class Context;
struct Stream;

// As cudaGraphNodeType numbers them.
enum class NodeType : int {
  kernel = 0,
  copy = 1,
  fill = 2,
  host = 3,
  graph = 4,
  empty = 5,
  event_wait = 6,
  event_record = 7,
  allocate = 10,
  free = 11,
  memory_operations = 12,
  conditional = 13
};

// Which calls of which threads a capture does not allow (cudaStreamCaptureMode).
enum class CaptureMode : int { global = 0, own_thread = 1, relaxed = 2 };

// While streams capture into a graph.
struct Capture {
  std::uint64_t id = 0;  // of this process, never given again
  CaptureMode mode = CaptureMode::global;
  std::thread::id thread;          // that began it
  const Stream* origin = nullptr;  // the stream in which it ends
  bool blocking = false;           // a stream that waits for stream 0 takes part
};

// The condition of a conditional node: 32 bits in device memory, which kernels set.
struct Condition {
  std::uint64_t address = 0;
  std::uint32_t first = 0;
  bool assign = false;  // `first` whenever the graph is launched
};

struct NodeDescription;  // cudart/graphs.hpp

struct GraphNode {
  std::uint64_t number = 0;  // no other node of this process ever has it, unlike its address
  NodeType type = NodeType::empty;
  std::function<Error(Context&, Stream&)> run;  // submits its work; empty: there is none
  std::vector<const GraphNode*> after;
  std::uint64_t cloned_from = 0;                       // the number of the node it is a copy of
  std::shared_ptr<const NodeDescription> description;  // null: the program gave none
};

// Memory that nodes of one graph allocate. Its addresses are given to a later node when the one
// that frees them comes before that, as on an H200.
struct GraphBlock {
  std::uint64_t address = 0, bytes = 0;
  const GraphNode* freed_by = nullptr;  // null: none yet
  std::shared_ptr<const void> whole;    // the allocation of which it is a part
};

class Graph : public std::enable_shared_from_this<Graph> {
 public:
  Graph() = default;
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  GraphNode* add(NodeType type, std::function<Error(Context&, Stream&)> run,
                 std::vector<const GraphNode*> after = {});
  const std::vector<std::unique_ptr<GraphNode>>& nodes() const { return nodes_; }
  bool contains(const void* node) const;
  const GraphNode* clone_of(std::uint64_t number) const;  // null: none
  // With the edges from it and to it; it must be a node of this graph.
  void remove(const GraphNode* node);
  std::shared_ptr<Graph> clone() const;
  std::vector<std::shared_ptr<const void>> keeps;  // objects of the program, as long as the graph
  std::optional<Capture> capture;                  // nothing: none is under way
  std::atomic<bool> invalidated = false;           // its capture: by a call that it does not allow
  std::vector<Condition> conditions;
  std::vector<GraphBlock> memory;
  std::uint64_t memory_bytes = 0;        // of all its allocations
  std::weak_ptr<const void> executable;  // the last one made of it
  // An order that the edges allow, earlier nodes first; empty when they form a circle. Nodes come
  // as they were added, but for those that have to wait: again and again what is ready of all.
  std::vector<const GraphNode*> order() const;

 private:
  std::vector<std::unique_ptr<GraphNode>> nodes_;
  std::unordered_map<std::uint64_t, const GraphNode*> clones_;  // by the number of the first
};

// The graph that has a node which the program names; null: there is no such node.
std::shared_ptr<Graph> graph_of(const void* node);
// Those that `last` come after, and `last` themselves.
std::set<const GraphNode*> all_before(std::vector<const GraphNode*> last);

}  // namespace heddle::runtime
