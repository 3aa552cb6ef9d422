/// \file
/// Streams as queues of work, and what a stream that is being captured collects instead.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <variant>
#include <vector>

#include "common/simt/executor/kernel_call.hpp"
#include "common/simt/runtime/error_codes.hpp"
#include "common/simt/runtime/types.hpp"

namespace simt {

/// One cudaEventRecord(): where in which stream, and whether it has been reached.
struct EventRecord {
  CUstream_st* stream = nullptr;
  std::uint64_t ticket = 0;
  bool reached = false;
  std::chrono::steady_clock::time_point time;
};

struct CopyWork {
  void* to = nullptr;
  const void* from = nullptr;
  std::size_t bytes = 0;
  std::vector<char>
      staged;  // the source's bytes as they were when the copy was enqueued, if it is pageable host memory
};
struct FillWork {
  void* memory = nullptr;
  int value = 0;
  std::size_t bytes = 0;
};
struct RecordWork {
  std::shared_ptr<EventRecord> record;
};
struct WaitWork {
  std::shared_ptr<EventRecord> record;
};
struct FreeWork {
  void* memory = nullptr;
};
struct HostWork {
  cudaHostFn_t function = nullptr;
  void* data = nullptr;
};
using Work = std::variant<Launch, CopyWork, FillWork, RecordWork, WaitWork, FreeWork, HostWork>;

struct Operation {
  std::uint64_t ticket = 0;  // counts everything enqueued in the program
  Work work;
};

struct Node {
  Work work;
  std::vector<std::size_t> after;  // the nodes it depends on; all have smaller numbers
};
using Nodes = std::vector<Node>;

/// A capture in progress.
struct Capture {
  CUstream_st* origin = nullptr;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  bool invalidated = false;
  Nodes nodes;
  std::vector<CUstream_st*> streams;  // all that take part
};

/// All streams: the built-in ones first, then the others in the order of their creation.
std::vector<CUstream_st*>& all_streams();
CUstream_st& legacy_stream();
/// The stream a handle stands for: null and two small numbers are built-in streams. Null if it is not, or no
/// longer, valid.
CUstream_st* find_stream(cudaStream_t handle);

/// Adds work to the stream, or to its capture. Returns its ticket (0 in a capture).
std::uint64_t enqueue(CUstream_st& stream, Work work);
/// Runs the stream's work up to and including `ticket`, and all that this depends on.
void run_through(CUstream_st& stream, std::uint64_t ticket);
void run_one(CUstream_st& stream);
void run_all(CUstream_st& stream);
void run_all_streams();
/// Forgets all work that has not run.
void drop_all_work();

/// May work be added to this stream? Not after an error during its capture, nor to the legacy stream when
/// that would have to wait for a stream that is being captured.
cudaError_t check_stream(const CUstream_st& stream);
/// A capture in progress, null if there is none.
Capture* any_capture();
/// Calls that might wait or allocate are refused during a capture, and spoil it, unless its mode is relaxed.
cudaError_t check_capture_forbids_call();
/// The same for a call that waits for a stream.
cudaError_t check_capture_forbids_waiting(const CUstream_st* stream);
/// What a call that is not allowed during capture does: it spoils the capture and returns `error`.
cudaError_t invalidate(Capture& capture, cudaError_t error);

// For cudaDeviceReset().
void destroy_all_streams();
void destroy_all_events();
void destroy_all_graphs();

}  // namespace simt

struct CUstream_st {
  bool blocking = true;  // takes part in the legacy stream's implicit waiting
  std::deque<simt::Operation> queue;
  std::shared_ptr<simt::Capture> capture;
  std::vector<std::size_t> captured_last;  // the nodes that what comes next in this stream depends on
};

struct CUevent_st {
  bool timed = true;
  bool destroyed = false;
  std::shared_ptr<simt::EventRecord> record;
  std::shared_ptr<simt::Capture> capture;  // if the last record was captured
  std::vector<std::size_t> captured_nodes;
};
