/// \file
/// The shared memory of a block: its dynamic part, and the one copy of the program's __shared__ variables.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace simt {

/// Where a block's dynamic shared memory begins: strict enough for every vector, and what a GPU gives a block
/// without static shared memory.
inline constexpr std::size_t kDynamicSharedAlignment = 1024;

/// The dynamic part belongs to its block, so that pointers into it stay good while the block is set aside.
class DynamicSharedMemory {
 public:
  explicit DynamicSharedMemory(std::size_t size);
  ~DynamicSharedMemory();
  DynamicSharedMemory(const DynamicSharedMemory&) = delete;
  DynamicSharedMemory& operator=(const DynamicSharedMemory&) = delete;

  void* data() const { return data_; }
  std::size_t size() const { return size_; }
  void poison();

 private:
  void* data_ = nullptr;
  std::size_t size_;
};

/// Where all __shared__ variables lie.
std::span<const char> static_shared_memory();

/// Fills all __shared__ variables with 0xFF: a NaN as float, half and bfloat16, -1 as int.
void poison_static_shared_memory();

/// The values of all __shared__ variables, for a block that is set aside half-way.
using StaticSharedImage = std::vector<char>;
StaticSharedImage save_static_shared_memory();
void restore_static_shared_memory(const StaticSharedImage& image);

}  // namespace simt
