/// \file
/// Stream capture and graphs. The error codes are those that an H200 with CUDA 13.0 returned for the same
/// calls. Valid CUDA.
#include "common/simt/tests/launch.hpp"
#include "common/testing/catch.hpp"

using simt_tests::Buffer;
using simt_tests::launch;

namespace {

__global__ void double_and_add(int* value, int addend) {
  *value = 2 * *value + addend;
}
__global__ void append(int* list, int value) {  // list[0] counts the entries behind it
  list[++list[0]] = value;
}
__global__ void write_one(int* value) {
  *value = 1;
}

// A stream whose capture ends with this object's end() or its life.
struct Capture {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  explicit Capture(unsigned flags = cudaStreamNonBlocking,
                   cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
    cudaStreamCreateWithFlags(&stream, flags);
    CHECK(cudaStreamBeginCapture(stream, mode) == cudaSuccess);
  }
  cudaStreamCaptureStatus status() const {
    cudaStreamCaptureStatus result = cudaStreamCaptureStatusNone;
    CHECK(cudaStreamIsCapturing(stream, &result) == cudaSuccess);
    return result;
  }
  cudaError_t end() { return cudaStreamEndCapture(stream, &graph); }
  ~Capture() {
    if (status() != cudaStreamCaptureStatusNone) end();
    if (graph != nullptr) cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    cudaGetLastError();
  }
};

// After a call that is not allowed the capture is spoilt.
void check_spoilt(Capture& capture) {
  CHECK(capture.status() == cudaStreamCaptureStatusInvalidated);
  CHECK(launch(1, 1, 0, capture.stream, write_one, static_cast<int*>(nullptr)) ==
        cudaErrorStreamCaptureInvalidated);
  CHECK(capture.end() == cudaErrorStreamCaptureInvalidated);
  CHECK(capture.graph == nullptr);
  CHECK(capture.status() == cudaStreamCaptureStatusNone);
}

struct Fork {
  cudaStream_t stream = nullptr;
  cudaEvent_t forked = nullptr, joined = nullptr;
  Fork() {
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEventCreate(&forked);
    cudaEventCreate(&joined);
  }
  ~Fork() {
    cudaStreamDestroy(stream);
    cudaEventDestroy(forked);
    cudaEventDestroy(joined);
  }
};

}  // namespace

TEST_CASE("a graph replays kernels, copies and fills") {
  int *pinned = nullptr, *value = nullptr;
  REQUIRE(cudaMallocHost(&pinned, 2 * sizeof(int)) == cudaSuccess);
  REQUIRE(cudaMalloc(&value, sizeof(int)) == cudaSuccess);
  REQUIRE(cudaMemset(value, 0, sizeof(int)) == cudaSuccess);
  pinned[0] = 10;
  Capture capture;
  CHECK(cudaMemcpyAsync(value, &pinned[0], sizeof(int), cudaMemcpyHostToDevice, capture.stream) ==
        cudaSuccess);
  CHECK(launch(1, 1, 0, capture.stream, double_and_add, value, 1) == cudaSuccess);
  CHECK(launch(1, 1, 0, capture.stream, double_and_add, value, 2) == cudaSuccess);
  CHECK(cudaMemcpyAsync(&pinned[1], value, sizeof(int), cudaMemcpyDeviceToHost, capture.stream) ==
        cudaSuccess);
  CHECK(cudaMemsetAsync(value, 0, sizeof(int), capture.stream) == cudaSuccess);
  REQUIRE(capture.end() == cudaSuccess);
  std::size_t nodes = 0;
  CHECK(cudaGraphGetNodes(capture.graph, nullptr, &nodes) == cudaSuccess);
  CHECK(nodes == 5);
  cudaGraphExec_t executable = nullptr;
  REQUIRE(cudaGraphInstantiate(&executable, capture.graph, 0) == cudaSuccess);
  pinned[1] = -1;
  CHECK(cudaStreamSynchronize(capture.stream) == cudaSuccess);
  CHECK(pinned[1] == -1);  // captured, not run
  for (const int start : {10, 5}) {
    pinned[0] = start;
    CHECK(cudaGraphLaunch(executable, capture.stream) == cudaSuccess);
    CHECK(cudaStreamSynchronize(capture.stream) == cudaSuccess);
    CHECK(pinned[1] == 4 * start + 4);
  }
  CHECK(cudaGraphExecDestroy(executable) == cudaSuccess);
  cudaFreeHost(pinned), cudaFree(value);
}

