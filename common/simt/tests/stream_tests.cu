/// \file
/// Streams and events: what waits for what. Valid CUDA, except where a test shows that nothing has run yet.
#include "common/simt/tests/launch.hpp"
#include "common/testing/catch.hpp"

using simt_tests::Buffer;
using simt_tests::launch;

namespace {

__global__ void append(int* list, int value) {  // list[0] counts the entries behind it
  list[++list[0]] = value;
}

struct Streams {
  cudaStream_t blocking = nullptr, other = nullptr, non_blocking = nullptr;
  Streams() {
    cudaStreamCreate(&blocking);
    cudaStreamCreate(&other);
    cudaStreamCreateWithFlags(&non_blocking, cudaStreamNonBlocking);
  }
  ~Streams() {
    cudaStreamDestroy(blocking);
    cudaStreamDestroy(other);
    cudaStreamDestroy(non_blocking);
  }
};

struct Event {
  cudaEvent_t event = nullptr;
  explicit Event(unsigned flags = cudaEventDefault) { cudaEventCreateWithFlags(&event, flags); }
  ~Event() { cudaEventDestroy(event); }
  operator cudaEvent_t() const { return event; }
};

// The values appended so far.
std::vector<int> entries(const Buffer<int>& list) {
  const std::vector<int> all = list.download();
  return {all.begin() + 1, all.begin() + 1 + all[0]};
}

cudaError_t append_on(cudaStream_t stream, const Buffer<int>& list, int value) {
  return launch(1, 1, 0, stream, append, list.data(), value);
}

using Ints = std::vector<int>;

void count_up(void* counter) {
  ++*static_cast<int*>(counter);
}

}  // namespace

TEST_CASE("a stream runs its work in order") {
  Streams s;
  Buffer<int> list(Ints(8, 0));
  for (int i = 1; i <= 5; ++i) REQUIRE(append_on(s.non_blocking, list, i) == cudaSuccess);
  CHECK(cudaStreamSynchronize(s.non_blocking) == cudaSuccess);
  CHECK(entries(list) == Ints{1, 2, 3, 4, 5});
}

TEST_CASE("the legacy stream and blocking streams wait for each other") {
  Streams s;
  Buffer<int> list(Ints(8, 0));
  append_on(s.blocking, list, 1);
  append_on(nullptr, list, 2);
  append_on(s.other, list, 3);
  append_on(nullptr, list, 4);
  append_on(s.blocking, list, 5);
  CHECK(cudaStreamSynchronize(s.blocking) == cudaSuccess);
  CHECK(entries(list) == Ints{1, 2, 3, 4, 5});
  CHECK(cudaStreamSynchronize(cudaStreamPerThread) == cudaSuccess);
}

#ifndef __CUDACC__
TEST_CASE("nothing runs before the host waits, and waiting for one stream runs no other") {
  Streams s;
  Buffer<int> first(Ints(4, 0)), second(Ints(4, 0));
  append_on(s.non_blocking, first, 1);
  CHECK(entries(first).empty());  // cudaMemcpy does not wait for a non-blocking stream
  append_on(s.blocking, second, 2);
  CHECK(cudaStreamSynchronize(s.non_blocking) == cudaSuccess);
  CHECK(cudaStreamQuery(s.blocking) == cudaErrorNotReady);
  CHECK(cudaStreamQuery(s.blocking) == cudaSuccess);  // the first query has run the kernel
  CHECK(entries(first) == Ints{1});
  CHECK(entries(second) == Ints{2});
}
#endif

TEST_CASE("a stream waits for an event of another") {
  Streams s;
  Event event;
  Buffer<int> list(Ints(8, 0));
  append_on(s.other, list, 1);
  CHECK(cudaEventRecord(event, s.other) == cudaSuccess);
  CHECK(cudaStreamWaitEvent(s.non_blocking, event, 0) == cudaSuccess);
  append_on(s.non_blocking, list, 2);
  CHECK(cudaEventRecord(event, s.non_blocking) == cudaSuccess);
  CHECK(cudaStreamWaitEvent(s.other, event, 0) == cudaSuccess);
  append_on(s.other, list, 3);
  CHECK(cudaStreamSynchronize(s.other) == cudaSuccess);
  CHECK(entries(list) == Ints{1, 2, 3});
}

