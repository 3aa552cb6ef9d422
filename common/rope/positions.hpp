/// \file
/// Position ids as serving and training code makes them: [batch, tokens], int32, any order, negative ones
/// legal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ropewalk {

/// offset, offset+1, … in every sequence.
std::vector<std::int32_t> contiguous_positions(std::int64_t batch, std::int64_t tokens, std::int64_t offset);

/// Left-padded batches: a row of the mask is 0 for padding. Real tokens count 0, 1, …; padding gets 0.
std::vector<std::int32_t> positions_from_mask(std::span<const std::int32_t> mask, std::int64_t tokens);

/// Sequences packed into one row: {0, 1, 4, 5} gives 0 | 0, 1, 2 | 0.
std::vector<std::int32_t> packed_positions(std::span<const std::int32_t> cumulative_lengths);

/// Context parallel, load balanced: of 2·ranks chunks, rank r holds r and 2·ranks−1−r. tokens must divide by
/// 2·ranks.
std::vector<std::int32_t> context_parallel_positions(std::int64_t tokens, std::int64_t ranks,
                                                     std::int64_t rank);

}  // namespace ropewalk