TEST_CASE("a capture over two streams that join") {
  Fork fork;
  Buffer<int> a(std::vector<int>{1}), b(std::vector<int>{1});
  Capture capture;
  CHECK(launch(1, 1, 0, capture.stream, double_and_add, a.data(), 1) == cudaSuccess);
  CHECK(cudaEventRecord(fork.forked, capture.stream) == cudaSuccess);
  CHECK(cudaStreamWaitEvent(fork.stream, fork.forked, 0) == cudaSuccess);
  CHECK(launch(1, 1, 0, fork.stream, double_and_add, b.data(), 5) == cudaSuccess);
  CHECK(launch(1, 1, 0, capture.stream, double_and_add, a.data(), 0) == cudaSuccess);
  CHECK(cudaEventRecord(fork.joined, fork.stream) == cudaSuccess);
  CHECK(cudaStreamWaitEvent(capture.stream, fork.joined, 0) == cudaSuccess);
  CHECK(cudaMemcpyAsync(b.data(), a.data(), sizeof(int), cudaMemcpyDeviceToDevice, capture.stream) ==
        cudaSuccess);
  REQUIRE(capture.end() == cudaSuccess);
  cudaGraphExec_t executable = nullptr;
  REQUIRE(cudaGraphInstantiate(&executable, capture.graph, 0) == cudaSuccess);
  CHECK(cudaGraphLaunch(executable, fork.stream) == cudaSuccess);
  CHECK(cudaStreamSynchronize(fork.stream) == cudaSuccess);
  CHECK(a.download()[0] == 6);
  CHECK(b.download()[0] == 6);
  CHECK(cudaGraphExecDestroy(executable) == cudaSuccess);
}

TEST_CASE("what cannot be captured, begun or ended") {
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal) == cudaErrorStreamCaptureUnsupported);
  CHECK(cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeGlobal) ==
        cudaErrorStreamCaptureUnsupported);
  CHECK(cudaStreamEndCapture(nullptr, &graph) == cudaErrorIllegalState);
  CHECK(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeGlobal) == cudaSuccess);
  CHECK(cudaStreamEndCapture(cudaStreamPerThread, nullptr) == cudaSuccess);
  Capture capture;
  CHECK(cudaStreamBeginCapture(capture.stream, cudaStreamCaptureModeGlobal) == cudaErrorIllegalState);
  CHECK(capture.end() == cudaSuccess);
  CHECK(cudaStreamEndCapture(capture.stream, &graph) == cudaErrorIllegalState);
  cudaGetLastError();
}

TEST_CASE("calls that wait or allocate spoil a capture") {
  int* memory = nullptr;
  REQUIRE(cudaMalloc(&memory, 64) == cudaSuccess);
  cudaStream_t other = nullptr;
  REQUIRE(cudaStreamCreate(&other) == cudaSuccess);
  const auto check = [](auto&& call) {
    Capture capture;
    CHECK(call(capture.stream) == cudaErrorStreamCaptureUnsupported);
    check_spoilt(capture);
  };
  int* more = nullptr;
  check([&](cudaStream_t stream) { return cudaStreamSynchronize(stream); });
  check([&](cudaStream_t stream) { return cudaStreamQuery(stream); });
  check([&](cudaStream_t) { return cudaStreamSynchronize(other); });
  check([&](cudaStream_t) { return cudaStreamQuery(other); });
  check([&](cudaStream_t) { return cudaStreamSynchronize(nullptr); });
  check([&](cudaStream_t) { return cudaDeviceSynchronize(); });
  check([&](cudaStream_t) { return cudaMalloc(&more, 64); });
  check([&](cudaStream_t) { return cudaMallocManaged(&more, 64); });
  check([&](cudaStream_t) { return cudaMallocHost(&more, 64); });
  check([&](cudaStream_t) { return cudaFree(memory); });
  CHECK(cudaFree(memory) == cudaSuccess);
  CHECK(cudaStreamDestroy(other) == cudaSuccess);
}

