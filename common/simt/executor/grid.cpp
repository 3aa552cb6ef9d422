/// \file
/// The blocks of a grid, and programmatic dependent launch.
///
/// Blocks run one after the other, by index or in a seeded order. When a launch may start early, one of its
/// blocks does: as soon as every block of the kernel before it has triggered (or ended), in the middle of the
/// last of them, it runs up to its cudaGridDependencySynchronize(). What it reads before that call is what a
/// GPU may find there: memory that the running block has not written yet. The block chosen is the one with
/// the same index as the block that is running, because it most likely reads what that one writes.
#include "common/simt/executor/grid.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "common/simt/device/grid_dependency.hpp"
#include "common/simt/executor/crash.hpp"
#include "common/simt/executor/observer.hpp"
#include "common/simt/executor/scheduler.hpp"
#include "common/simt/simt.hpp"

namespace simt {
namespace {

struct Overlap {
  const Launch* next = nullptr;          // the launch that may start early
  std::uint64_t untriggered_blocks = 0;  // of the running grid
  std::unique_ptr<Block> early_block;    // of `next`, once started
  std::uint64_t early_linear = 0;        // its number in the grid
  StaticSharedImage early_shared;        // its __shared__ variables while it is set aside
  bool in_early_block = false;
};
Overlap overlap;

std::uint64_t block_count(const Launch& launch) {
  return std::uint64_t(launch.grid.x) * launch.grid.y * launch.grid.z;
}

std::uint64_t linear_index(const Block& block) {
  const dim3 grid = block.launch.grid;
  return block.index.x + std::uint64_t(grid.x) * (block.index.y + std::uint64_t(grid.y) * block.index.z);
}

// A block that ends counts as triggered.
void note_trigger(Block& block) {
  if (!block.triggered) --overlap.untriggered_blocks;
  block.triggered = true;
}

// Called on the scheduler's stack, in the middle of a block of the kernel before.
void run_early_block() {
  Block& running = *scheduler.block;
  Thread* thread = scheduler.thread;
  const StaticSharedImage shared = save_static_shared_memory();
  overlap.early_linear = linear_index(running) % block_count(*overlap.next);
  overlap.early_block = std::make_unique<Block>(*overlap.next);
  Block& early = *overlap.early_block;
  early.begin(overlap.early_linear);
  poison_static_shared_memory();
  early.dynamic_shared.poison();
  enter_block(early);
  overlap.in_early_block = true;
  run_threads(early);
  overlap.in_early_block = false;
  overlap.early_shared = save_static_shared_memory();
  restore_static_shared_memory(shared);
  enter_block(running);
  scheduler.thread = thread;
}

void run_block(Block& block) {
  enter_block(block);
  if (observer != nullptr) observer->block_begins(block);
  run_threads(block);
  if (observer != nullptr) observer->block_ends();
  note_trigger(block);
}

// The block of this grid that has already run up to its cudaGridDependencySynchronize().
void finish_early_block(Block& block) {
  restore_static_shared_memory(overlap.early_shared);
  for (Thread& thread : block.threads) {
    if (thread.state == ThreadState::kAtGridDependency) make_ready(block, thread);
  }
  run_block(block);
}

// Which block is the i-th to run.
class BlockOrder {
 public:
  explicit BlockOrder(std::uint64_t count) {
    if (!scheduler.seeded) return;
    if (count > kLargestList) {
      permutation_.emplace(count, scheduler.random);
      return;
    }
    list_.resize(count);
    for (std::uint64_t i = 0; i < count; ++i) list_[i] = i;
    scheduler.random.shuffle(list_, 0, list_.size());
  }
  std::uint64_t operator[](std::uint64_t i) const {
    if (permutation_) return (*permutation_)(i);
    return list_.empty() ? i : list_[i];
  }

 private:
  static constexpr std::uint64_t kLargestList = 1u << 20;
  std::vector<std::uint64_t> list_;
  std::optional<Permutation> permutation_;
};

}  // namespace

bool run_grid(const Launch& launch, const Launch* next) {
  const CrashReports crash_reports;
  const StaticSharedImage host_values =
      save_static_shared_memory();  // with g++, the program's thread_local variables
  const std::uint64_t count = block_count(launch);
  scheduler.failed = false;
  scheduler.interruption = nullptr;  // one may be left from a grid that failed
  scheduler.seeded = options().seed.has_value();
  if (scheduler.seeded) scheduler.random = Random(*options().seed * 0x9e3779b97f4a7c15u + count);
  const BlockOrder order(count);

  const std::unique_ptr<Block> early = std::move(overlap.early_block);
  overlap.next = observer == nullptr ? next : nullptr;
  if (observer != nullptr) observer->launch_begins(launch, next != nullptr);
  overlap.untriggered_blocks = count;
  if (early) {
    if (early->triggered) --overlap.untriggered_blocks;
    finish_early_block(*early);
  }

  Block block(launch);
  for (std::uint64_t i = 0; i < count && !scheduler.failed; ++i) {
    const std::uint64_t linear = order[i];
    if (early && linear == overlap.early_linear) continue;
    block.begin(linear);
    poison_static_shared_memory();
    block.dynamic_shared.poison();
    run_block(block);
  }

  if (observer != nullptr) observer->launch_ends();
  scheduler.block = nullptr;
  scheduler.thread = nullptr;
  restore_static_shared_memory(host_values);
  if (scheduler.failed) {
    overlap.early_block.reset();
    discard_fibers();
  }
  return !scheduler.failed;
}

void* dynamic_shared_memory() {
  return scheduler.block != nullptr ? scheduler.block->dynamic_shared.data() : nullptr;
}

}  // namespace simt

void cudaGridDependencySynchronize() {
  using simt::scheduler;
  simt::stop_if_failed();
  if (simt::observer != nullptr) simt::observer->awaits_dependency();
  if (!simt::overlap.in_early_block) return;
  scheduler.thread->state = simt::ThreadState::kAtGridDependency;
  simt::park();
}

void cudaTriggerProgrammaticLaunchCompletion() {
  using simt::overlap;
  using simt::scheduler;
  simt::stop_if_failed();
  if (simt::observer != nullptr) simt::observer->triggers_dependents();
  if (overlap.in_early_block) {
    scheduler.block->triggered = true;  // counts once its own grid runs
    return;
  }
  simt::note_trigger(*scheduler.block);
  if (overlap.untriggered_blocks > 0 || overlap.next == nullptr || overlap.early_block != nullptr) return;
  scheduler.interruption = simt::run_early_block;
  simt::yield_thread();
}
