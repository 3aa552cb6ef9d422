/// \file
/// Counts wavefronts. Shared memory has 32 banks, each 4 bytes wide: word w lies in bank w % 32. In one
/// wavefront a bank delivers one word, to as many lanes as want it. Different words of one bank take turns.
/// 128 bytes are the most a wavefront can move, so that lanes with 8 bytes come by half warps and lanes with
/// 16 bytes by quarter warps.
#include "common/simt/trace/banks.hpp"

#include <algorithm>

namespace simt::trace {
namespace {

constexpr unsigned kBanks = 32;
constexpr std::uint64_t kWordBytes = 4;

unsigned lanes_per_turn(unsigned bytes) {
  return bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
}

// The most words that lanes first...last-1 want from one bank; 0 if none of them takes part.
unsigned most_words_in_a_bank(const WarpAccess& access, unsigned first, unsigned last) {
  std::uint64_t words[kLanes * 2];  // at most 32 words when all are aligned
  unsigned count = 0;
  for (unsigned lane = first; lane < last; ++lane) {
    if (!(access.lanes >> lane & 1u)) continue;
    const std::uint64_t end = (access.address[lane] + access.bytes - 1) / kWordBytes;
    for (std::uint64_t word = access.address[lane] / kWordBytes; word <= end; ++word) words[count++] = word;
  }
  if (!std::is_sorted(words, words + count)) std::sort(words, words + count);
  const auto* end = std::unique(words, words + count);
  unsigned per_bank[kBanks] = {}, most = 0;
  for (const std::uint64_t* word = words; word != end; ++word) {
    most = std::max(most, ++per_bank[*word % kBanks]);
  }
  return most;
}

}  // namespace

Counts count_wavefronts(const WarpAccess& access) {
  Counts counts{.requests = 1};
  const unsigned turn = lanes_per_turn(access.bytes);
  for (unsigned lane = 0; lane < kLanes; lane += turn) {
    const unsigned words = most_words_in_a_bank(access, lane, lane + turn);
    counts.wavefronts += words;
    counts.ideal_wavefronts += words > 0;
  }
  return counts;
}

}  // namespace simt::trace
