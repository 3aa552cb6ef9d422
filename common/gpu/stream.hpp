/// \file
/// A CUDA stream that destroys itself.
#pragma once

#include <cuda_runtime.h>

#include "common/gpu/check.hpp"

namespace ropewalk {

/// Work put on one stream runs in order. Non-blocking: it does not wait for the legacy default stream, which
/// graph capture refuses anyway.
class Stream {
 public:
  Stream() { CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  operator cudaStream_t() const { return stream_; }
  /// Waits until everything on the stream has run; errors of its kernels show here.
  void synchronize() const { CUDA_CHECK(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace ropewalk
