/// \file
/// Events: marks in a stream that the host, or another stream, can wait for.
#include <algorithm>
#include <memory>
#include <vector>

#include "common/simt/runtime/api.hpp"
#include "common/simt/runtime/state.hpp"
#include "common/simt/runtime/stream.hpp"

namespace simt {
namespace {

std::vector<std::unique_ptr<CUevent_st>>& events() {
  static auto& all =
      *new std::vector<std::unique_ptr<CUevent_st>>;  // never destroyed: other statics may use it later
  return all;
}

CUevent_st* find_event(cudaEvent_t handle) {
  const auto found =
      std::find_if(events().begin(), events().end(), [&](const auto& one) { return one.get() == handle; });
  return found == events().end() || handle->destroyed ? nullptr : handle;
}

void add_nodes(std::vector<std::size_t>& nodes, const std::vector<std::size_t>& more) {
  for (const std::size_t node : more) {
    if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
  }
}

// An event whose last record was captured means nothing outside that capture.
cudaError_t check_not_captured(const CUevent_st& event) {
  if (!event.capture) return cudaSuccess;
  if (event.capture->origin == nullptr) return remember(cudaErrorInvalidValue);  // the capture has ended
  return invalidate(*event.capture, cudaErrorCapturedEvent);
}

// A stream that waits for a captured event joins the capture.
cudaError_t wait_in_capture(CUstream_st& stream, const CUevent_st& event) {
  if (!stream.capture) {
    if (event.capture->origin == nullptr) return remember(cudaErrorInvalidValue);  // that capture has ended
    stream.capture = event.capture;
    stream.captured_last.clear();
    event.capture->streams.push_back(&stream);
  } else if (stream.capture != event.capture) {
    invalidate(*event.capture, cudaErrorStreamCaptureMerge);
    return invalidate(*stream.capture, cudaErrorStreamCaptureMerge);
  }
  add_nodes(stream.captured_last, event.captured_nodes);
  return cudaSuccess;
}

}  // namespace

void destroy_all_events() {
  for (const auto& event : events()) event->destroyed = true;
}

}  // namespace simt

using simt::check_sticky;
using simt::find_event;
using simt::find_stream;
using simt::remember;

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  if (const cudaError_t error = check_sticky()) return error;
  constexpr unsigned kKnown = cudaEventBlockingSync | cudaEventDisableTiming;
  if (event == nullptr || (flags & ~kKnown) != 0) return remember(cudaErrorInvalidValue);
  simt::events().push_back(std::make_unique<CUevent_st>());
  *event = simt::events().back().get();
  (*event)->timed = (flags & cudaEventDisableTiming) == 0;
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  if (const cudaError_t error = simt::check_caller()) return error;
  CUevent_st* event = find_event(handle);
  if (event == nullptr) return remember(cudaErrorInvalidResourceHandle);
  event->destroyed = true;
  return check_sticky();
}

cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream_handle) {
  if (const cudaError_t error = check_sticky()) return error;
  CUevent_st* event = find_event(handle);
  CUstream_st* stream = find_stream(stream_handle);
  if (event == nullptr || stream == nullptr) return remember(cudaErrorInvalidResourceHandle);
  if (const cudaError_t error = simt::check_stream(*stream)) return error;
  event->record = nullptr;
  event->capture = stream->capture;
  if (stream->capture) {
    event->captured_nodes = stream->captured_last;
    return cudaSuccess;
  }
  event->record = std::make_shared<simt::EventRecord>();
  event->record->stream = stream;
  event->record->ticket = simt::enqueue(*stream, simt::RecordWork{event->record});
  return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream_handle, cudaEvent_t handle, unsigned) {
  if (const cudaError_t error = check_sticky()) return error;
  CUevent_st* event = find_event(handle);
  CUstream_st* stream = find_stream(stream_handle);
  if (event == nullptr || stream == nullptr) return remember(cudaErrorInvalidResourceHandle);
  if (const cudaError_t error = simt::check_stream(*stream)) return error;
  if (event->capture) return simt::wait_in_capture(*stream, *event);
  if (stream->capture) return invalidate(*stream->capture, cudaErrorStreamCaptureIsolation);
  if (event->record) simt::enqueue(*stream, simt::WaitWork{event->record});
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  if (const cudaError_t error = check_sticky()) return error;
  CUevent_st* event = find_event(handle);
  if (event == nullptr) return remember(cudaErrorInvalidResourceHandle);
  if (const cudaError_t error = simt::check_not_captured(*event)) return error;
  if (const cudaError_t error = simt::check_capture_forbids_call()) return error;
  if (event->record && !event->record->reached)
    simt::run_through(*event->record->stream, event->record->ticket);
  return check_sticky();
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  if (const cudaError_t error = check_sticky()) return error;
  CUevent_st* event = find_event(handle);
  if (event == nullptr) return remember(cudaErrorInvalidResourceHandle);
  if (const cudaError_t error = simt::check_not_captured(*event)) return error;
  if (const cudaError_t error = simt::check_capture_forbids_call()) return error;
  if (!event->record || event->record->reached) return cudaSuccess;
  simt::run_one(*event->record->stream);
  if (const cudaError_t error = check_sticky()) return error;
  return cudaErrorNotReady;  // an answer, not an error to remember
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start_handle, cudaEvent_t end_handle) {
  if (const cudaError_t error = check_sticky()) return error;
  const CUevent_st* start = find_event(start_handle);
  const CUevent_st* end = find_event(end_handle);
  if (milliseconds == nullptr) return remember(cudaErrorInvalidValue);
  if (start != nullptr && end != nullptr && (start->capture || end->capture))
    return remember(cudaErrorCapturedEvent);
  if (start == nullptr || end == nullptr || !start->timed || !end->timed || !start->record || !end->record) {
    return remember(cudaErrorInvalidResourceHandle);
  }
  if (!start->record->reached || !end->record->reached) return cudaErrorNotReady;
  *milliseconds = std::chrono::duration<float, std::milli>(end->record->time - start->record->time).count();
  return cudaSuccess;
}
