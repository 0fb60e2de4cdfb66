// Graphs of work, built call by call or captured from streams. Work is carried out one item after
// another (engine.hpp), so a graph that is launched is its nodes in an order that its edges allow.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
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
  NodeType type = NodeType::empty;
  std::function<Error(Context&, Stream&)> run;  // submits its work; empty: there is none
  std::vector<const GraphNode*> after;
  const GraphNode* cloned_from = nullptr;
  std::shared_ptr<const NodeDescription> description;  // null: the program gave none
};

class Graph {
 public:
  GraphNode* add(NodeType type, std::function<Error(Context&, Stream&)> run,
                 std::vector<const GraphNode*> after = {});
  const std::vector<std::unique_ptr<GraphNode>>& nodes() const { return nodes_; }
  bool contains(const void* node) const;
  // With the edges from it and to it; it must be a node of this graph.
  void remove(const GraphNode* node);
  std::shared_ptr<Graph> clone() const;
  std::vector<std::shared_ptr<const void>> keeps;  // objects of the program, as long as the graph
  std::optional<Capture> capture;                  // nothing: none is under way
  std::atomic<bool> invalidated = false;           // its capture: by a call that it does not allow
  std::vector<Condition> conditions;
  // An order that the edges allow, earlier nodes first; empty when they form a circle.
  std::vector<const GraphNode*> order() const;

 private:
  std::vector<std::unique_ptr<GraphNode>> nodes_;
};

}  // namespace heddle::runtime
