/// \file
/// The fault list: the mistakes that every check of this book must catch, each with one name and one meaning.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ropewalk::faults {

enum class Fault {
  none,
  // Mistakes of arithmetic or indexing, which plain C++ can make as well.
  split_at_half_of_head,
  other_style,
  sign,
  exponent_over_head_dim,
  wrong_base,
  position_off_by_one,
  head_taken_for_position,
  positions_ignored,
  cos_and_sin_swapped,
  in_place_order,
  tail_lost,
  last_block_skipped,
  rotated_twice,
  table_row_of_another_token,
  nothing_done,
  // Mistakes of threads, memory and numbers.
  missing_barrier,
  nan_result,
  overrun,
  underrun,
  unwritten_output,
  positions_modified,
  inv_freq_modified,
  cos_table_modified,
  sin_table_modified,
  positions_overrun,
  positions_underrun,
  inv_freq_overrun,
  cos_table_overrun,
  sin_table_overrun,
  wrong_rounding,
  k_not_rotated,
  next_table_row,
  previous_table_row,
  positions_of_first_sequence,
  misaligned_access,
  // No fault, but the code that missing_barrier has and the others do not.
  barrier_in_place,
};

/// Factor between the wrong base and the right one, and pairs in the blocks of which the last is skipped.
inline constexpr double kWrongBaseFactor = 100.0;
inline constexpr std::int64_t kBlockOfPairs = 64;

/// A fault, and what it does to the small case in the half style and float: enough to tell it from all
/// others. `where` also holds in the 16-bit types. The numbers in `got` follow from the case's first values,
/// 0.25 and 0.26171875, and from the meaning: the sign, for example, gives 0.25 · cos 7 + 0.26171875 · sin 7.
struct FaultText {
  Fault fault;
  std::string_view name;
  std::string_view meaning;
  std::int64_t faults;     ///< how many values of q and k are wrong; kAny: that depends on the threads' order
  std::string_view where;  ///< how the report's first line begins
  std::string_view got = "";  ///< what else it says, in float
  double error = 0;           ///< the worst error, where the rest is not enough
};

inline constexpr std::int64_t kAny = -1;
inline constexpr std::string_view kFirstValue =
    "q[b=0 t=0 h=0] pair 0 channel 0: position 7, angle 7: expected 0.0165298522, ";
inline constexpr std::string_view kSecondPair =
    "q[b=0 t=0 h=0] pair 1 channel 1: position 7, angle 1.5081: expected -0.247368779, ";
inline constexpr std::string_view kTail =
    "q[b=0 t=0 h=0] channel 12 is not rotary and must not change: was 0.2734375, ";

/// The mistakes that plain C++ can make as well. Chapter 02 makes them there, the fault list in a kernel, and
/// both must find what stands here.
inline constexpr std::array<FaultText, 15> kMistakes = {{
    {Fault::split_at_half_of_head, "split at head/2", "the partner is head_dim/2 away", 320, kTail,
     "got 0.34018"},
    {Fault::other_style, "other style", "pairs of the other style", 240, kFirstValue, "got 0.022945"},
    {Fault::sign, "sign of the sine", "turns the other way", 240, kFirstValue, "got 0.36042"},
    {Fault::exponent_over_head_dim, "exponent over head_dim", "frequency = base^(-2p/head_dim)", 200,
     kSecondPair, "got -0.32786"},
    {Fault::wrong_base, "wrong base", "a hundred times the base", 200, kSecondPair, "got 0.022842"},
    {Fault::position_off_by_one, "position off by one", "turns by position + 1", 240, kFirstValue,
     "got -0.29530"},
    {Fault::head_taken_for_position, "head taken for position", "turns by the number of the head", 228,
     kFirstValue, "got 0.25,"},
    {Fault::positions_ignored, "positions ignored", "turns by the token's place in its sequence", 240,
     kFirstValue, "got 0.25,", 0.766769},
    {Fault::cos_and_sin_swapped, "cos and sin swapped", "each in the other's place", 240, kFirstValue,
     "got -0.033063"},
    {Fault::in_place_order, "in-place order", "the second channel is made from the new first one", 120,
     "q[b=0 t=0 h=0] pair 0 channel 6: position 7, angle 7: expected 0.361557005, ", "got 0.20817"},
    {Fault::tail_lost, "tail lost", "channels that do not turn become 0", 160, kTail, "got 0"},
    {Fault::last_block_skipped, "last block skipped", "only whole blocks of 64 pairs are worked on", 112,
     "q[b=0 t=3 h=1] pair 4 channel 4: position 400, angle 0.861774: expected 0.0518885479, ",
     "got -0.3984375,"},
    {Fault::rotated_twice, "rotated twice", "the result is turned again", 240, kFirstValue, "got -0.22507"},
    {Fault::table_row_of_another_token, "table row of another token",
     "the row of the token's number, not of its position", 192, kFirstValue, "got -0.34201"},
    {Fault::nothing_done, "nothing done", "all stays as it was", 240, kFirstValue, "got 0.25,", 0.880925},
}};