TEST_CASE("a relaxed capture allows allocation") {
  Capture capture(cudaStreamNonBlocking, cudaStreamCaptureModeRelaxed);
  int* memory = nullptr;
  CHECK(cudaMalloc(&memory, 64) == cudaSuccess);
  CHECK(cudaFree(memory) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaErrorStreamCaptureUnsupported);
  check_spoilt(capture);
}

TEST_CASE("the legacy stream during a capture") {
  Buffer<int> value(1);
  {
    Capture capture;  // of a non-blocking stream, which has nothing to do with the legacy stream
    CHECK(cudaMemset(value.data(), 0, sizeof(int)) == cudaSuccess);
    CHECK(launch(1, 1, 0, nullptr, write_one, value.data()) == cudaSuccess);
    CHECK(value.download()[0] == 1);
    CHECK(capture.end() == cudaSuccess);
  }
  {
    Capture capture(cudaStreamDefault);
    CHECK(launch(1, 1, 0, nullptr, write_one, value.data()) == cudaErrorStreamCaptureImplicit);
    CHECK(cudaStreamSynchronize(nullptr) == cudaErrorStreamCaptureImplicit);
    check_spoilt(capture);
  }
  Capture capture(cudaStreamDefault);
  CHECK(cudaMemset(value.data(), 0, sizeof(int)) == cudaErrorStreamCaptureImplicit);
  check_spoilt(capture);
}

TEST_CASE("events and captures") {
  Fork fork;
  float milliseconds = 0;
  {
    Capture capture;
    CHECK(cudaEventRecord(fork.forked, capture.stream) == cudaSuccess);
    CHECK(cudaEventElapsedTime(&milliseconds, fork.forked, fork.joined) == cudaErrorCapturedEvent);
    CHECK(capture.status() == cudaStreamCaptureStatusActive);
    CHECK(cudaEventQuery(fork.forked) == cudaErrorCapturedEvent);
    check_spoilt(capture);
    CHECK(cudaEventSynchronize(fork.forked) == cudaErrorInvalidValue);  // the capture is over
    CHECK(cudaStreamWaitEvent(fork.stream, fork.forked, 0) == cudaErrorInvalidValue);
  }
  {
    Capture capture;
    CHECK(cudaEventRecord(fork.forked, fork.stream) == cudaSuccess);
    CHECK(cudaStreamWaitEvent(capture.stream, fork.forked, 0) == cudaErrorStreamCaptureIsolation);
    check_spoilt(capture);
  }
  {
    Capture first, second;
    CHECK(cudaEventRecord(fork.forked, first.stream) == cudaSuccess);
    CHECK(cudaStreamWaitEvent(second.stream, fork.forked, 0) == cudaErrorStreamCaptureMerge);
    check_spoilt(first);
    check_spoilt(second);
  }
  {
    Capture capture;
    cudaGraph_t graph = nullptr;
    CHECK(cudaEventRecord(fork.forked, capture.stream) == cudaSuccess);
    CHECK(cudaStreamWaitEvent(fork.stream, fork.forked, 0) == cudaSuccess);
    CHECK(cudaStreamEndCapture(fork.stream, &graph) == cudaErrorStreamCaptureUnmatched);
    check_spoilt(capture);
  }
  Capture capture;
  CHECK(cudaEventRecord(fork.forked, capture.stream) == cudaSuccess);
  CHECK(cudaStreamWaitEvent(fork.stream, fork.forked, 0) == cudaSuccess);
  CHECK(launch(1, 1, 0, fork.stream, write_one, static_cast<int*>(nullptr)) == cudaSuccess);
  CHECK(capture.end() == cudaErrorStreamCaptureUnjoined);
  CHECK(capture.graph == nullptr);
}

