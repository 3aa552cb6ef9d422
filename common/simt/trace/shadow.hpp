/// \file
/// What is remembered about memory: for each piece of it who has written it last, and who has read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

namespace simt::trace {

/// Counts blocks, barriers and warp operations: what happens at different times was ordered by one of them,
/// or was done by different blocks. Begins at 1, so that 0 means never.
using Time = std::uint32_t;

/// The last write of a piece of memory, and the reads that are not ordered before each other.
struct Cell {
  Time write_time;
  Time read_time;
  std::uint32_t read_lanes;  // of the warp read_warp
  std::uint16_t write_thread;
  std::uint16_t write_site, read_site;
  std::uint8_t read_warp;
  bool write_atomic : 1;
  bool other_warps_read : 1;   // since the last barrier
  bool other_blocks_read : 1;  // in the same launch
};

/// One cell for each piece of a range of memory. Pieces are as small as the smallest access so far: 4 bytes
/// at first, so that arrays of float take a quarter of what bytes would.
class Shadow {
 public:
  explicit Shadow(std::size_t bytes) : bytes_(bytes), cells_(make_cells(pieces())) {}
  ~Shadow() { std::free(cells_); }
  Shadow(Shadow&& other) noexcept
      : bytes_(other.bytes_), shift_(other.shift_), cells_(std::exchange(other.cells_, nullptr)) {}
  Shadow& operator=(Shadow&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(shift_, other.shift_);
    std::swap(cells_, other.cells_);
    return *this;
  }

  std::size_t bytes() const { return bytes_; }

  struct Range {
    Cell *first, *last;
    Cell* begin() const { return first; }
    Cell* end() const { return last; }
  };
  /// The cells of bytes offset...offset+count-1, which lie inside.
  Range cells(std::size_t offset, std::size_t count) {
    while (((offset | count) & ((std::size_t{1} << shift_) - 1)) != 0) split();
    return {cells_ + (offset >> shift_), cells_ + ((offset + count) >> shift_)};
  }

 private:
  std::size_t pieces() const { return (bytes_ + (std::size_t{1} << shift_) - 1) >> shift_; }
  // Zeroed pages that exist only once they are touched.
  static Cell* make_cells(std::size_t count);
  // Halves the pieces. Each half knows what the whole knew.
  void split();

  std::size_t bytes_;
  unsigned shift_ = 2;
  Cell* cells_;
};

/// Which bytes of an allocation the host has filled.
class HostWritten {
 public:
  HostWritten(std::size_t bytes, bool all) : bytes_(bytes), all_(all) {}
  bool any_missing(std::size_t offset, std::size_t count) const;
  void set(std::size_t offset, std::size_t count, bool written);

 private:
  std::size_t bytes_;
  bool all_;
  std::vector<bool> written_;  // empty until some bytes differ from the others
};

}  // namespace simt::trace
