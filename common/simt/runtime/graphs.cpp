/// \file
/// Stream capture, and the graphs it makes.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "common/simt/executor/random.hpp"
#include "common/simt/runtime/api.hpp"
#include "common/simt/runtime/state.hpp"
#include "common/simt/runtime/stream.hpp"
#include "common/simt/simt.hpp"

struct CUgraph_st {
  simt::Nodes nodes;
};
struct CUgraphExec_st {
  simt::Nodes nodes;
};

namespace simt {
namespace {

// Never destroyed: other statics may use them later.
auto& graphs = *new std::vector<std::unique_ptr<CUgraph_st>>;
auto& executables = *new std::vector<std::unique_ptr<CUgraphExec_st>>;

template <class T>
auto find_owner(std::vector<std::unique_ptr<T>>& owners, const T* handle) {
  return std::find_if(owners.begin(), owners.end(), [&](const auto& one) { return one.get() == handle; });
}

// Is every node something that the origin stream waits for in the end?
bool all_joined(const Capture& capture) {
  std::vector<bool> joined(capture.nodes.size());
  for (const std::size_t node : capture.origin->captured_last) joined[node] = true;
  for (std::size_t i = joined.size(); i-- > 0;) {
    if (!joined[i]) return false;
    for (const std::size_t before : capture.nodes[i].after) joined[before] = true;
  }
  return true;
}

// Any order in which every node comes after those it depends on. In order: as captured. Seeded: one of all.
std::vector<std::size_t> launch_order(const Nodes& nodes) {
  std::vector<std::size_t> order, candidates;
  if (!options().seed) {
    for (std::size_t i = 0; i < nodes.size(); ++i) order.push_back(i);
    return order;
  }
  Random random(*options().seed);  // anew for each launch, so that the seed in a report repeats it
  std::vector<bool> done(nodes.size());
  while (order.size() < nodes.size()) {
    candidates.clear();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const auto& after = nodes[i].after;
      if (!done[i] &&
          std::all_of(after.begin(), after.end(), [&](std::size_t before) { return done[before]; })) {
        candidates.push_back(i);
      }
    }
    order.push_back(candidates[random.below(candidates.size())]);
    done[order.back()] = true;
  }
  return order;
}

// A kernel may start early only if it depends on the kernel that runs just before it and on nothing else.
Work as_launched(const Nodes& nodes, const std::vector<std::size_t>& order, std::size_t position) {
  const Node& node = nodes[order[position]];
  Work work = node.work;
  auto* launch = std::get_if<Launch>(&work);
  if (launch == nullptr || !launch->starts_early) return work;
  launch->starts_early = position > 0 && node.after == std::vector<std::size_t>{order[position - 1]} &&
                         std::holds_alternative<Launch>(nodes[order[position - 1]].work);
  return work;
}

// Would work on the legacy stream have to wait for a stream that is being captured?
bool legacy_stream_blocked_by_capture() {
  const auto& streams = all_streams();
  return std::any_of(streams.begin(), streams.end(),
                     [](const CUstream_st* stream) { return stream->capture && stream->blocking; });
}

}  // namespace

cudaError_t check_capture_forbids_waiting(const CUstream_st* stream) {
  if (stream == &legacy_stream() && legacy_stream_blocked_by_capture()) {
    return invalidate(*any_capture(), cudaErrorStreamCaptureImplicit);
  }
  if (stream != nullptr && stream->capture)
    return invalidate(*stream->capture, cudaErrorStreamCaptureUnsupported);
  return check_capture_forbids_call();
}

cudaError_t check_capture_forbids_call() {
  Capture* capture = any_capture();
  if (capture == nullptr || capture->mode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
  return invalidate(*capture, cudaErrorStreamCaptureUnsupported);
}

cudaError_t invalidate(Capture& capture, cudaError_t error) {
  capture.invalidated = true;
  return remember(error);
}

Capture* any_capture() {
  for (const CUstream_st* stream : all_streams()) {
    if (stream->capture) return stream->capture.get();
  }
  return nullptr;
}

cudaError_t check_stream(const CUstream_st& stream) {
  if (stream.capture && stream.capture->invalidated) return remember(cudaErrorStreamCaptureInvalidated);
  if (&stream == &legacy_stream() && legacy_stream_blocked_by_capture()) {
    return invalidate(*any_capture(), cudaErrorStreamCaptureImplicit);
  }
  return cudaSuccess;
}

void destroy_all_graphs() {
  graphs.clear();
  executables.clear();
}

}  // namespace simt

