/// \file
/// The device's memory: which addresses belong to it, and when they may be touched.
#pragma once

#include <cstddef>
#include <span>

#include "common/simt/runtime/types.hpp"

namespace simt {

enum class MemoryKind : unsigned char {
  kHost,     // not ours, or a variable of the program
  kPinned,   // host memory from cudaMallocHost(): copies from and to it are truly asynchronous
  kDevice,   // only kernels and copies may touch it
  kManaged,  // both sides may
};

MemoryKind kind_of(const void* memory);
/// The allocation that holds this address; empty if there is none.
std::span<const char> allocation_at(const void* memory);
/// Does [memory, memory + bytes) lie inside one allocation that the device can reach, pinned host memory
/// included?
bool inside_allocation(const void* memory, std::size_t bytes);
/// May these two places be the ends of such a copy? Stricter than a GPU in one point: there
/// cudaMemcpyHostToHost accepts device memory, although the documentation leaves that undefined.
bool valid_copy(const void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);

/// Null if the device has no room for it. The memory is filled with 0xFF.
void* allocate(std::size_t bytes, MemoryKind kind);
/// Marks memory that cudaFreeAsync() will release later. False if it is not the beginning of an allocation of
/// the device, or marked already.
bool begin_release(const void* memory);
/// False if `memory` is not the beginning of an allocation; `pinned` tells which of the two kinds is meant.
bool release(void* memory, bool pinned);
/// After cudaDeviceReset(): nothing may be touched any more. Addresses are never used again.
void retire_all_memory();

std::size_t device_bytes_total();
std::size_t device_bytes_free();

/// While one of these lives, kernels and copies may touch device memory (AddressSanitizer builds forbid it
/// otherwise).
class DeviceMemoryOpen {
 public:
  DeviceMemoryOpen();
  ~DeviceMemoryOpen();
  DeviceMemoryOpen(const DeviceMemoryOpen&) = delete;
  DeviceMemoryOpen& operator=(const DeviceMemoryOpen&) = delete;
};

}  // namespace simt
