/// \file
/// Shadows and the marks of bytes that the host has filled.
#include "common/simt/trace/shadow.hpp"

#include <algorithm>
#include <cstdio>

namespace simt::trace {

Cell* Shadow::make_cells(std::size_t count) {
  auto* cells = static_cast<Cell*>(std::calloc(std::max<std::size_t>(count, 1), sizeof(Cell)));
  if (cells == nullptr) {
    std::fprintf(stderr, "simt: no memory for tracing %zu pieces of memory\n", count);
    std::abort();
  }
  return cells;
}

void Shadow::split() {
  const std::size_t before = pieces();
  --shift_;
  Cell* halves = make_cells(2 * before);
  for (std::size_t i = 0; i < before; ++i) halves[2 * i] = halves[2 * i + 1] = cells_[i];
  std::free(cells_);
  cells_ = halves;
}

bool HostWritten::any_missing(std::size_t offset, std::size_t count) const {
  if (written_.empty()) return !all_;
  for (std::size_t i = offset; i < offset + count; ++i) {
    if (!written_[i]) return true;
  }
  return false;
}

void HostWritten::set(std::size_t offset, std::size_t count, bool written) {
  if (written_.empty()) {
    if (written == all_) return;
    if (count == bytes_) {
      all_ = written;
      return;
    }
    written_.assign(bytes_, all_);
  }
  std::fill_n(written_.begin() + std::ptrdiff_t(offset), count, written);
}

}  // namespace simt::trace
