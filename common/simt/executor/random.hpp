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

/// A random order of 0...count-1 that takes no memory: for grids too large for a list. A Feistel network
/// permutes the numbers of an even count of bits; where one leads out of the range, the walk goes on until it
/// is back, which ends because each number has one successor and one predecessor.
class Permutation {
 public:
  Permutation(std::uint64_t count, Random& random) : count_(count) {
    while (half_bits_ < 32 && (std::uint64_t{1} << 2 * half_bits_) < count) ++half_bits_;
    for (std::uint64_t& key : keys_) key = random.next();
  }
  std::uint64_t operator()(std::uint64_t i) const {
    do {
      i = permute(i);
    } while (i >= count_);
    return i;
  }

 private:
  std::uint64_t permute(std::uint64_t i) const {
    const std::uint64_t half = (std::uint64_t{1} << half_bits_) - 1;
    std::uint64_t left = i >> half_bits_, right = i & half;
    for (const std::uint64_t key : keys_) {
      const std::uint64_t mixed = left ^ (Random(key + right).next() & half);
      left = right;
      right = mixed;
    }
    return left << half_bits_ | right;
  }

  std::uint64_t count_;
  unsigned half_bits_ = 1;
  std::uint64_t keys_[6]{};
};

}  // namespace simt