TEST_CASE("events") {
  Streams s;
  Event start, end, untimed(cudaEventDisableTiming);
  float milliseconds = -1;
  CHECK(cudaEventQuery(start) == cudaSuccess);  // never recorded: nothing to wait for
  CHECK(cudaEventSynchronize(start) == cudaSuccess);
  CHECK(cudaEventElapsedTime(&milliseconds, start, end) == cudaErrorInvalidResourceHandle);
  Buffer<int> list(Ints(4, 0));
  CHECK(cudaEventRecord(start, s.blocking) == cudaSuccess);
  append_on(s.blocking, list, 1);
  CHECK(cudaEventRecord(end, s.blocking) == cudaSuccess);
#ifndef __CUDACC__
  CHECK(cudaEventElapsedTime(&milliseconds, start, end) == cudaErrorNotReady);
#endif
  CHECK(cudaEventSynchronize(end) == cudaSuccess);
  CHECK(cudaEventQuery(end) == cudaSuccess);
  CHECK(cudaEventElapsedTime(&milliseconds, start, end) == cudaSuccess);
  CHECK(milliseconds >= 0);
  CHECK(cudaEventRecord(untimed, s.blocking) == cudaSuccess);
  CHECK(cudaEventSynchronize(untimed) == cudaSuccess);
  CHECK(cudaEventElapsedTime(&milliseconds, start, untimed) == cudaErrorInvalidResourceHandle);
  CHECK(cudaEventRecord(nullptr, s.blocking) == cudaErrorInvalidResourceHandle);
  CHECK(cudaEventDestroy(nullptr) == cudaErrorInvalidResourceHandle);
  cudaEvent_t event = nullptr;
  CHECK(cudaEventCreateWithFlags(&event, 0xff0) == cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST_CASE("queries end by themselves and leave no error") {
  Streams s;
  Event event;
  Buffer<int> list(Ints(8, 0));
  for (int i = 1; i <= 4; ++i) append_on(s.blocking, list, i);
  cudaEventRecord(event, s.blocking);
  while (cudaEventQuery(event) == cudaErrorNotReady) {
  }
  while (cudaStreamQuery(s.blocking) == cudaErrorNotReady) {
  }
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(entries(list) == Ints{1, 2, 3, 4});
}

TEST_CASE("asynchronous copies: pageable memory is staged, pinned memory is not") {
  Streams s;
  int pageable[1] = {0}, *pinned = nullptr;
  REQUIRE(cudaMallocHost(&pinned, sizeof(int)) == cudaSuccess);
  Buffer<int> list(Ints(4, 0));
  pageable[0] = 2;  // the number of entries that the list claims to have
  CHECK(cudaMemcpyAsync(list.data(), pageable, sizeof(int), cudaMemcpyHostToDevice, s.blocking) ==
        cudaSuccess);
  pageable[0] = 0;
  append_on(s.blocking, list, 9);
  CHECK(cudaMemcpyAsync(pageable, list.data(), sizeof(int), cudaMemcpyDeviceToHost, s.blocking) ==
        cudaSuccess);
  CHECK(pageable[0] == 3);  // on return already
  *pinned = -1;
  CHECK(cudaMemcpyAsync(pinned, list.data(), sizeof(int), cudaMemcpyDeviceToHost, s.blocking) == cudaSuccess);
#ifndef __CUDACC__
  CHECK(*pinned == -1);  // not before the host waits
#endif
  CHECK(cudaStreamSynchronize(s.blocking) == cudaSuccess);
  CHECK(*pinned == 3);
  CHECK(cudaMemsetAsync(list.data(), 0, sizeof(int), s.blocking) == cudaSuccess);
  CHECK(entries(list).empty());
  CHECK(cudaFreeHost(pinned) == cudaSuccess);
}

TEST_CASE("host functions run in stream order") {
  Streams s;
  int counter = 0;
  CHECK(cudaLaunchHostFunc(s.blocking, count_up, &counter) == cudaSuccess);
  CHECK(cudaLaunchHostFunc(s.blocking, count_up, &counter) == cudaSuccess);
  CHECK(cudaStreamSynchronize(s.blocking) == cudaSuccess);
  CHECK(counter == 2);
  CHECK(cudaLaunchHostFunc(s.blocking, nullptr, nullptr) == cudaErrorInvalidValue);
  cudaGetLastError();
}

#ifndef __CUDACC__  // CUDA forbids these calls, but does not promise the error
TEST_CASE("a host function may not call the runtime") {
  struct State {
    cudaStream_t stream = nullptr;
    int* memory = nullptr;
    std::vector<cudaError_t> results;
  } state;
  REQUIRE(cudaStreamCreateWithFlags(&state.stream, cudaStreamNonBlocking) == cudaSuccess);
  REQUIRE(cudaMalloc(&state.memory, 64) == cudaSuccess);
  const auto call_everything = [](void* data) {
    State& s = *static_cast<State*>(data);
    void* more = nullptr;
    s.results = {
        cudaStreamSynchronize(s.stream),
        cudaDeviceSynchronize(),
        append_on(s.stream, Buffer<int>(0), 1),
        cudaLaunchHostFunc(s.stream, count_up, nullptr),
        cudaStreamDestroy(s.stream),
        cudaMalloc(&more, 4),
        cudaMallocAsync(&more, 4, s.stream),
        cudaMemset(s.memory, 0, 4),
        cudaFree(s.memory),
        cudaFreeAsync(s.memory, s.stream),
        cudaFreeHost(s.memory),
        cudaDeviceReset(),
    };
  };
  CHECK(cudaLaunchHostFunc(state.stream, call_everything, &state) == cudaSuccess);
  CHECK(cudaStreamSynchronize(state.stream) == cudaSuccess);
  CHECK(state.results == std::vector<cudaError_t>(12, cudaErrorNotPermitted));
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(cudaMemset(state.memory, 0, 64) == cudaSuccess);  // nothing was freed
  CHECK(cudaFree(state.memory) == cudaSuccess);
  CHECK(cudaStreamDestroy(state.stream) == cudaSuccess);
}
#endif

TEST_CASE("a destroyed stream finishes its work; bad handles and flags are refused") {
  Buffer<int> list(Ints(4, 0));
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  append_on(stream, list, 7);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(entries(list) == Ints{7});
  CHECK(cudaStreamDestroy(nullptr) == cudaErrorInvalidResourceHandle);
  CHECK(cudaStreamCreateWithFlags(&stream, 0xf0) == cudaErrorInvalidValue);
  CHECK(cudaStreamCreate(nullptr) == cudaErrorInvalidValue);
  cudaGetLastError();
}
