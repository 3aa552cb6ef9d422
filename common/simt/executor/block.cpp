/// \file
/// Building a block, and making it ready for its first thread.
#include "common/simt/executor/block.hpp"

#include <algorithm>

#include "common/simt/executor/scheduler.hpp"
#include "common/simt/simt.hpp"

namespace simt {
namespace {

std::size_t thread_count(const Launch& launch) {
  return std::size_t(launch.block.x) * launch.block.y * launch.block.z;
}

}  // namespace

Block::Block(const Launch& launch_)
    : launch(launch_),
      threads(thread_count(launch_)),
      order(threads.size()),
      ready(threads.size()),
      warps((threads.size() + kWarpSize - 1) / kWarpSize),
      dynamic_shared(launch_.shared_bytes) {
  const dim3 shape = launch.block;
  for (unsigned i = 0; i < threads.size(); ++i) {
    threads[i].linear = order[i] = i;
    threads[i].index = {i % shape.x, i / shape.x % shape.y, i / shape.x / shape.y};
  }
}

void Block::begin(std::uint64_t linear) {
  const dim3 grid = launch.grid;
  index = {unsigned(linear % grid.x), unsigned(linear / grid.x % grid.y), unsigned(linear / grid.x / grid.y)};
  if (scheduler.seeded) scheduler.random.shuffle(order, 0, order.size());
  started = 0;
  exited = at_barrier = 0;
  triggered = false;
  ready.clear();
  std::fill(warps.begin(), warps.end(), Warp{});
  const unsigned lanes_of_last = unsigned(threads.size() % kWarpSize);
  if (lanes_of_last > 0) warps.back().gone = ~0u << lanes_of_last;
}

}  // namespace simt
