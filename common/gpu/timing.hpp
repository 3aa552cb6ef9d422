/// \file
/// How long work takes on the device.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "common/gpu/check.hpp"

namespace ropewalk {

struct Quantiles {
  double p5, median, p95;
};

inline Quantiles quantiles(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double q) {
    return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1) + 0.5)];
  };
  return {at(0.05), at(0.5), at(0.95)};
}

/// A pair of CUDA events: the time between them is measured on the device.
class DeviceTimer {
 public:
  DeviceTimer() {
    CUDA_CHECK(cudaEventCreate(&start_));
    CUDA_CHECK(cudaEventCreate(&stop_));
  }
  ~DeviceTimer() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }
  DeviceTimer(const DeviceTimer&) = delete;
  DeviceTimer& operator=(const DeviceTimer&) = delete;

  /// Microseconds between the start and the end of what enqueue() puts on the stream.
  template <class Enqueue>
  double time_us(cudaStream_t stream, Enqueue enqueue) {
    CUDA_CHECK(cudaEventRecord(start_, stream));
    enqueue();
    CUDA_CHECK(cudaEventRecord(stop_, stream));
    CUDA_CHECK(cudaEventSynchronize(stop_));
    float milliseconds = 0;
    CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start_, stop_));
    return 1e3 * static_cast<double>(milliseconds);
  }

 private:
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
};

/// The work that enqueue() puts on the stream, recorded once and replayed with one call: the launches cost
/// the host nothing.
class RecordedGraph {
 public:
  template <class Enqueue>
  RecordedGraph(cudaStream_t stream, Enqueue enqueue) {
    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    enqueue();
    CUDA_CHECK(cudaStreamEndCapture(stream, &graph_));
    CUDA_CHECK(cudaGraphInstantiate(&executable_, graph_, 0));
  }
  ~RecordedGraph() {
    cudaGraphExecDestroy(executable_);
    cudaGraphDestroy(graph_);
  }
  RecordedGraph(const RecordedGraph&) = delete;
  RecordedGraph& operator=(const RecordedGraph&) = delete;

  void launch(cudaStream_t stream) const { CUDA_CHECK(cudaGraphLaunch(executable_, stream)); }

 private:
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace ropewalk
