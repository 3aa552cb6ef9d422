/// \file
/// Position ids.
#include "common/rope/positions.hpp"

#include "common/rope/types.hpp"

namespace ropewalk {

std::vector<std::int32_t> contiguous_positions(std::int64_t batch, std::int64_t tokens, std::int64_t offset) {
  std::vector<std::int32_t> positions;
  positions.reserve(static_cast<std::size_t>(batch * tokens));
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t t = 0; t < tokens; ++t) positions.push_back(static_cast<std::int32_t>(offset + t));
  }
  return positions;
}

std::vector<std::int32_t> positions_from_mask(std::span<const std::int32_t> mask, std::int64_t tokens) {
  std::vector<std::int32_t> positions;
  positions.reserve(mask.size());
  std::int32_t next = 0;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (static_cast<std::int64_t>(i) % tokens == 0) next = 0;  // every sequence counts for itself
    positions.push_back(mask[i] != 0 ? next++ : 0);
  }
  return positions;
}

std::vector<std::int32_t> packed_positions(std::span<const std::int32_t> cumulative_lengths) {
  std::vector<std::int32_t> positions;
  for (std::size_t i = 1; i < cumulative_lengths.size(); ++i) {
    const std::int32_t length = cumulative_lengths[i] - cumulative_lengths[i - 1];
    for (std::int32_t t = 0; t < length; ++t) positions.push_back(t);
  }
  return positions;
}

std::vector<std::int32_t> context_parallel_positions(std::int64_t tokens, std::int64_t ranks,
                                                     std::int64_t rank) {
  if (ranks < 1 || rank < 0 || rank >= ranks || tokens < 0 || tokens % (2 * ranks) != 0) {
    refuse("tokens: " + std::to_string(tokens) + " cannot be dealt to rank " + std::to_string(rank) + " of " +
           std::to_string(ranks) + "; allowed: a multiple of 2 * ranks, 0 <= rank < ranks");
  }
  const std::int64_t chunk = tokens / (2 * ranks);
  std::vector<std::int32_t> positions;
  // An early chunk has little to attend to and a late one much; the pair weighs the same on every rank.
  for (const std::int64_t start : {rank * chunk, (2 * ranks - 1 - rank) * chunk}) {
    for (std::int64_t t = 0; t < chunk; ++t) positions.push_back(static_cast<std::int32_t>(start + t));
  }
  return positions;
}

}  // namespace ropewalk
