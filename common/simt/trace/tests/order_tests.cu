/// \file
/// What orders two accesses and what does not: barriers, warp operations of some lanes, atomic operations.
/// Each kernel runs in several orders of its threads: a fault must show in all of them, and none where there
/// is none.
#include <optional>
#include <tuple>
#include <vector>

#include "common/simt/simt.hpp"
#include "common/simt/trace/tests/tracing.hpp"

using namespace trace_tests;
using simt_tests::Buffer;

namespace {

unsigned line(const char* text) {
  return line_with(__FILE__, text);
}

/// Calls function() once in the order of the threads and then with some seeds.
template <class Function>
void in_all_orders(Function function) {
  for (int seed = -1; seed < 8; ++seed) {
    INFO("seed " << seed);
    simt::options().seed = seed < 0 ? std::nullopt : std::optional<std::uint64_t>(seed);
    function();
  }
  simt::options().seed.reset();
}

/// Lane 0 reads a number and may meet lane 1; then lane 2 reads it and may meet lane 1; at last lane 1 writes
/// it. It waits for lane 3, which is there for the order: lanes start one after the other.
template <bool kFirstReaderMeetsWriter, bool kSecondReaderMeetsWriter>
__global__ void two_readers(int* value, int* out) {
  const unsigned lane = threadIdx.x;
  if (lane == 0) {
    out[0] = value[0];  // first reader
    if (kFirstReaderMeetsWriter) __syncwarp(0b0011);
  } else if (lane == 1) {
    if (kFirstReaderMeetsWriter) __syncwarp(0b0011);
    if (kSecondReaderMeetsWriter) __syncwarp(0b0110);
    __syncwarp(0b1010);
    value[0] = 1;  // writer
  } else if (lane == 2) {
    out[1] = value[0];  // second reader
    if (kSecondReaderMeetsWriter) __syncwarp(0b0110);
  } else {
    __syncwarp(0b1010);
  }
}

/// Lane 0 hands a number to lane 2 by way of lane 1, or comes too late.
template <bool kInTime>
__global__ void by_way_of_another(int* value, int* out) {
  const unsigned lane = threadIdx.x;
  if (lane == 0) value[0] = 1;  // handed: write
  if (kInTime && lane < 2) __syncwarp(0b011);
  if (lane > 0) __syncwarp(0b110);
  if (!kInTime && lane < 2) __syncwarp(0b011);
  if (lane == 2) out[0] = value[0];  // handed: read
}

/// Lanes 0 and 2 read a word, one after the other, and meet lane 1; then lane 3 reads one byte of it, and
/// lane 1 writes one. Lane 4 is there for the order.
__global__ void byte_of_a_word(unsigned char* bytes, int* out, int written) {
  const unsigned lane = threadIdx.x;
  const int* word = reinterpret_cast<const int*>(bytes);
  if (lane == 0) {
    out[0] = *word;
    __syncwarp(0b00011);
  } else if (lane == 1) {
    __syncwarp(0b00011);
    __syncwarp(0b00110);
    __syncwarp(0b10010);
    bytes[written] = 1;  // byte: write
  } else if (lane == 2) {
    out[2] = *word;
    __syncwarp(0b00110);
  } else if (lane == 3) {
    out[3] = bytes[0];  // byte: read
  } else {
    __syncwarp(0b10010);
  }
}

/// Every thread adds to the sum and looks at it.
template <bool kBarrier>
__global__ void add_and_read(int* sum, int* out) {
  atomicAdd(sum, 1);  // sum: add
  if (kBarrier) __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum[0];  // sum: read
}

__global__ void add_and_read_shared(int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, 1);
  out[threadIdx.x] = sum;  // shared sum: read
}

/// Adds to numbers that nobody has set, in shared and in device memory.
__global__ void add_to_unwritten(int* sum) {
  __shared__ int shared_sum;
  atomicAdd(&shared_sum, 1);  // unwritten: shared
  atomicAdd(sum, 1);          // unwritten: device
}

/// One thread of each block.
__global__ void add_and_overwrite(int* sum) {
  atomicAdd(sum, 1);
  if (blockIdx.x == gridDim.x - 1) sum[0] = 0;  // overwrite
}

/// Two warps read; then one of the readers writes.
template <bool kBarrier>
__global__ void write_after_two_warps_read(int* value, int* out) {
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = value[0];  // both warps: read
  if (kBarrier) __syncthreads();
  if (threadIdx.x == 32) value[0] = 1;  // both warps: write
}