TEST_CASE("a refused launch spoils a capture, a refused copy does not") {
  int host = 0;
  Buffer<int> value(1);
  {
    Capture capture;
    CHECK(cudaMemcpyAsync(&host, value.data(), sizeof host, cudaMemcpyHostToDevice, capture.stream) ==
          cudaErrorInvalidValue);
    CHECK(capture.end() == cudaSuccess);
  }
  Capture capture;
  CHECK(launch(1, 2048, 0, capture.stream, write_one, value.data()) == cudaErrorInvalidValue);
  check_spoilt(capture);
}

TEST_CASE("graphs that do not exist, and graphs inside captures") {
  cudaGraphExec_t executable = nullptr;
  CHECK(cudaGraphInstantiate(&executable, nullptr, 0) == cudaErrorInvalidValue);
  CHECK(cudaGraphLaunch(nullptr, nullptr) == cudaErrorInvalidValue);
  CHECK(cudaGraphDestroy(nullptr) == cudaErrorInvalidValue);
  CHECK(cudaGraphExecDestroy(nullptr) == cudaErrorInvalidValue);
  Buffer<int> value(std::vector<int>{3});
  Capture made;
  CHECK(launch(1, 1, 0, made.stream, double_and_add, value.data(), 0) == cudaSuccess);
  REQUIRE(made.end() == cudaSuccess);
  REQUIRE(cudaGraphInstantiate(&executable, made.graph, 0) == cudaSuccess);
  CHECK(cudaGraphLaunch(executable, nullptr) == cudaSuccess);  // running on the legacy stream is allowed
  CHECK(value.download()[0] == 6);
  {
    Capture capture;
    CHECK(cudaGraphLaunch(executable, capture.stream) == cudaErrorStreamCaptureUnsupported);
    check_spoilt(capture);
  }
  CHECK(cudaGraphExecDestroy(executable) == cudaSuccess);
  cudaGetLastError();
}

#ifndef __CUDACC__
TEST_CASE("a seed repeats the order of a graph at each launch") {
  const simt::Options saved = simt::options();
  Fork fork;
  Buffer<int> list(std::vector<int>(9, 0));
  Capture capture;
  CHECK(cudaEventRecord(fork.forked, capture.stream) == cudaSuccess);
  CHECK(cudaStreamWaitEvent(fork.stream, fork.forked, 0) == cudaSuccess);
  for (int i = 0; i < 4; ++i) {
    CHECK(launch(1, 1, 0, capture.stream, append, list.data(), i) == cudaSuccess);
    CHECK(launch(1, 1, 0, fork.stream, append, list.data(), 10 + i) == cudaSuccess);
  }
  CHECK(cudaEventRecord(fork.joined, fork.stream) == cudaSuccess);
  CHECK(cudaStreamWaitEvent(capture.stream, fork.joined, 0) == cudaSuccess);
  REQUIRE(capture.end() == cudaSuccess);
  cudaGraphExec_t executable = nullptr;
  REQUIRE(cudaGraphInstantiate(&executable, capture.graph, 0) == cudaSuccess);
  const auto order_with = [&](std::uint64_t seed) {
    simt::options().seed = seed;
    CHECK(list.upload(std::vector<int>(9, 0)) == cudaSuccess);
    CHECK(cudaGraphLaunch(executable, capture.stream) == cudaSuccess);
    CHECK(cudaStreamSynchronize(capture.stream) == cudaSuccess);
    return list.download();
  };
  const std::vector<int> first = order_with(0);
  bool differs = false;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    CAPTURE(seed);
    const std::vector<int> order = order_with(seed);
    CHECK(order == order_with(seed));
    CHECK(order[0] == 8);
    differs = differs || order != first;
  }
  CHECK(differs);
  CHECK(cudaGraphExecDestroy(executable) == cudaSuccess);
  simt::options() = saved;
}
#endif
