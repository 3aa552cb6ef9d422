/// \file
/// The random order of threads. Written out here because the standard library's shuffle may differ between
/// implementations, and a seed has to mean the same order everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace simt {

/// The generator known as SplitMix64.
class Random {
 public:
  explicit Random(std::uint64_t seed = 0) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// A number below `bound`. The bias of the remainder is of no consequence for an order.
  std::size_t below(std::size_t bound) { return std::size_t(next() % bound); }
  bool coin() { return next() >> 63; }

  template <class Sequence>
  void shuffle(Sequence& sequence, std::size_t first, std::size_t last) {
    for (std::size_t i = last; i > first + 1; --i) {
      std::swap(sequence[i - 1], sequence[first + below(i - first)]);
    }
  }

 private:
  std::uint64_t state_;
};

}  // namespace simt
