/// \file
/// The host side of the CUDA runtime. The functions do what NVIDIA's documentation of the same names says;
/// where the executor decides something that it leaves open, a comment here says so.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "common/simt/executor/kernel_call.hpp"
#include "common/simt/runtime/error_codes.hpp"
#include "common/simt/runtime/types.hpp"

// Device. There is one, and it says that it is of compute capability 9.0 so that everything in the book runs
// on it.
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaRuntimeGetVersion(int* version);
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total);
cudaError_t cudaDeviceSynchronize();
/// Clears a sticky error. All memory, streams, events and graphs are gone afterwards, as on a GPU.
cudaError_t cudaDeviceReset();

// Memory. New device memory is filled with 0xFF; under AddressSanitizer the host may not touch it.
cudaError_t cudaMalloc(void** memory, std::size_t bytes);
cudaError_t cudaMallocAsync(void** memory, std::size_t bytes, cudaStream_t stream);
cudaError_t cudaMallocManaged(void** memory, std::size_t bytes, unsigned flags = cudaMemAttachGlobal);
cudaError_t cudaMallocHost(void** memory, std::size_t bytes, unsigned flags = cudaHostAllocDefault);
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned flags);
cudaError_t cudaFree(void* memory);
cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream);
cudaError_t cudaFreeHost(void* memory);

template <class T>
cudaError_t cudaMalloc(T** memory, std::size_t bytes) {
  return cudaMalloc(reinterpret_cast<void**>(memory), bytes);
}
template <class T>
cudaError_t cudaMallocAsync(T** memory, std::size_t bytes, cudaStream_t stream) {
  return cudaMallocAsync(reinterpret_cast<void**>(memory), bytes, stream);
}
template <class T>
cudaError_t cudaMallocManaged(T** memory, std::size_t bytes, unsigned flags = cudaMemAttachGlobal) {
  return cudaMallocManaged(reinterpret_cast<void**>(memory), bytes, flags);
}
template <class T>
cudaError_t cudaMallocHost(T** memory, std::size_t bytes, unsigned flags = cudaHostAllocDefault) {
  return cudaMallocHost(reinterpret_cast<void**>(memory), bytes, flags);
}
template <class T>
cudaError_t cudaHostAlloc(T** memory, std::size_t bytes, unsigned flags) {
  return cudaHostAlloc(reinterpret_cast<void**>(memory), bytes, flags);
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemset(void* memory, int value, std::size_t bytes);
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream = nullptr);

namespace simt {
cudaError_t copy_symbol(void* to, const void* from, std::size_t bytes, std::size_t offset,
                        std::size_t symbol_size, bool to_symbol);
}
/// __constant__ and __device__ variables are ordinary globals here.
template <class T>
cudaError_t cudaMemcpyToSymbol(T& symbol, const void* from, std::size_t bytes, std::size_t offset = 0,
                               cudaMemcpyKind = cudaMemcpyHostToDevice) {
  return simt::copy_symbol(&symbol, from, bytes, offset, sizeof symbol, true);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, std::size_t bytes, std::size_t offset = 0,
                                 cudaMemcpyKind = cudaMemcpyDeviceToHost) {
  return simt::copy_symbol(to, &symbol, bytes, offset, sizeof symbol, false);
}

// Streams. Work runs when the host waits for it, so that a forgotten wait shows. A query runs one piece of
// work, so that a loop of queries ends.
cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
/// The function may not call the runtime: calls that touch streams or memory return cudaErrorNotPermitted.
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data);

// Events. The elapsed time is the executor's own wall-clock time: it says nothing about a GPU.
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags) {
  return cudaEventCreateWithFlags(event, flags);
}
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end);

// Capture and graphs. Memory cannot be allocated or freed in stream order during capture here.
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long flags = 0);
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable);
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count);

// Kernels.
namespace simt {
cudaError_t enqueue_kernel(const cudaLaunchConfig_t& config, const void* function,
                           std::shared_ptr<const KernelCall> kernel);
cudaError_t set_function_attribute(const void* function, cudaFuncAttribute attribute, int value);
cudaError_t get_function_attributes(cudaFuncAttributes* attributes, const void* function);
cudaError_t count_resident_blocks(int* blocks, const void* function, int block_size,
                                  std::size_t dynamic_bytes);

template <class... Parameters>
const void* address_of(void (*kernel)(Parameters...)) {
  return reinterpret_cast<const void*>(kernel);
}

template <class... Parameters, std::size_t... i>
cudaError_t launch_with_pointers(const cudaLaunchConfig_t& config, void (*kernel)(Parameters...),
                                 void** arguments, std::index_sequence<i...>) {
  return enqueue_kernel(
      config, address_of(kernel),
      std::make_shared<BoundKernel<Parameters...>>(kernel, *static_cast<Parameters*>(arguments[i])...));
}
}  // namespace simt

template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  if (config == nullptr || kernel == nullptr) return simt::enqueue_kernel({}, nullptr, nullptr);
  return simt::enqueue_kernel(
      *config, simt::address_of(kernel),
      std::make_shared<simt::BoundKernel<Parameters...>>(kernel, std::forward<Arguments>(arguments)...));
}

template <class... Parameters>
cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments,
                             std::size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  return simt::launch_with_pointers({grid, block, shared_bytes, stream, nullptr, 0}, kernel, arguments,
                                    std::index_sequence_for<Parameters...>{});
}

template <class... Parameters>
cudaError_t cudaFuncSetAttribute(void (*kernel)(Parameters...), cudaFuncAttribute attribute, int value) {
  return simt::set_function_attribute(simt::address_of(kernel), attribute, value);
}
template <class... Parameters>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, void (*kernel)(Parameters...)) {
  return simt::get_function_attributes(attributes, simt::address_of(kernel));
}
/// Registers are not modelled: the answer follows from threads and dynamic shared memory alone.
template <class... Parameters>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void (*kernel)(Parameters...),
                                                          int block_size, std::size_t dynamic_bytes) {
  return simt::count_resident_blocks(blocks, simt::address_of(kernel), block_size, dynamic_bytes);
}
