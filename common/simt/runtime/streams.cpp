/// \file
/// Streams: making, ending, waiting, asking.
#include <algorithm>
#include <memory>

#include "common/simt/runtime/api.hpp"
#include "common/simt/runtime/state.hpp"
#include "common/simt/runtime/stream.hpp"

namespace simt {
namespace {

// Streams live to the end of the program: an event may still point at one that the program has destroyed.
struct StreamTable {
  CUstream_st legacy, per_thread;
  std::vector<std::unique_ptr<CUstream_st>> created;
  std::vector<CUstream_st*> alive{&legacy, &per_thread};
};
StreamTable& table() {
  static StreamTable& streams = *new StreamTable;  // never destroyed: other statics may use it later
  return streams;
}

}  // namespace

std::vector<CUstream_st*>& all_streams() {
  return table().alive;
}
CUstream_st& legacy_stream() {
  return table().legacy;
}

CUstream_st* find_stream(cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy) return &table().legacy;
  if (handle == cudaStreamPerThread) return &table().per_thread;
  const auto found = std::find(all_streams().begin(), all_streams().end(), handle);
  return found == all_streams().end() ? nullptr : *found;
}

void destroy_all_streams() {
  all_streams().resize(2);
}

}  // namespace simt

using simt::check_sticky;
using simt::find_stream;
using simt::remember;

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  if (const cudaError_t error = check_sticky()) return error;
  if (stream == nullptr || (flags & ~cudaStreamNonBlocking) != 0) return remember(cudaErrorInvalidValue);
  auto& created = simt::table().created;
  created.push_back(std::make_unique<CUstream_st>());
  *stream = created.back().get();
  (*stream)->blocking = (flags & cudaStreamNonBlocking) == 0;
  simt::all_streams().push_back(*stream);
  return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  if (const cudaError_t error = simt::check_caller()) return error;
  CUstream_st* stream = find_stream(handle);
  const auto& created = simt::table().created;
  const bool ours =
      std::any_of(created.begin(), created.end(), [&](const auto& one) { return one.get() == stream; });
  if (stream == nullptr || !ours) return remember(cudaErrorInvalidResourceHandle);
  if (stream->capture) simt::invalidate(*stream->capture, cudaErrorStreamCaptureInvalidated);
  simt::run_all(*stream);
  std::erase(simt::all_streams(), stream);
  return check_sticky();
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  if (const cudaError_t error = check_sticky()) return error;
  CUstream_st* stream = find_stream(handle);
  if (stream == nullptr) return remember(cudaErrorInvalidResourceHandle);
  if (const cudaError_t error = simt::check_capture_forbids_waiting(stream)) return error;
  simt::run_all(*stream);
  // The legacy stream also waits for what is still under way in blocking streams.
  if (stream == &simt::legacy_stream()) {
    for (CUstream_st* other : simt::all_streams()) {
      if (other->blocking) simt::run_all(*other);
    }
  }
  return check_sticky();
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  if (const cudaError_t error = check_sticky()) return error;
  CUstream_st* stream = find_stream(handle);
  if (stream == nullptr) return remember(cudaErrorInvalidResourceHandle);
  if (const cudaError_t error = simt::check_capture_forbids_waiting(stream)) return error;
  if (stream->queue.empty()) return cudaSuccess;
  simt::run_one(*stream);
  if (const cudaError_t error = check_sticky()) return error;
  return cudaErrorNotReady;  // an answer, not an error to remember
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
  if (const cudaError_t error = check_sticky()) return error;
  CUstream_st* stream = find_stream(handle);
  if (stream == nullptr) return remember(cudaErrorInvalidResourceHandle);
  if (function == nullptr) return remember(cudaErrorInvalidValue);
  if (const cudaError_t error = simt::check_stream(*stream)) return error;
  simt::enqueue(*stream, simt::HostWork{function, data});
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  if (const cudaError_t error = check_sticky()) return error;
  if (simt::Capture* capture = simt::any_capture())
    return invalidate(*capture, cudaErrorStreamCaptureUnsupported);
  simt::run_all_streams();
  return check_sticky();
}
