/// \file
/// When enqueued work runs, in which order, and what it does.
#include <algorithm>
#include <cstring>
#include <limits>

#include "common/simt/executor/grid.hpp"
#include "common/simt/executor/observer.hpp"
#include "common/simt/executor/random.hpp"
#include "common/simt/runtime/device_memory.hpp"
#include "common/simt/runtime/state.hpp"
#include "common/simt/runtime/stream.hpp"
#include "common/simt/simt.hpp"

namespace simt {
namespace {

std::uint64_t last_ticket = 0;

// Does this stream wait for what is enqueued in the other one?
bool ordered_with(const CUstream_st& stream, const CUstream_st& other) {
  if (!stream.blocking || !other.blocking || &stream == &other) return false;
  return &stream == &legacy_stream() || &other == &legacy_stream();
}

// The launch behind this one, if it may start early. Only if there is nothing between them in their stream,
// and nothing that their stream waits for in another one.
const Launch* early_successor(const CUstream_st& stream) {
  const std::deque<Operation>& queue = stream.queue;
  if (queue.size() < 2) return nullptr;
  const Launch* next = std::get_if<Launch>(&queue[1].work);
  if (next == nullptr || !next->starts_early) return nullptr;
  for (const CUstream_st* other : all_streams()) {
    if (!ordered_with(stream, *other)) continue;
    for (const Operation& operation : other->queue) {
      if (operation.ticket > queue[0].ticket && operation.ticket < queue[1].ticket) return nullptr;
    }
  }
  return next;
}

void run_copy(const CopyWork& copy) {
  const DeviceMemoryOpen open;
  std::memmove(copy.to, copy.staged.empty() ? copy.from : copy.staged.data(), copy.bytes);
  if (observer == nullptr) return;
  if (copy.staged.empty()) {
    observer->copied(copy.to, copy.from, copy.bytes);
  } else {
    observer->filled(copy.to, copy.bytes);
  }
}

void run_fill(const FillWork& fill) {
  const DeviceMemoryOpen open;
  std::memset(fill.memory, fill.value, fill.bytes);
  if (observer != nullptr) observer->filled(fill.memory, fill.bytes);
}

void run_launch(const Launch& launch, const Launch* next) {
  const DeviceMemoryOpen open;
  if (!run_grid(launch, next)) set_sticky_error(cudaErrorLaunchFailure);
}

// The work stays at the head of its queue while it runs: a launch must not move.
void run(CUstream_st& stream) {
  const Work& work = stream.queue.front().work;
  if (const auto* launch = std::get_if<Launch>(&work)) {
    run_launch(*launch, early_successor(stream));
  } else if (const auto* copy = std::get_if<CopyWork>(&work)) {
    run_copy(*copy);
  } else if (const auto* fill = std::get_if<FillWork>(&work)) {
    run_fill(*fill);
  } else if (const auto* record = std::get_if<RecordWork>(&work)) {
    record->record->reached = true;
    record->record->time = std::chrono::steady_clock::now();
  } else if (const auto* freed = std::get_if<FreeWork>(&work)) {
    release(freed->memory, false);
  } else if (const auto* host = std::get_if<HostWork>(&work)) {
    set_in_host_function(true);
    host->function(host->data);
    set_in_host_function(false);
  }
}

// The legacy stream waits for everything enqueued before in blocking streams, and they wait for it.
void run_what_comes_first(CUstream_st& stream, std::uint64_t ticket) {
  if (const auto* wait = std::get_if<WaitWork>(&stream.queue.front().work)) {
    if (!wait->record->reached) run_through(*wait->record->stream, wait->record->ticket);
  }
  if (!stream.blocking) return;
  if (&stream != &legacy_stream()) return run_through(legacy_stream(), ticket);
  for (CUstream_st* other : all_streams()) {
    if (other->blocking && other != &stream) run_through(*other, ticket);
  }
}

// Runs the first piece of work, and with it any launch that started early during it.
void run_first(CUstream_st& stream) {
  bool successor_started;
  do {
    successor_started = early_successor(stream) != nullptr;
    run_what_comes_first(stream, stream.queue.front().ticket);
    if (sticky_error() == cudaSuccess) run(stream);
    if (sticky_error() != cudaSuccess) return drop_all_work();
    stream.queue.pop_front();
  } while (successor_started);
}

}  // namespace

void drop_all_work() {
  for (CUstream_st* stream : all_streams()) stream->queue.clear();
}

std::uint64_t enqueue(CUstream_st& stream, Work work) {
  if (stream.capture) {
    Nodes& nodes = stream.capture->nodes;
    nodes.push_back({std::move(work), stream.captured_last});
    stream.captured_last = {nodes.size() - 1};
    return 0;
  }
  stream.queue.push_back({++last_ticket, std::move(work)});
  return last_ticket;
}

void run_through(CUstream_st& stream, std::uint64_t ticket) {
  while (!stream.queue.empty() && stream.queue.front().ticket <= ticket) run_first(stream);
}

void run_one(CUstream_st& stream) {
  if (!stream.queue.empty()) run_first(stream);
}

void run_all(CUstream_st& stream) {
  run_through(stream, std::numeric_limits<std::uint64_t>::max());
}

// Streams are independent of each other: in order, one is emptied after the other; a seed mixes them.
void run_all_streams() {
  Random random(options().seed.value_or(0));
  std::vector<CUstream_st*> busy;
  for (;;) {
    busy.clear();
    for (CUstream_st* stream : all_streams()) {
      if (!stream->queue.empty()) busy.push_back(stream);
    }
    if (busy.empty()) return;
    run_first(*busy[options().seed ? random.below(busy.size()) : 0]);
  }
}

}  // namespace simt
