/// \file
/// Counts wavefronts. Shared memory has 32 banks, each 4 bytes wide: word w lies in bank w % 32. In one
/// wavefront a bank delivers one word, to as many lanes as want it. Different words of one bank take turns.
/// 128 bytes are the most a wavefront can move, so that lanes with 8 bytes come by half warps and lanes with
/// 16 bytes by quarter warps. Two such parts come together where lanes load the same: the rule that an H200
/// follows in tests/h200_counters.csv. docs/trace.md says what is known.
#include "common/simt/trace/banks.hpp"

#include <algorithm>

namespace simt::trace {
namespace {

constexpr unsigned kBanks = 32;
constexpr std::uint64_t kWordBytes = 4;

unsigned lanes_per_turn(unsigned bytes) {
  return bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
}

bool takes_part(const WarpAccess& access, unsigned lane) {
  return (access.lanes >> lane & 1u) != 0;
}

// The most words that lanes first...last-1 want from one bank; 0 if none of them takes part.
unsigned most_words_in_a_bank(const WarpAccess& access, unsigned first, unsigned last) {
  std::uint64_t words[kLanes * 3];  // 16 lanes of 16 bytes that are not aligned, or 32 of 8
  unsigned count = 0;
  for (unsigned lane = first; lane < last; ++lane) {
    if (!takes_part(access, lane)) continue;
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

// Does each lane of these want the same as the lane whose number differs in bit `step`, if both take part?
bool shared_with(const WarpAccess& access, unsigned first, unsigned last, unsigned step) {
  for (unsigned lane = first; lane < last; ++lane) {
    if (takes_part(access, lane) && takes_part(access, lane ^ step) &&
        access.address[lane] != access.address[lane ^ step])
      return false;
  }
  return true;
}

// Two parts of a warp come in one turn if neighbours share (0 with 1, 2 with 3, or 0 with 2, 1 with 3) and no
// bank has to deliver two words.
bool come_together(const WarpAccess& access, unsigned first, unsigned last) {
  return (shared_with(access, first, last, 1) || shared_with(access, first, last, 2)) &&
         most_words_in_a_bank(access, first, last) == 1;
}

}  // namespace

Counts count_wavefronts(const WarpAccess& access, Operation operation) {
  Counts counts{.requests = 1};
  const auto add = [&](unsigned words) {
    counts.wavefronts += words;
    counts.ideal_wavefronts += words > 0;
  };
  const unsigned turn = lanes_per_turn(access.bytes);
  if (turn == kLanes) {
    add(most_words_in_a_bank(access, 0, kLanes));
    return counts;
  }
  for (unsigned lane = 0; lane < kLanes; lane += 2 * turn) {
    if (operation == Operation::kLoad && come_together(access, lane, lane + 2 * turn)) {
      add(1);
    } else {
      add(most_words_in_a_bank(access, lane, lane + turn));
      add(most_words_in_a_bank(access, lane + turn, lane + 2 * turn));
    }
  }
  return counts;
}

}  // namespace simt::trace
