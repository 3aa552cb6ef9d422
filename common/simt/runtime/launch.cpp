/// \file
/// Launches: checked against the device's limits, then enqueued.
#include <algorithm>
#include <map>

#include "common/simt/runtime/api.hpp"
#include "common/simt/runtime/limits.hpp"
#include "common/simt/runtime/state.hpp"
#include "common/simt/runtime/stream.hpp"

namespace simt {
namespace {

// Kernels that have opted in to more dynamic shared memory than the default.
std::map<const void*, std::size_t>& opted_in_bytes() {
  static std::map<const void*, std::size_t> map;
  return map;
}

std::size_t allowed_dynamic_bytes(const void* function) {
  const auto found = opted_in_bytes().find(function);
  return found == opted_in_bytes().end() ? kSharedMemoryPerBlock : found->second;
}

bool within(dim3 shape, dim3 limit) {
  return shape.x >= 1 && shape.y >= 1 && shape.z >= 1 && shape.x <= limit.x && shape.y <= limit.y &&
         shape.z <= limit.z;
}

cudaError_t check_shape(const cudaLaunchConfig_t& config, const void* function) {
  const dim3 block = config.blockDim;
  if (!within(config.gridDim, kMaxGrid) || !within(block, kMaxBlock)) return cudaErrorInvalidValue;
  if (std::size_t(block.x) * block.y * block.z > kMaxThreadsPerBlock) return cudaErrorInvalidValue;
  if (config.dynamicSmemBytes > allowed_dynamic_bytes(function)) return cudaErrorInvalidValue;
  return cudaSuccess;
}

bool may_start_early(const cudaLaunchConfig_t& config) {
  return std::any_of(config.attrs, config.attrs + config.numAttrs, [](const cudaLaunchAttribute& attribute) {
    return attribute.id == cudaLaunchAttributeProgrammaticStreamSerialization &&
           attribute.val.programmaticStreamSerializationAllowed != 0;
  });
}

}  // namespace

cudaError_t enqueue_kernel(const cudaLaunchConfig_t& config, const void* function,
                           std::shared_ptr<const KernelCall> kernel) {
  if (in_kernel()) kernel.reset();  // the next line does not come back, and no destructor runs
  if (const cudaError_t error = check_sticky("cudaLaunchKernel")) return error;
  if (function == nullptr) return remember(cudaErrorInvalidDeviceFunction);
  CUstream_st* stream = find_stream(config.stream);
  if (stream == nullptr) return remember(cudaErrorInvalidResourceHandle);
  if (const cudaError_t error = check_shape(config, function)) {
    return stream->capture ? invalidate(*stream->capture, error) : remember(error);
  }
  if (const cudaError_t error = check_stream(*stream)) return error;
  enqueue(*stream, Launch{config.gridDim, config.blockDim, config.dynamicSmemBytes, may_start_early(config),
                          std::move(kernel)});
  return cudaSuccess;
}

cudaError_t set_function_attribute(const void* function, cudaFuncAttribute attribute, int value) {
  if (const cudaError_t error = check_sticky("cudaFuncSetAttribute")) return error;
  if (function == nullptr) return remember(cudaErrorInvalidDeviceFunction);
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;  // only a hint
  if (value < 0 || std::size_t(value) > kSharedMemoryPerBlockOptIn) return remember(cudaErrorInvalidValue);
  opted_in_bytes()[function] = std::size_t(value);
  return cudaSuccess;
}

cudaError_t get_function_attributes(cudaFuncAttributes* attributes, const void* function) {
  if (const cudaError_t error = check_sticky("cudaFuncGetAttributes")) return error;
  if (attributes == nullptr) return remember(cudaErrorInvalidValue);
  if (function == nullptr) return remember(cudaErrorInvalidDeviceFunction);
  *attributes = {};
  attributes->maxThreadsPerBlock = int(kMaxThreadsPerBlock);
  attributes->ptxVersion = attributes->binaryVersion = 90;
  attributes->maxDynamicSharedSizeBytes = int(allowed_dynamic_bytes(function));
  attributes->preferredShmemCarveout = -1;
  return cudaSuccess;
}

cudaError_t count_resident_blocks(int* blocks, const void* function, int block_size,
                                  std::size_t dynamic_bytes) {
  if (const cudaError_t error = check_sticky("cudaOccupancyMaxActiveBlocksPerMultiprocessor")) return error;
  if (blocks == nullptr || block_size <= 0) return remember(cudaErrorInvalidValue);
  if (function == nullptr) return remember(cudaErrorInvalidDeviceFunction);
  if (unsigned(block_size) > kMaxThreadsPerBlock || dynamic_bytes > allowed_dynamic_bytes(function)) {
    *blocks = 0;
    return cudaSuccess;
  }
  const std::size_t warps = std::size_t(block_size + 31) / 32;
  const std::size_t by_threads = kMaxThreadsPerMultiprocessor / (warps * 32);
  const std::size_t by_shared =
      kSharedMemoryPerMultiprocessor / (dynamic_bytes + kReservedSharedMemoryPerBlock);
  *blocks = int(std::min({std::size_t(kMaxBlocksPerMultiprocessor), by_threads, by_shared}));
  return cudaSuccess;
}

}  // namespace simt