/// The mistakes that it takes a kernel to make.
inline constexpr std::array<FaultText, 20> kKernelFaults = {{
    {Fault::missing_barrier, "missing barrier", "a neighbour's value is read before it is there", kAny,
     "q[b=0 t="},
    {Fault::nan_result, "NaN", "one cosine is not a number", 4,
     "q[b=0 t=2 h=1] pair 3 channel 3: position 19, angle 0.19: expected -0.219309825, got nan"},
    {Fault::overrun, "overrun", "one element behind q and k is written", 2, "q: memory before or behind it"},
    {Fault::underrun, "underrun", "one element before q and k is written", 2,
     "q: memory before or behind it"},
    {Fault::unwritten_output, "unwritten output", "the last head of the last token stays as it was", 24,
     "q[b=0 t=4 h=2] pair 0 channel 0: position 2, angle 2: expected -0.80829419, ", "got 0.59375,"},
    {Fault::positions_modified, "positions modified", "an input", 1, "positions: an input was modified"},
    {Fault::inv_freq_modified, "inv_freq modified", "an input", 1, "inv_freq: an input was modified"},
    {Fault::cos_table_modified, "cos table modified", "an input", 1, "cos table: an input was modified"},
    {Fault::sin_table_modified, "sin table modified", "an input", 1, "sin table: an input was modified"},
    {Fault::positions_overrun, "positions overrun", "a word behind an input is written", 1,
     "positions: memory before or behind it"},
    {Fault::positions_underrun, "positions underrun", "a word before an input is written", 1,
     "positions: memory before or behind it"},
    {Fault::inv_freq_overrun, "inv_freq overrun", "a word behind an input is written", 1,
     "inv_freq: memory before or behind it"},
    {Fault::cos_table_overrun, "cos table overrun", "a word behind an input is written", 1,
     "cos table: memory before or behind it"},
    {Fault::sin_table_overrun, "sin table overrun", "a word behind an input is written", 1,
     "sin table: memory before or behind it"},
    {Fault::wrong_rounding, "wrong rounding", "bits are cut off instead of rounded to nearest", 240,
     "q[b=0 t=0 h=0] pair ", "got 0.016525"},
    {Fault::k_not_rotated, "k not rotated", "only q is", 60,
     "k[b=0 t=0 h=0] pair 0 channel 0: position 7, angle 7: expected 0.0497170827, ", "got 0.671875,"},
    {Fault::next_table_row, "next table row", "the row of position + 1", 192, kFirstValue, "got nan"},
    {Fault::previous_table_row, "previous table row", "the row of position - 1", 192, kFirstValue, "got nan"},
    // The small case has one sequence: a batch shows this one.
    {Fault::positions_of_first_sequence, "positions of the first sequence",
     "every sequence of a batch is given the first one's", 0, ""},
    // A GPU stops the program, and so does a build that checks alignment: harness_broken_chapter makes it.
    {Fault::misaligned_access, "misaligned vector access", "a float2 is read from an odd element", 0, ""},
}};

/// Both lists in one.
inline constexpr std::array<FaultText, 35> all_faults() {
  std::array<FaultText, 35> all{};
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = i < kMistakes.size() ? kMistakes[i] : kKernelFaults[i - kMistakes.size()];
  return all;
}

/// Faults that AddressSanitizer stops before our own guard bytes could show them; simt's tests look for its
/// words.
constexpr bool leaves_its_buffer(Fault fault) {
  return fault == Fault::overrun || fault == Fault::underrun || fault == Fault::positions_overrun ||
         fault == Fault::positions_underrun || fault == Fault::inv_freq_overrun ||
         fault == Fault::cos_table_overrun || fault == Fault::sin_table_overrun;
}

}  // namespace ropewalk::faults