/// Two warps read; then one of the readers looks again and writes.
__global__ void write_after_a_second_look(int* value, int* out) {
  if (threadIdx.x % 32 != 0) return;
  out[threadIdx.x / 32] = value[0] + 1;  // a look; without the 1 the compiler would not look a second time
  if (threadIdx.x == 32) {
    out[2] = value[0];
    value[0] = 1;  // after a second look
  }
}

/// Shared memory keeps what another block has left in it.
__global__ void read_what_another_block_wrote(int* out) {
  __shared__ int number;
  if (blockIdx.x == 0) number = 1;
  out[blockIdx.x] = number;  // another block wrote
}

/// A thread comes back to what it has written.
__global__ void own_writes(int* value, int* out) {
  int& mine = value[threadIdx.x];
  mine = 1;
  out[threadIdx.x] = mine;
  mine = 2;
  atomicAdd(&mine, 1);
  out[threadIdx.x] += mine;
}

/// Two lanes of the first warp read, and one of them writes, while the second warp's lanes meet nobody.
__global__ void busy_neighbour_warp(int* value, int* out) {
  if (threadIdx.x >= 32) return __syncwarp(1u << threadIdx.x % 32);
  if (threadIdx.x > 1) return;
  out[threadIdx.x] = value[0];
  if (threadIdx.x == 1) value[0] = 1;
}

/// The first warp's read lies behind a barrier, the second's does not.
__global__ void write_after_own_read(int* value, int* out) {
  if (threadIdx.x == 0) out[0] = value[0];
  __syncthreads();
  if (threadIdx.x == 32) {
    out[1] = value[0];
    value[0] = 1;
  }
}

/// Two blocks read; then the second of the readers writes.
__global__ void write_after_two_blocks_read(int* value, int* out) {
  out[blockIdx.x] = value[0];         // both blocks: read
  if (blockIdx.x == 1) value[0] = 1;  // both blocks: write
}

/// A warp that reads the same number again and again, meets, and lets one lane write it.
template <unsigned kMask>
__global__ void all_read_then_one_writes(int* value, int* out) {
  int sum = 0;
  for (int i = 0; i < 3; ++i) {
    sum += value[0];  // all lanes: read
    if ((kMask >> threadIdx.x & 1) != 0) __syncwarp(kMask);
    if (threadIdx.x == 0) value[0] = i;  // all lanes: write
    if ((kMask >> threadIdx.x & 1) != 0) __syncwarp(kMask);
  }
  out[threadIdx.x] = sum;
}

struct Numbers {
  Buffer<int> value{std::vector<int>(1)}, out{std::vector<int>(256)};
};

}  // namespace

TEST_CASE("lanes that read at different times are ordered each by what it meets") {
  const Numbers n;
  const auto trace = [&](auto kernel) { return traced_launch(1, 4, kernel, n.value.data(), n.out.data()); };
  check_clean(trace(two_readers<true, true>));
  for (const auto& [report, reader, thread] :
       {std::tuple{trace(two_readers<true, false>), line("second reader"), "thread (2,0,0)"},
        std::tuple{trace(two_readers<false, true>), line("first reader"), "thread (0,0,0)"}}) {
    CHECK(report.races == 1);
    CHECK(fault_of(report, FaultKind::kRaceInBlock, line("writer"), reader).example ==
          std::string(thread) +
              ", then thread (1,0,0) of block (0,0,0), with neither a barrier nor a warp operation between "
              "them");
  }
}

TEST_CASE("warp operations order by way of other lanes") {
  const Numbers n;
  check_clean(traced_launch(1, 3, by_way_of_another<true>, n.value.data(), n.out.data()));
  const Report report = traced_launch(1, 3, by_way_of_another<false>, n.value.data(), n.out.data());
  CHECK(report.races == 1);
  fault_of(report, FaultKind::kRaceInBlock, line("handed: read"), line("handed: write"));
}

TEST_CASE("bytes of a word go their own ways") {
  const Buffer<unsigned char> bytes(std::vector<unsigned char>(4));
  const Numbers n;
  check_clean(traced_launch(1, 5, byte_of_a_word, bytes.data(), n.out.data(), 1));
  const Report report = traced_launch(1, 5, byte_of_a_word, bytes.data(), n.out.data(), 0);
  CHECK(report.races == 1);
  fault_of(report, FaultKind::kRaceInBlock, line("byte: write"), line("byte: read"));
}

