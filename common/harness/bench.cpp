/// \file
/// The benchmark: cases A to D, graph replays, the copy beside them.
#include "common/harness/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "common/gpu/device_array.hpp"
#include "common/gpu/stream.hpp"
#include "common/gpu/timing.hpp"
#include "common/harness/bench_kernels.hpp"
#include "common/harness/check.hpp"
#include "common/harness/table.hpp"

namespace ropewalk {
namespace {

constexpr int kReplays = 51;
const Variant kReference{
    .name = {}, .what = {}, .reads_table = true};  // a table variant: the reference copy moves what it must
constexpr std::int64_t kColdBytes = 400'000'000;   // more than any L2 holds, several times over

// One case of the benchmark. Cold: every launch works on another set of buffers, and all of them together do
// not fit into the L2 cache. Warm: one set, which stays there.
struct BenchCase {
  std::string name;
  Shape shape;
  bool cold;
  int launches;  // per graph
};

std::vector<BenchCase> bench_cases(const RunRequest& request) {
  if (request.shape_given) {
    const bool cold = bytes_to_move(request.shape, request.dtype, kReference) > 10'000'000;
    return {{"own", request.shape, cold, cold ? 48 : 200}};
  }
  const auto tokens = [](std::int64_t n) {
    return Shape{.batch = 1, .tokens = n, .q_heads = 32, .kv_heads = 8, .head_dim = 128, .rotary_dim = 128};
  };
  return {{"A", tokens(16384), true, 12},
          {"B", tokens(4096), true, 48},
          {"C", tokens(64), false, 200},
          {"D", tokens(1), false, 200}};
}

// Times what enqueue(i) puts on the stream, for i = 0 … launches − 1.
template <class Enqueue>
Timing time_launches(const Stream& stream, int launches, const Enqueue& enqueue) {
  const auto all = [&] {
    for (int i = 0; i < launches; ++i) enqueue(i);
  };
  const double n = launches;
  Timing timing;
  DeviceTimer timer;
  all();  // loads the code
  stream.synchronize();
  std::vector<double> per_launch;
  {
    const RecordedGraph graph(stream, all);
    graph.launch(stream);  // uploads the graph
    stream.synchronize();
    for (int r = 0; r < kReplays; ++r)
      per_launch.push_back(timer.time_us(stream, [&] { graph.launch(stream); }) / n);
  }
  const Quantiles q = quantiles(per_launch);
  timing.median_us = q.median;
  timing.p5_us = q.p5;
  timing.p95_us = q.p95;
  per_launch.clear();
  for (int r = 0; r < kReplays; ++r) per_launch.push_back(timer.time_us(stream, all) / n);
  timing.stream_us = quantiles(per_launch).median;
  return timing;
}

// Median time to move `bytes` (half read, half written): the faster of cudaMemcpyAsync and a kernel that
// copies 16 bytes a thread.
double time_copy(const Stream& stream, const BenchCase& bench, std::int64_t bytes) {
  const std::size_t size = (static_cast<std::size_t>(bytes) / 2 + 15) / 16 * 16;
  const std::size_t sets = bench.cold ? static_cast<std::size_t>(kColdBytes / bytes) + 2 : 1;
  std::vector<DeviceArray<std::byte>> from, to;
  for (std::size_t i = 0; i < sets; ++i) {
    from.emplace_back(size);
    to.emplace_back(size);
    CUDA_CHECK(cudaMemset(from[i].data(), 0x3C, size));
    CUDA_CHECK(cudaMemset(to[i].data(), 0, size));
  }
  CUDA_CHECK(cudaDeviceSynchronize());  // memset may still be at work, and our stream would not wait for it
  const Timing kernel = time_launches(stream, bench.launches, [&](int i) {
    const std::size_t set = static_cast<std::size_t>(i) % sets;
    launch_copy(from[set].data(), to[set].data(), size, stream);
  });
  const Timing memcpy = time_launches(stream, bench.launches, [&](int i) {
    const std::size_t set = static_cast<std::size_t>(i) % sets;
    CUDA_CHECK(cudaMemcpyAsync(to[set].data(), from[set].data(), size, cudaMemcpyDeviceToDevice, stream));
  });
  return std::min(kernel.median_us, memcpy.median_us);
}

CheckResult run_and_compare(const Variant& variant, LoadedCase& loaded, const Stream& stream) {
  loaded.restore();
  variant.run(loaded.call(stream));
  stream.synchronize();
  return loaded.compare(variant);
}

ResultRow bench_variant(const Variant& variant, const Case& c, const BenchCase& bench, const Stream& stream) {
  ResultRow row{{}, c.shape, c.dtype, c.style, {}};
  const std::int64_t tensor_bytes = (c.shape.q_size() + c.shape.k_size()) * size_in_bytes(c.dtype);
  const std::int64_t sets =
      bench.cold
          ? std::min<std::int64_t>(kColdBytes / std::max<std::int64_t>(tensor_bytes, 1) + 2, bench.launches)
          : 1;
  std::vector<std::unique_ptr<LoadedCase>> loaded;
  for (std::int64_t i = 0; i < sets; ++i)
    loaded.push_back(
        std::make_unique<LoadedCase>(c, Runs::on_device, variant.reads_table, variant.placement));
  row.check = run_and_compare(variant, *loaded[0], stream);
  if (!row.check.passed()) return row;
  row.timing = time_launches(stream, bench.launches, [&](int i) {
    variant.run(loaded[static_cast<std::size_t>(i) % loaded.size()]->call(stream));
  });
  row.timing->bytes = bytes_to_move(c.shape, c.dtype, variant);

  // The timed launches may have broken what was right before: look at what surrounds every set, then rotate
  // once more.
  CheckResult after{.what = variant.name, .on = c.name};
  for (const auto& set : loaded) set->compare_surroundings(after);
  if (after.passed()) after = run_and_compare(variant, *loaded.back(), stream);
  row.check = after;
  return row;
}

}  // namespace

std::vector<ResultRow> run_benchmark(const Chapter& chapter, const RunRequest& request) {
  std::vector<ResultRow> rows;
  const Stream stream;
  for (const BenchCase& bench : bench_cases(request)) {
    const double empty = time_launches(stream, bench.launches, [&](int) { launch_empty(stream); }).median_us;
    const double reference = time_copy(stream, bench, bytes_to_move(bench.shape, request.dtype, kReference));
    std::map<std::int64_t, double> copy_us;
    std::vector<std::vector<std::string>> table = {
        {"variant", "median us", "p5", "p95", "stream us", "GB/s", "of copy", "error/tolerance"}};
    for (Style style : request.styles) {
      const Case c = random_case(request, bench.shape, style, bench.name);
      for (const Variant& variant : chapter.variants) {
        if (!is_chosen(request, variant)) continue;
        ResultRow row = bench_variant(variant, c, bench, stream);
        if (row.timing) {
          Timing& t = *row.timing;
          if (copy_us.count(t.bytes) == 0) copy_us[t.bytes] = time_copy(stream, bench, t.bytes);
          t.copy_us = copy_us[t.bytes];
          t.reference_copy_us = reference;
          t.empty_kernel_us = empty;
          table.push_back({variant.name, fmt::format("{:.2f}", t.median_us), fmt::format("{:.2f}", t.p5_us),
                           fmt::format("{:.2f}", t.p95_us), fmt::format("{:.2f}", t.stream_us),
                           fmt::format("{:.0f}", t.gbps()), fmt::format("{:.3f}", t.fraction_of_copy()),
                           fmt::format("{:.2f}", row.check.worst)});
        }
        rows.push_back(std::move(row));
      }
    }
    fmt::print(
        "\nTimes, case {}: {} tokens, {} q + {} kv heads of {}, {}, {}; reference copy {:.2f} us, empty "
        "kernel {:.2f} us\n",
        bench.name, bench.shape.token_count(), bench.shape.q_heads, bench.shape.kv_heads,
        bench.shape.head_dim, to_string(request.dtype), bench.cold ? "cold" : "in L2", reference, empty);
    print_table(table);
  }
  return rows;
}

}  // namespace ropewalk
