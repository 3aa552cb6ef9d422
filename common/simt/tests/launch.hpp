/// \file
/// What the executor's tests share: launching without ending the program when something fails.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

namespace simt_tests {

template <class... Parameters, class... Arguments>
cudaError_t launch(dim3 grid, dim3 block, std::size_t shared_bytes, cudaStream_t stream,
                   void (*kernel)(Parameters...), Arguments... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

/// Launches on the legacy stream and waits.
template <class... Parameters, class... Arguments>
cudaError_t run(dim3 grid, dim3 block, void (*kernel)(Parameters...), Arguments... arguments) {
  const cudaError_t launched = launch(grid, block, 0, nullptr, kernel, arguments...);
  return launched != cudaSuccess ? launched : cudaDeviceSynchronize();
}

/// Device memory that frees itself, with the few copies that the tests need.
template <class T>
class Buffer {
 public:
  explicit Buffer(std::size_t size) : size_(size) { cudaMalloc(&data_, size * sizeof(T)); }
  explicit Buffer(const std::vector<T>& host) : Buffer(host.size()) { upload(host); }
  ~Buffer() { cudaFree(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  T* data() const { return data_; }
  cudaError_t upload(const std::vector<T>& host) {
    return cudaMemcpy(data_, host.data(), size_ * sizeof(T), cudaMemcpyHostToDevice);
  }
  std::vector<T> download() const {
    std::vector<T> host(size_);
    cudaMemcpy(host.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost);
    return host;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

}  // namespace simt_tests
