/// \file
/// Chapter 03: what every chapter's kernels must do, and the limits of these.
#include <cmath>
#include <span>
#include <vector>

#include "chapters/03_naive/chapter.cuh"
#include "common/gpu/device_array.hpp"
#include "common/gpu/stream.hpp"
#include "common/gpu/timing.hpp"
#include "common/harness/tests/kernel_suite.hpp"
#include "common/testing/catch.hpp"

namespace ropewalk::naive {

TEST_CASE("what every kernel must do") {
  suite::check_kernels(chapter(), 8);
}

TEST_CASE("element numbers do not wrap at 2^31") {
  // Token 524,288 of 32 heads × 128 begins at element 2³¹; no memory is needed to see where its pairs lie.
  const Heads<float> h{nullptr, nullptr, 524'289, 32, 128, 128};
  const long long i = 524'288LL * 32 * 64 + 5;
  const Pair p = owned_pair(h, i);
  CHECK(p.first == 2'147'483'648LL + 5);
  CHECK(p.second == 2'147'483'648LL + 69);
  CHECK(p.token == 524'288);
  CHECK(p.pair == 5);
}

TEST_CASE("a position outside the table gives NaN and no stray read") {
  for (std::int32_t position : {4096, -1}) {
    std::vector<float> x = {1, 2}, ones(4096, 1.0f);
    const std::vector<int> positions = {position};
    DeviceArray<float> dx{std::span<const float>(x)}, table{std::span<const float>(ones)};
    DeviceArray<int> dp{std::span<const int>(positions)};
    const Stream stream;
    launch_per_pair(stream, rope_table<float>, Heads<float>{dx.data(), dp.data(), 1, 1, 2, 2},
                    Table{table.data(), table.data(), 0, 4096});
    stream.synchronize();
    for (float y : dx.download()) CHECK(std::isnan(y));
  }
}

TEST_CASE("a captured graph reads the positions of the replay, not of the capture") {
  const std::vector<float> x = {1, 0}, inv_freq = {1};
  const std::vector<int> at_capture = {3}, at_replay = {9};
  DeviceArray<float> dx{std::span<const float>(x)}, frequencies{std::span<const float>(inv_freq)};
  DeviceArray<int> positions{std::span<const int>(at_capture)};
  const Stream stream;
  const RecordedGraph graph(stream, [&] {
    launch_per_pair(stream, rope_angles<float>, Heads<float>{dx.data(), positions.data(), 1, 1, 2, 2},
                    static_cast<const float*>(frequencies.data()));
  });
  positions.upload(std::span<const int>(at_replay));
  graph.launch(stream);
  stream.synchronize();
  suite::check_close(dx.download(), {std::cos(9.0), std::sin(9.0)});
}

}  // namespace ropewalk::naive
