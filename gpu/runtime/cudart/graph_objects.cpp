// The program's own objects that graphs keep, and graphs as text.
#include <fstream>
#include <map>

#include <fmt/format.h>

#include "gpu/runtime/cudart/graph_calls.hpp"

namespace heddle::runtime {

namespace {

// Its destructor is called when nobody holds it any more.
struct UserObject {
  void* object;
  void (*destroy)(void*);
  UserObject(void* what, void (*how)(void*)) : object(what), destroy(how) {}
  UserObject(const UserObject&) = delete;
  UserObject& operator=(const UserObject&) = delete;
  ~UserObject() { destroy(object); }
};

// What the program holds, each reference by itself.
using References = std::vector<std::shared_ptr<UserObject>>;
std::map<abi::Handle, References>& user_objects() {  // all_graphs().mutex guards it
  static auto& all = *new std::map<abi::Handle, References>;
  return all;
}

// Calls `body` with the references the program holds; those taken out go when the lock is gone.
template <typename Body>
Error on_object(abi::Handle handle, Body body) {
  return api([&] {
    References released;
    std::lock_guard lock(all_graphs().mutex);
    const auto found = user_objects().find(handle);
    if (found == user_objects().end()) return Error::invalid_value;
    const Error error = body(found->second, released);
    if (found->second.empty()) user_objects().erase(found);
    return error;
  });
}

Error take(References& from, unsigned count, References& to) {
  if (count == 0 || count > from.size()) return Error::invalid_value;
  for (unsigned i = 0; i < count; ++i) {
    to.push_back(std::move(from.back()));
    from.pop_back();
  }
  return Error::success;
}

const char* way_of(abi::MemcpyKind kind) {
  static constexpr const char* kWays[] = {"HtoH", "HtoD", "DtoH", "DtoD", "Default"};
  return kWays[static_cast<int>(kind)];
}

// As CUDA draws it.
std::string drawn(const GraphNode& node, std::size_t number) {
  const abi::GraphNodeParams* const params = node.description ? &node.description->params : nullptr;
  switch (node.type) {
    case NodeType::kernel: {
      const char* name = nullptr;
      if (params != nullptr) cudaFuncGetName(&name, params->kernel.func);
      return fmt::format("[style=\"bold\" shape=\"octagon\" label=\"{}\n{}\n\"];", number,
                         name == nullptr ? "KERNEL" : name);
    }
    case NodeType::copy:
      if (params == nullptr)
        return fmt::format("[style=\"solid\" shape=\"trapezium\"label=\"{}\nMEMCPY\n\"];", number);
      return fmt::format("[style=\"solid\" shape=\"trapezium\"label=\"{}\nMEMCPY\n({},{})\n\"];",
                         number, way_of(params->copy.copyParams.kind),
                         params->copy.copyParams.extent.width);
    case NodeType::fill:
      return fmt::format("[style=\"solid\" shape=\"invtrapezium\"label=\"{}\nMEMSET\n\"];", number);
    case NodeType::host:
      return fmt::format("[style=\"solid\" shape=\"rectangle\" label=\"{}\nHOST\n\"];", number);
    case NodeType::empty:
      return fmt::format("[style=\"solid\" shape=\"rectangle\" label=\"{}\nEMPTY\n\"];", number);
    case NodeType::graph:
      return fmt::format("[style=\"solid\" shape=\"rectangle\" label=\"{}\nGRAPH\n\"];", number);
    case NodeType::event_wait:
      return fmt::format("[style=\"solid\" shape=\"rectangle\" label=\"{}\nEVENT_WAIT\n\"];",
                         number);
    case NodeType::event_record:
      return fmt::format("[style=\"solid\" shape=\"rectangle\" label=\"{}\nEVENT_RECORD\n\"];",
                         number);
    case NodeType::allocate:
      return fmt::format("[style=\"solid\" shape=\"rectangle\" label=\"{}\nMEM_ALLOC\n\"];",
                         number);
    case NodeType::free:
      return fmt::format("[style=\"solid\" shape=\"rectangle\" label=\"{}\nMEM_FREE\n\"];", number);
    case NodeType::memory_operations:
      return fmt::format("[style=\"solid\" shape=\"rectangle\" label=\"{}\nMEM_OPS\n\"];", number);
    case NodeType::conditional:
      return fmt::format("[style=\"solid\" shape=\"diamond\" label=\"{}\nCONDITIONAL\n\"];",
                         number);
  }
  return {};
}

}  // namespace

HEDDLE_API Error cudaUserObjectCreate(abi::Handle* object, void* what, void (*destroy)(void*),
                                      unsigned references, unsigned flags) {
  return api([&] {
    constexpr unsigned kNoDestructorSync = 1, kMost = 0x7fffffff;
    if (object == nullptr || destroy == nullptr || references == 0 || references > kMost ||
        flags != kNoDestructorSync)
      return Error::invalid_value;
    auto made = std::make_shared<UserObject>(what, destroy);
    *object = made.get();
    std::lock_guard lock(all_graphs().mutex);
    user_objects()[*object].assign(references, made);
    return Error::success;
  });
}

HEDDLE_API Error cudaUserObjectRetain(abi::Handle object, unsigned count) {
  return on_object(object, [&](References& held, References&) {
    if (count == 0) return Error::invalid_value;
    held.insert(held.end(), count, held.front());
    return Error::success;
  });
}

HEDDLE_API Error cudaUserObjectRelease(abi::Handle object, unsigned count) {
  return on_object(
      object, [&](References& held, References& released) { return take(held, count, released); });
}

HEDDLE_API Error cudaGraphRetainUserObject(abi::Handle handle, abi::Handle object, unsigned count,
                                           unsigned flags) {
  const auto graph = find_graph(handle);
  return on_object(object, [&](References& held, References&) {
    constexpr unsigned kMove = 1;
    if (!graph || count == 0 || flags > kMove) return Error::invalid_value;
    References given(count, held.front());
    References moved;
    if (flags == kMove)
      if (const Error error = take(held, count, moved); error != Error::success) return error;
    graph->keeps.insert(graph->keeps.end(), given.begin(), given.end());
    return Error::success;
  });
}

HEDDLE_API Error cudaGraphReleaseUserObject(abi::Handle handle, abi::Handle object,
                                            unsigned count) {
  return api([&] {
    const auto graph = find_graph(handle);
    if (!graph || count == 0) return Error::invalid_value;
    std::vector<std::shared_ptr<const void>> released;
    for (auto at = graph->keeps.begin(); at != graph->keeps.end() && count != 0;) {
      if (at->get() != object) {
        ++at;
        continue;
      }
      released.push_back(std::move(*at));
      at = graph->keeps.erase(at);
      --count;
    }
    return count == 0 ? Error::success : Error::invalid_value;
  });
}

HEDDLE_API Error cudaGraphDebugDotPrint(abi::Handle handle, const char* path,
                                        [[maybe_unused]] unsigned flags) {
  return api([&] {
    const auto graph = find_graph(handle);
    if (!graph || path == nullptr) return Error::invalid_value;
    std::ofstream file(path);
    if (!file) return Error::operating_system;
    file << "digraph dot {\nsubgraph cluster_1 {\nlabel=\"graph_1\" graph[style=\"dashed\"];\n";
    std::map<const GraphNode*, std::size_t> numbers;
    for (const auto& node : graph->nodes()) {
      const std::size_t number = numbers.size();
      numbers[node.get()] = number;
      file << fmt::format("\"graph_1_node_{}\"{}\n\n", number, drawn(*node, number));
    }
    for (const auto& node : graph->nodes())
      for (const GraphNode* before : node->after)
        file << fmt::format("\"graph_1_node_{}\" -> \"graph_1_node_{}\";\n", numbers.at(before),
                            numbers.at(node.get()));
    file << "}\n}\n";
    return file.flush() ? Error::success : Error::operating_system;
  });
}

}  // namespace heddle::runtime
