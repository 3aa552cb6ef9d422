/// \file
/// An array in device memory that frees itself.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/gpu/check.hpp"

namespace ropewalk {

/// `size` elements of T on the device, not initialised. Only kernels and copies may touch them: data() is a
/// device address.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(std::size_t size) : size_(size) {
    if (size > SIZE_MAX / sizeof(T)) CUDA_CHECK(cudaErrorMemoryAllocation);  // the product would wrap
    if (size > 0) CUDA_CHECK(cudaMalloc(&data_, size * sizeof(T)));
  }
  explicit DeviceArray(std::span<const T> host) : DeviceArray(host.size()) { upload(host); }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(DeviceArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

  /// Copies host.size() == size() elements to the device and waits until they are there. cudaMemcpy alone may
  /// return while the last bytes of pageable memory are still on their way, and a non-blocking stream does
  /// not wait for them.
  void upload(std::span<const T> host) {
    if (size_ == 0) return;
    CUDA_CHECK(cudaMemcpy(data_, host.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaStreamSynchronize(nullptr));
  }
  /// Copies all elements back. Synchronise the stream that wrote them first: the copy does not wait for it.
  std::vector<T> download() const {
    std::vector<T> host(size_);
    if (size_ > 0) CUDA_CHECK(cudaMemcpy(host.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace ropewalk
