// Graphs and captures, whose edges had no data in the functions without a version's suffix.
#include "gpu/runtime/cudart12/previous.hpp"

namespace heddle::runtime {

using abi::Handle;

HEDDLE_OF_13(cudaGraphAddDependencies,
             (Handle, const Handle*, const Handle*, const void*, std::size_t));
HEDDLE_OF_13(cudaGraphRemoveDependencies,
             (Handle, const Handle*, const Handle*, const void*, std::size_t));
HEDDLE_OF_13(cudaGraphGetEdges, (Handle, Handle*, Handle*, void*, std::size_t*));
HEDDLE_OF_13(cudaGraphNodeGetDependencies, (Handle, Handle*, void*, std::size_t*));
HEDDLE_OF_13(cudaGraphNodeGetDependentNodes, (Handle, Handle*, void*, std::size_t*));
HEDDLE_OF_13(cudaGraphAddNode,
             (Handle*, Handle, const Handle*, const void*, std::size_t, abi::GraphNodeParams*));

HEDDLE_API_12 Error cudaGraphAddDependencies(Handle graph, const Handle* from, const Handle* to,
                                             std::size_t count) {
  return previous_cudaGraphAddDependencies(graph, from, to, nullptr, count);
}

HEDDLE_API_12 Error cudaGraphRemoveDependencies(Handle graph, const Handle* from, const Handle* to,
                                                std::size_t count) {
  return previous_cudaGraphRemoveDependencies(graph, from, to, nullptr, count);
}

HEDDLE_API_12 Error cudaGraphGetEdges(Handle graph, Handle* from, Handle* to, std::size_t* count) {
  return previous_cudaGraphGetEdges(graph, from, to, nullptr, count);
}

HEDDLE_API_12 Error cudaGraphNodeGetDependencies(Handle node, Handle* nodes, std::size_t* count) {
  return previous_cudaGraphNodeGetDependencies(node, nodes, nullptr, count);
}

HEDDLE_API_12 Error cudaGraphNodeGetDependentNodes(Handle node, Handle* nodes, std::size_t* count) {
  return previous_cudaGraphNodeGetDependentNodes(node, nodes, nullptr, count);
}

HEDDLE_API_12 Error cudaGraphAddNode(Handle* node, Handle graph, const Handle* after,
                                     std::size_t count, abi::GraphNodeParams* params) {
  return previous_cudaGraphAddNode(node, graph, after, nullptr, count, params);
}

// Each function with a stream exists twice: for the legacy and for the per-thread default stream.
#define HEDDLE_BOTH(define) define() define(_ptsz)

#define HEDDLE_CAPTURES(suffix)                                                                 \
  HEDDLE_OF_13(cudaStreamGetCaptureInfo##suffix, (Handle, int*, unsigned long long*, Handle*,   \
                                                  const Handle**, const void**, std::size_t*)); \
  HEDDLE_OF_13(cudaStreamUpdateCaptureDependencies##suffix,                                     \
               (Handle, Handle*, const void*, std::size_t, unsigned));                          \
  HEDDLE_API_12 Error cudaStreamGetCaptureInfo##suffix(Handle stream, int* status,              \
                                                       unsigned long long* id) {                \
    return previous_cudaStreamGetCaptureInfo##suffix(stream, status, id, nullptr, nullptr,      \
                                                     nullptr, nullptr);                         \
  }                                                                                             \
  HEDDLE_API_12 Error cudaStreamGetCaptureInfo_v2##suffix(                                      \
      Handle stream, int* status, unsigned long long* id, Handle* graph, const Handle** after,  \
      std::size_t* count) {                                                                     \
    return previous_cudaStreamGetCaptureInfo##suffix(stream, status, id, graph, after, nullptr, \
                                                     count);                                    \
  }                                                                                             \
  HEDDLE_API_12 Error cudaStreamUpdateCaptureDependencies##suffix(                              \
      Handle stream, Handle* nodes, std::size_t count, unsigned flags) {                        \
    return previous_cudaStreamUpdateCaptureDependencies##suffix(stream, nodes, nullptr, count,  \
                                                                flags);                         \
  }
HEDDLE_BOTH(HEDDLE_CAPTURES)

}  // namespace heddle::runtime
