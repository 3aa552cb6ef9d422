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

/// The threads that have read a piece of memory, or made an atomic operation on it, as far as what comes may
/// race with them.
struct Touches {
  Time time;            // of the last of them; 0: there are none
  std::uint32_t lanes;  // of one warp, all at `time` and `site`; if they are `apart`, the number of the
                        // detector's entry
  std::uint16_t site;   // of the last of them
  std::uint8_t warp;    // whose lanes these are
  bool apart : 1;
  bool other_warps : 1;   // some touched it as well, since the last barrier
  bool other_blocks : 1;  // ... in the same launch
};

/// What is remembered about a piece of memory.
struct Cell {
  Time write_time;  // of the last plain write
  std::uint16_t write_thread, write_site;
  Touches reads, atomics;

  bool written() const { return write_time != 0 || atomics.time != 0; }  // by a kernel
  void forget_writes() { write_time = atomics.time = 0; }
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

  const Cell& at(std::size_t offset) const { return cells_[offset >> shift_]; }
  std::size_t bytes_of_piece() const { return std::size_t{1} << shift_; }

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
