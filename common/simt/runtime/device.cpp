/// \file
/// The device the executor claims to be.
#include <cstdio>
#include <iterator>

#include "common/simt/runtime/api.hpp"
#include "common/simt/runtime/device_memory.hpp"
#include "common/simt/runtime/limits.hpp"
#include "common/simt/runtime/state.hpp"
#include "common/simt/runtime/stream.hpp"

using simt::remember;

namespace simt {
namespace {

// Numbers that would describe speed (clocks, buses, caches) are 0: there is nothing to describe.
constexpr struct {
  cudaDeviceAttr attribute;
  int value;
} kAttributes[] = {
    {cudaDevAttrMaxThreadsPerBlock, int(kMaxThreadsPerBlock)},
    {cudaDevAttrMaxBlockDimX, int(kMaxBlock.x)},
    {cudaDevAttrMaxBlockDimY, int(kMaxBlock.y)},
    {cudaDevAttrMaxBlockDimZ, int(kMaxBlock.z)},
    {cudaDevAttrMaxGridDimX, int(kMaxGrid.x)},
    {cudaDevAttrMaxGridDimY, int(kMaxGrid.y)},
    {cudaDevAttrMaxGridDimZ, int(kMaxGrid.z)},
    {cudaDevAttrMaxSharedMemoryPerBlock, int(kSharedMemoryPerBlock)},
    {cudaDevAttrWarpSize, 32},
    {cudaDevAttrMaxRegistersPerBlock, 65536},
    {cudaDevAttrClockRate, 0},
    {cudaDevAttrMultiProcessorCount, 1},
    {cudaDevAttrMemoryClockRate, 0},
    {cudaDevAttrGlobalMemoryBusWidth, 0},
    {cudaDevAttrL2CacheSize, 0},
    {cudaDevAttrMaxThreadsPerMultiProcessor, int(kMaxThreadsPerMultiprocessor)},
    {cudaDevAttrComputeCapabilityMajor, 9},
    {cudaDevAttrComputeCapabilityMinor, 0},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, int(kSharedMemoryPerMultiprocessor)},
    {cudaDevAttrManagedMemory, 1},
    {cudaDevAttrConcurrentManagedAccess, 1},
    {cudaDevAttrCooperativeLaunch, 0},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, int(kSharedMemoryPerBlockOptIn)},
    {cudaDevAttrMaxBlocksPerMultiprocessor, int(kMaxBlocksPerMultiprocessor)},
    {cudaDevAttrMemoryPoolsSupported, 1},
};

int value_of(cudaDeviceAttr attribute) {
  int value = 0;
  cudaDeviceGetAttribute(&value, attribute, 0);
  return value;
}

}  // namespace
}  // namespace simt

cudaError_t cudaGetDeviceCount(int* count) {
  if (count == nullptr) return remember(cudaErrorInvalidValue);
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  if (device == nullptr) return remember(cudaErrorInvalidValue);
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  return remember(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (device != 0) return remember(cudaErrorInvalidDevice);
  if (value == nullptr) return remember(cudaErrorInvalidValue);
  for (const auto& known : simt::kAttributes) {
    if (known.attribute != attribute) continue;
    *value = known.value;
    return cudaSuccess;
  }
  return remember(cudaErrorInvalidValue);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (device != 0) return remember(cudaErrorInvalidDevice);
  if (properties == nullptr) return remember(cudaErrorInvalidValue);
  cudaDeviceProp& p = *properties = {};
  std::snprintf(p.name, sizeof p.name, "CPU executor (simt)");
  p.totalGlobalMem = simt::device_bytes_total();
  p.sharedMemPerBlock = simt::kSharedMemoryPerBlock;
  p.regsPerBlock = simt::value_of(cudaDevAttrMaxRegistersPerBlock);
  p.warpSize = 32;
  p.maxThreadsPerBlock = int(simt::kMaxThreadsPerBlock);
  p.maxThreadsDim[0] = int(simt::kMaxBlock.x);
  p.maxThreadsDim[1] = int(simt::kMaxBlock.y);
  p.maxThreadsDim[2] = int(simt::kMaxBlock.z);
  p.maxGridSize[0] = int(simt::kMaxGrid.x);
  p.maxGridSize[1] = int(simt::kMaxGrid.y);
  p.maxGridSize[2] = int(simt::kMaxGrid.z);
  p.major = simt::value_of(cudaDevAttrComputeCapabilityMajor);
  p.minor = simt::value_of(cudaDevAttrComputeCapabilityMinor);
  p.multiProcessorCount = simt::value_of(cudaDevAttrMultiProcessorCount);
  p.maxThreadsPerMultiProcessor = int(simt::kMaxThreadsPerMultiprocessor);
  p.sharedMemPerMultiprocessor = simt::kSharedMemoryPerMultiprocessor;
  p.managedMemory = 1;
  p.sharedMemPerBlockOptin = simt::kSharedMemoryPerBlockOptIn;
  p.maxBlocksPerMultiProcessor = int(simt::kMaxBlocksPerMultiprocessor);
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
  if (version == nullptr) return remember(cudaErrorInvalidValue);
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  return cudaDriverGetVersion(version);
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  if (free == nullptr || total == nullptr) return remember(cudaErrorInvalidValue);
  *free = simt::device_bytes_free();
  *total = simt::device_bytes_total();
  return cudaSuccess;
}

cudaError_t cudaDeviceReset() {
  if (const cudaError_t error = simt::check_caller()) return error;
  simt::drop_all_work();
  simt::destroy_all_streams();
  simt::destroy_all_events();
  simt::destroy_all_graphs();
  simt::retire_all_memory();
  simt::clear_sticky_error();
  return cudaSuccess;
}