using simt::check_sticky;
using simt::find_stream;
using simt::remember;

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  if (const cudaError_t error = check_sticky()) return error;
  CUstream_st* stream = find_stream(handle);
  if (stream == nullptr) return remember(cudaErrorInvalidResourceHandle);
  if (stream == &simt::legacy_stream()) return remember(cudaErrorStreamCaptureUnsupported);
  if (stream->capture) return remember(cudaErrorIllegalState);
  stream->capture = std::make_shared<simt::Capture>();
  stream->capture->origin = stream;
  stream->capture->mode = mode;
  stream->capture->streams = {stream};
  stream->captured_last.clear();
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  if (const cudaError_t error = check_sticky()) return error;
  CUstream_st* stream = find_stream(handle);
  if (stream == nullptr) return remember(cudaErrorInvalidResourceHandle);
  if (graph != nullptr) *graph = nullptr;
  if (!stream->capture) return remember(cudaErrorIllegalState);
  const std::shared_ptr<simt::Capture> capture = stream->capture;
  if (capture->origin != stream) return invalidate(*capture, cudaErrorStreamCaptureUnmatched);
  const bool joined = simt::all_joined(*capture);
  for (CUstream_st* one : capture->streams) {
    one->capture = nullptr;
    one->captured_last.clear();
  }
  capture->origin = nullptr;
  if (capture->invalidated) return remember(cudaErrorStreamCaptureInvalidated);
  if (!joined) return remember(cudaErrorStreamCaptureUnjoined);
  if (graph == nullptr) return cudaSuccess;
  simt::graphs.push_back(std::make_unique<CUgraph_st>(CUgraph_st{std::move(capture->nodes)}));
  *graph = simt::graphs.back().get();
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  if (const cudaError_t error = check_sticky()) return error;
  const CUstream_st* stream = find_stream(handle);
  if (stream == nullptr) return remember(cudaErrorInvalidResourceHandle);
  if (status == nullptr) return remember(cudaErrorInvalidValue);
  *status = !stream->capture               ? cudaStreamCaptureStatusNone
            : stream->capture->invalidated ? cudaStreamCaptureStatusInvalidated
                                           : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  if (const cudaError_t error = check_sticky()) return error;
  if (const cudaError_t error = simt::check_capture_forbids_call()) return error;
  if (executable == nullptr || simt::find_owner(simt::graphs, graph) == simt::graphs.end()) {
    return remember(cudaErrorInvalidValue);
  }
  simt::executables.push_back(std::make_unique<CUgraphExec_st>(CUgraphExec_st{graph->nodes}));
  *executable = simt::executables.back().get();
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t handle) {
  if (const cudaError_t error = check_sticky()) return error;
  CUstream_st* stream = find_stream(handle);
  if (stream == nullptr) return remember(cudaErrorInvalidResourceHandle);
  if (simt::find_owner(simt::executables, executable) == simt::executables.end())
    return remember(cudaErrorInvalidValue);
  if (stream->capture) return invalidate(*stream->capture, cudaErrorStreamCaptureUnsupported);
  if (const cudaError_t error = simt::check_stream(*stream)) return error;
  const std::vector<std::size_t> order = simt::launch_order(executable->nodes);
  for (std::size_t i = 0; i < order.size(); ++i)
    enqueue(*stream, simt::as_launched(executable->nodes, order, i));
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  if (const cudaError_t error = simt::check_caller()) return error;
  const auto found = simt::find_owner(simt::graphs, graph);
  if (found == simt::graphs.end()) return remember(cudaErrorInvalidValue);
  simt::graphs.erase(found);
  return check_sticky();
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  if (const cudaError_t error = simt::check_caller()) return error;
  const auto found = simt::find_owner(simt::executables, executable);
  if (found == simt::executables.end()) return remember(cudaErrorInvalidValue);
  simt::executables.erase(found);
  return check_sticky();
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  if (const cudaError_t error = check_sticky()) return error;
  if (count == nullptr || nodes != nullptr || simt::find_owner(simt::graphs, graph) == simt::graphs.end()) {
    return remember(cudaErrorInvalidValue);  // nodes have no handles here: only their number can be had
  }
  *count = graph->nodes.size();
  return cudaSuccess;
}
