/// \file
/// The two styles beside each other: what the wrong one does, and a checkpoint that is converted.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <span>
#include <sstream>
#include <vector>

#include "chapters/06_interleaved/kernels.cuh"
#include "common/gpu/device_array.hpp"
#include "common/gpu/stream.hpp"
#include "common/rope/checkpoint.hpp"
#include "common/rope/compare.hpp"
#include "common/rope/oracle.hpp"
#include "common/rope/table.hpp"

namespace ropewalk::interleaved {

/// Values from -1 to 1, the same for a seed on every machine.
class RandomValues {
 public:
  explicit RandomValues(std::uint64_t seed) : bits_(seed) {}
  float next() { return static_cast<float>(static_cast<double>(bits_() >> 40) * 0x1p-23 - 1.0); }
  template <class T = float>
  std::vector<T> take(std::int64_t count) {
    std::vector<T> values(static_cast<std::size_t>(count));
    for (T& value : values) value = static_cast<T>(next());
    return values;
  }

 private:
  std::mt19937_64 bits_;
};

inline double length(std::span<const double> x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return std::sqrt(sum);
}

// [wrong]
/// How far heads are from where they belong when they were turned in the other style, as a fraction of their
/// length: the root of the mean square over some random heads.
inline double error_of_wrong_style(const Schedule& schedule, std::int64_t head_dim, std::int32_t position,
                                   std::uint64_t seed) {
  const std::int64_t heads = std::clamp<std::int64_t>(25600 / head_dim, 1, 200);  // wide ones vary less
  RandomValues random(seed);
  double sum = 0;
  for (std::int64_t i = 0; i < heads; ++i) {
    const std::vector<double> x = random.take<double>(head_dim);
    const std::vector<std::int32_t> at = {position};
    std::vector<double> right = rotate(x, at, 1, head_dim, Style::interleaved, schedule);
    const std::vector<double> wrong = rotate(x, at, 1, head_dim, Style::half, schedule);
    for (std::size_t c = 0; c < right.size(); ++c) right[c] -= wrong[c];
    sum += std::pow(length(right) / length(x), 2);
  }
  return std::sqrt(sum / static_cast<double>(heads));
}
// [wrong]

inline void show_wrong_style(const ScheduleSpec& spec, std::uint64_t seed) {
  const Schedule schedule = make_schedule(spec);
  std::printf("\nError of a head that is turned in the half style instead, as a fraction of its length\n\n");
  std::printf("  position  error\n");
  for (const std::int32_t position : {0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096})
    std::printf("  %8d  %5.3f\n", position, error_of_wrong_style(schedule, spec.head_dim, position, seed));
}

/// q and k of a few tokens, as a layer makes them: weight · x + bias.
struct Layer {
  std::int64_t tokens = 6, q_heads = 4, kv_heads = 2, columns = 24;
  std::int64_t head_dim, rotary_dim;
  std::vector<float> x;  // [tokens, columns]

  Projection projection(std::int64_t heads) const { return {heads, head_dim, rotary_dim, columns}; }

  /// [tokens, rows]. Each sum is made in the same order, so that a converted weight gives the same numbers in
  /// other places.
  std::vector<float> project(std::span<const float> weight, std::span<const float> bias) const {
    const std::size_t rows = bias.size(), n = static_cast<std::size_t>(columns);
    std::vector<float> y(static_cast<std::size_t>(tokens) * rows);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const std::size_t token = i / rows, row = i % rows;
      double sum = static_cast<double>(bias[row]);
      for (std::size_t c = 0; c < n; ++c)
        sum += static_cast<double>(weight[row * n + c]) * static_cast<double>(x[token * n + c]);
      y[i] = static_cast<float>(sum);
    }
    return y;
  }
};

struct QueriesAndKeys {
  std::vector<float> q, k;
};

/// Rotates on the device, both styles with rope_channels(): another kernel might round otherwise, since nvcc
/// fuses a product with the sum behind it as it sees fit.
inline QueriesAndKeys rotated(const Layer& layer, const QueriesAndKeys& from, Style style,
                              const Schedule& schedule, std::span<const std::int32_t> positions) {
  const CosSinTable table = make_table(schedule, positions);
  DeviceArray<float> q{std::span<const float>(from.q)}, k{std::span<const float>(from.k)};
  const DeviceArray<float> cosines{std::span<const float>(table.cos)},
      sines{std::span<const float>(table.sin)};
  const DeviceArray<std::int32_t> at{positions};
  const Tensors<float> a{.q = q.data(),
                         .k = k.data(),
                         .positions = at.data(),
                         .tokens = layer.tokens,
                         .q_heads = static_cast<int>(layer.q_heads),
                         .kv_heads = static_cast<int>(layer.kv_heads),
                         .head_dim = static_cast<int>(layer.head_dim),
                         .rotary_dim = static_cast<int>(layer.rotary_dim)};
  const Table rows{cosines.data(), sines.data(), table.first_position, static_cast<unsigned>(table.rows)};
  const Stream stream;
  launch_per_token(stream, style == Style::half ? rope_channels<float, false> : rope_channels<float, true>, a,
                   rows, 1);
  stream.synchronize();
  return {q.download(), k.download()};
}

