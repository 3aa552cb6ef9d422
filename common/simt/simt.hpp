/// \file
/// What a program may ask of the CPU executor beyond CUDA: the order of threads and the last report. Tests
/// use it; kernels do not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace simt {

struct Options {
  /// Order of threads and blocks: empty runs them by index, a seed runs them in a random order that the seed
  /// repeats. Read from the environment variable SIMT_SEED when the program starts.
  std::optional<std::uint64_t> seed;
  /// Accept threads that leave the kernel while others of their block or warp still wait for all of them. A
  /// GPU often forgives this; CUDA does not promise it.
  bool allow_early_exit = false;
};

/// The options in force; a test may change them between launches.
Options& options();

/// The last fault found in a kernel, as it was printed, without the line end. Empty when there was none.
const char* last_report();

/// Forgets the report and the sticky error but, unlike cudaDeviceReset(), keeps memory, streams and events.
void clear_error();

/// The dynamic shared memory of the block that runs now. CUDA spells it `extern __shared__`, which C++
/// cannot.
void* dynamic_shared_memory();

}  // namespace simt
