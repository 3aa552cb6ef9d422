/// \file
/// Allocating, freeing, copying and filling memory.
#include <cstring>

#include "common/simt/runtime/api.hpp"
#include "common/simt/runtime/device_memory.hpp"
#include "common/simt/runtime/state.hpp"
#include "common/simt/runtime/stream.hpp"

using simt::check_sticky;
using simt::find_stream;
using simt::MemoryKind;
using simt::remember;

namespace simt {
namespace {

cudaError_t allocate_into(void** memory, std::size_t bytes, MemoryKind kind,
                          const char* call = __builtin_FUNCTION()) {
  if (const cudaError_t error = check_caller(call)) return error;
  if (memory == nullptr) return remember(cudaErrorInvalidValue);
  if (const cudaError_t error = check_sticky()) return error;
  if (const cudaError_t error = check_capture_forbids_call()) return error;
  *memory = bytes == 0 ? nullptr : allocate(bytes, kind);
  return remember(bytes > 0 && *memory == nullptr ? cudaErrorMemoryAllocation : cudaSuccess);
}

cudaError_t check_copy(const void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
    return remember(cudaErrorInvalidMemcpyDirection);
  const bool valid = to != nullptr && from != nullptr && valid_copy(to, from, bytes, kind);
  return remember(valid ? cudaSuccess : cudaErrorInvalidValue);
}

// Work that the host waits for: it runs now.
cudaError_t run_now(Work work) {
  CUstream_st& stream = legacy_stream();
  run_through(stream, enqueue(stream, std::move(work)));
  return check_sticky();
}

}  // namespace

cudaError_t copy_symbol(void* to, const void* from, std::size_t bytes, std::size_t offset,
                        std::size_t symbol_size, bool to_symbol) {
  const char* call = to_symbol ? "cudaMemcpyToSymbol" : "cudaMemcpyFromSymbol";
  if (const cudaError_t error = check_sticky(call)) return error;
  if (const cudaError_t error = check_stream(legacy_stream())) return error;
  if (offset > symbol_size || bytes > symbol_size - offset) return remember(cudaErrorInvalidValue);
  if (to_symbol) {
    to = static_cast<char*>(to) + offset;
  } else {
    from = static_cast<const char*>(from) + offset;
  }
  return run_now(CopyWork{to, from, bytes, {}});
}

}  // namespace simt

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  return simt::allocate_into(memory, bytes, MemoryKind::kDevice);
}
cudaError_t cudaMallocManaged(void** memory, std::size_t bytes, unsigned) {
  return simt::allocate_into(memory, bytes, MemoryKind::kManaged);
}
cudaError_t cudaMallocHost(void** memory, std::size_t bytes, unsigned) {
  return simt::allocate_into(memory, bytes, MemoryKind::kPinned);
}
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) {
  return simt::allocate_into(memory, bytes, MemoryKind::kPinned);
}
cudaError_t cudaMallocAsync(void** memory, std::size_t bytes, cudaStream_t handle) {
  if (const cudaError_t error = simt::check_caller()) return error;
  const CUstream_st* stream = find_stream(handle);
  if (stream == nullptr) return remember(cudaErrorInvalidResourceHandle);
  if (stream->capture) return invalidate(*stream->capture, cudaErrorNotSupported);
  return simt::allocate_into(memory, bytes, MemoryKind::kDevice);
}

// Frees even after a fault, so that what a failing test allocated does not pile up.
cudaError_t cudaFree(void* memory) {
  if (const cudaError_t error = simt::check_caller()) return error;
  if (const cudaError_t error = simt::check_capture_forbids_call()) return error;
  if (memory == nullptr) return check_sticky();
  if (!simt::sticky_error()) simt::run_all_streams();  // the memory may be in use
  if (!simt::release(memory, false)) return remember(cudaErrorInvalidValue);
  return check_sticky();
}

cudaError_t cudaFreeHost(void* memory) {
  if (const cudaError_t error = simt::check_caller()) return error;
  if (const cudaError_t error = simt::check_capture_forbids_call()) return error;
  if (memory == nullptr) return check_sticky();
  if (!simt::sticky_error()) simt::run_all_streams();
  if (!simt::release(memory, true)) return remember(cudaErrorInvalidValue);
  return check_sticky();
}

cudaError_t cudaFreeAsync(void* memory, cudaStream_t handle) {
  if (const cudaError_t error = check_sticky()) return error;
  CUstream_st* stream = find_stream(handle);
  if (stream == nullptr) return remember(cudaErrorInvalidResourceHandle);
  if (stream->capture) return invalidate(*stream->capture, cudaErrorNotSupported);
  if (memory == nullptr) return cudaSuccess;
  if (!simt::begin_release(memory)) return remember(cudaErrorInvalidValue);
  enqueue(*stream, simt::FreeWork{memory});
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (const cudaError_t error = check_sticky()) return error;
  if (const cudaError_t error = simt::check_stream(simt::legacy_stream())) return error;
  if (bytes == 0) return cudaSuccess;
  if (const cudaError_t error = simt::check_copy(to, from, bytes, kind)) return error;
  return simt::run_now(simt::CopyWork{to, from, bytes, {}});
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t handle) {
  if (const cudaError_t error = check_sticky()) return error;
  CUstream_st* stream = find_stream(handle);
  if (stream == nullptr) return remember(cudaErrorInvalidResourceHandle);
  if (const cudaError_t error = simt::check_stream(*stream)) return error;
  if (bytes == 0) return cudaSuccess;
  if (const cudaError_t error = simt::check_copy(to, from, bytes, kind)) return error;
  simt::CopyWork copy{to, from, bytes, {}};
  if (stream->capture) {
    enqueue(*stream, std::move(copy));
    return cudaSuccess;
  }
  // As CUDA documents: pageable memory is read before the call returns, and has been written when it returns.
  if (simt::kind_of(from) == MemoryKind::kHost) {
    const char* bytes_of = static_cast<const char*>(from);
    copy.staged.assign(bytes_of, bytes_of + bytes);
  }
  const auto ticket = enqueue(*stream, std::move(copy));
  if (simt::kind_of(to) == MemoryKind::kHost) simt::run_through(*stream, ticket);
  return check_sticky();
}

cudaError_t cudaMemset(void* memory, int value, std::size_t bytes) {
  if (const cudaError_t error = check_sticky()) return error;
  if (const cudaError_t error = simt::check_stream(simt::legacy_stream())) return error;
  if (bytes == 0) return cudaSuccess;
  if (!simt::inside_allocation(memory, bytes)) return remember(cudaErrorInvalidValue);
  return simt::run_now(simt::FillWork{memory, value, bytes});
}

cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t handle) {
  if (const cudaError_t error = check_sticky()) return error;
  CUstream_st* stream = find_stream(handle);
  if (stream == nullptr) return remember(cudaErrorInvalidResourceHandle);
  if (const cudaError_t error = simt::check_stream(*stream)) return error;
  if (bytes == 0) return cudaSuccess;
  if (!simt::inside_allocation(memory, bytes)) return remember(cudaErrorInvalidValue);
  enqueue(*stream, simt::FillWork{memory, value, bytes});
  return cudaSuccess;
}