TEST_CASE("a thread's own atomic operation does not hide the others'") {
  in_all_orders([] {
    const Numbers n;
    check_clean(traced_launch(1, 64, add_and_read<true>, n.value.data(), n.out.data()));
    for (const unsigned threads : {32u, 64u}) {
      CHECK(traced_launch(1, threads, add_and_read<false>, n.value.data(), n.out.data()).races >=
            threads - 1);
    }
    CHECK(traced_launch(1, 64, add_and_read_shared, n.out.data()).races >= 63);
    // Two blocks, whose threads meet; of the second to run, every thread reads what the other block has
    // added.
    const Report report = traced_launch(2, 64, add_and_read<true>, n.value.data(), n.out.data());
    CHECK(fault_of(report, FaultKind::kRaceOfBlocks, line("sum: read"), line("sum: add")).count == 64);
  });
  const Numbers n;
  const Report report = traced_launch(1, 32, add_and_read<false>, n.value.data(), n.out.data());
  CHECK(fault_of(report, FaultKind::kRaceInBlock, line("sum: read"), line("sum: add")).count == 31);
  CHECK(fault_of(report, FaultKind::kRaceInBlock, line("sum: add"), line("sum: read")).count == 31);
}

TEST_CASE("the first atomic operation reads what nobody has written, and writes it") {
  const Buffer<int> sum(1);
  const Report report = traced_launch(2, 32, add_to_unwritten, sum.data());
  CHECK(fault_of(report, FaultKind::kUninitialised, line("unwritten: shared"), 0).count ==
        2);  // one each block
  CHECK(fault_of(report, FaultKind::kUninitialised, line("unwritten: device"), 0).count == 1);
  CHECK(report.races == 0);
}

TEST_CASE("a plain write races with another block's atomic, also behind one of its own") {
  in_all_orders([] {
    const Numbers n;
    check_clean(traced_launch(1, 1, add_and_overwrite, n.value.data()));
    CHECK(traced_launch(2, 1, add_and_overwrite, n.value.data()).races > 0);
  });
  const Numbers n;
  const Report report = traced_launch(3, 1, add_and_overwrite, n.value.data());
  CHECK(report.faults.size() == 1);
  CHECK(report.faults[0].kind == FaultKind::kRaceOfBlocks);
  CHECK(report.faults[0].line.number == line("overwrite"));
}

TEST_CASE("a write after reads of two warps") {
  in_all_orders([] {
    const Numbers n;
    check_clean(traced_launch(1, 64, write_after_two_warps_read<true>, n.value.data(), n.out.data()));
    CHECK(traced_launch(1, 64, write_after_two_warps_read<false>, n.value.data(), n.out.data()).races == 1);
    check_clean(traced_launch(1, 64, write_after_own_read, n.value.data(), n.out.data()));
  });
  const Numbers n;
  const Report report = traced_launch(1, 64, write_after_two_warps_read<false>, n.value.data(), n.out.data());
  CHECK(fault_of(report, FaultKind::kRaceInBlock, line("both warps: write"), line("both warps: read"))
            .example ==
        "a thread of another warp, then thread (32,0,0) of block (0,0,0), with neither a barrier nor a warp "
        "operation between them");
}

TEST_CASE("a second look does not hide that other warps have read") {
  const Numbers n;
  const Report report = traced_launch(1, 64, write_after_a_second_look, n.value.data(), n.out.data());
  CHECK(report.races == 1);
}

TEST_CASE("a block's shared memory begins uninitialised") {
  const Numbers n;
  const Report report = traced_launch(3, 1, read_what_another_block_wrote, n.out.data());
  CHECK(fault_of(report, FaultKind::kUninitialised, line("another block wrote"), 0).count == 2);
  CHECK(report.races == 0);
}

TEST_CASE("a thread does not race with itself") {
  in_all_orders([] {
    const Buffer<int> values(64);
    const Numbers n;
    check_clean(traced_launch(1, 64, own_writes, values.data(), n.out.data()));
  });
}

TEST_CASE("other warps' operations order nothing") {
  in_all_orders([] {
    const Numbers n;
    CHECK(traced_launch(1, 64, busy_neighbour_warp, n.value.data(), n.out.data()).races == 1);
  });
}

TEST_CASE("a write after reads of two blocks") {
  in_all_orders([] {
    const Numbers n;
    const Report report = traced_launch(2, 1, write_after_two_blocks_read, n.value.data(), n.out.data());
    CHECK(report.races == 1);
    CHECK(of_lines(report, line("both blocks: write"), line("both blocks: read")) == 1);
  });
}

TEST_CASE("a lane that stays away from the others' meetings races with them") {
  in_all_orders([] {
    const Numbers n;
    check_clean(traced_launch(1, 32, all_read_then_one_writes<0xffffffffu>, n.value.data(), n.out.data()));
    const Report report =
        traced_launch(1, 32, all_read_then_one_writes<0x7fffffffu>, n.value.data(), n.out.data());
    CHECK(report.races > 0);
    CHECK(of_lines(report, line("all lanes: read"), line("all lanes: write")) == report.races);
  });
}