/// The product of a query with a key, summed in double.
inline double score(std::span<const float> q, std::span<const float> k, double& absolute) {
  double sum = 0;
  for (std::size_t c = 0; c < q.size(); ++c) {
    const double product = static_cast<double>(q[c]) * static_cast<double>(k[c]);
    sum += product;
    absolute += std::abs(product);
  }
  return sum;
}

/// Both tensors of one style, after the rotation.
inline void compare_channels(const Layer& layer, std::int64_t heads, const std::vector<float>& half,
                             const std::vector<float>& adjacent, CheckResult& result) {
  const std::vector<std::int64_t> rows =
      rows_in_other_style(layer.projection(heads), Style::half, Style::interleaved);
  for (std::size_t i = 0; i < adjacent.size(); ++i) {
    const std::size_t token = i / rows.size(), row = i % rows.size();
    const float expected = half[token * rows.size() + static_cast<std::size_t>(rows[row])];
    if (result.value(std::abs(static_cast<double>(adjacent[i]) - static_cast<double>(expected)), 0)) continue;
    std::ostringstream line;
    line << "token " << token << " row " << row << ": expected " << expected << ", got " << adjacent[i];
    result.fault(line.str());
  }
}

/// q · k of every query head, position and earlier position: the same in both styles, up to the order of the
/// sum.
inline void compare_scores(const Layer& layer, const QueriesAndKeys& half, const QueriesAndKeys& adjacent,
                           CheckResult& result) {
  const std::int64_t group = layer.q_heads / layer.kv_heads;
  const auto head = [&](const std::vector<float>& x, std::int64_t heads, std::int64_t token, std::int64_t h) {
    return std::span(x).subspan(static_cast<std::size_t>((token * heads + h) * layer.head_dim),
                                static_cast<std::size_t>(layer.head_dim));
  };
  for (std::int64_t m = 0; m < layer.tokens; ++m)
    for (std::int64_t n = 0; n <= m; ++n)
      for (std::int64_t h = 0; h < layer.q_heads; ++h) {
        double absolute = 0;
        const auto of = [&](const QueriesAndKeys& x) {
          return score(head(x.q, layer.q_heads, m, h), head(x.k, layer.kv_heads, n, h / group), absolute);
        };
        const double expected = of(half), got = of(adjacent);
        // One rounding for each of the head_dim sums, of no more than the sum of all absolute values.
        if (result.value(std::abs(got - expected), static_cast<double>(layer.head_dim) * 0x1p-53 * absolute))
          continue;
        std::ostringstream line;
        line << "head " << h << " tokens " << m << " and " << n << ": expected " << expected << ", got "
             << got;
        result.fault(line.str());
      }
}

/// Converts the projections of a layer from the half style to the interleaved one and compares: each channel
/// bit for bit, and q · k.
inline std::vector<CheckResult> check_conversion(const ScheduleSpec& spec, std::uint64_t seed) {
  RandomValues random(seed);
  Layer layer{.head_dim = spec.head_dim, .rotary_dim = spec.rotary_dim, .x = {}};
  layer.x = random.take(layer.tokens * layer.columns);
  const Schedule schedule = make_schedule(spec);
  // Neighbours: the table has a row for every position between the first and the last.
  const std::vector<std::int32_t> positions = {900, 901, 902, 903, 904, 905};
  QueriesAndKeys in_half, in_adjacent;
  const auto project = [&](std::int64_t heads, std::vector<float>& half, std::vector<float>& adjacent) {
    const Projection of_weight = layer.projection(heads);
    Projection of_bias = of_weight;
    of_bias.columns = 1;
    const std::vector<float> weight = random.take(of_weight.rows() * of_weight.columns);
    const std::vector<float> bias = random.take(of_bias.rows());
    const auto convert = [](std::span<const float> from, const Projection& projection) {
      return in_other_style(from, projection, Style::half, Style::interleaved);
    };
    half = layer.project(weight, bias);
    adjacent = layer.project(convert(weight, of_weight), convert(bias, of_bias));
  };
  project(layer.q_heads, in_half.q, in_adjacent.q);
  project(layer.kv_heads, in_half.k, in_adjacent.k);

  const QueriesAndKeys half = rotated(layer, in_half, Style::half, schedule, positions);
  const QueriesAndKeys adjacent = rotated(layer, in_adjacent, Style::interleaved, schedule, positions);
  CheckResult channels{.what = "channels", .on = "converted"}, scores{.what = "q·k", .on = "converted"};
  compare_channels(layer, layer.q_heads, half.q, adjacent.q, channels);
  compare_channels(layer, layer.kv_heads, half.k, adjacent.k, channels);
  compare_scores(layer, half, adjacent, scores);
  return {channels, scores};
}

}  // namespace ropewalk::interleaved
