/// \file
/// The oracle. Nothing here is shared with a kernel, and nothing here is fast.
#include "common/rope/oracle.hpp"

#include <cmath>

#include "common/rope/pairing.hpp"

namespace ropewalk {

// [exact]
long double exact_angle(std::int64_t position, double inv_freq) {
  return static_cast<long double>(position) * static_cast<long double>(inv_freq);
}

CosSin exact_cos_sin(std::int64_t position, double inv_freq) {
  const long double angle = exact_angle(position, inv_freq);
  return {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
}
// [exact]

std::vector<CosSin> exact_cos_sin_row(const Schedule& schedule, std::int64_t position) {
  std::vector<CosSin> row;
  row.reserve(schedule.inv_freq.size());
  for (const double inv_freq : schedule.inv_freq) row.push_back(exact_cos_sin(position, inv_freq));
  return row;
}

void rotate_head(std::span<const double> x, std::span<double> y, Style style, std::span<const CosSin> cos_sin,
                 double attention_factor) {
  const auto pairs = static_cast<std::int64_t>(cos_sin.size());
  const std::int64_t rotary_dim = 2 * pairs;
  for (std::int64_t p = 0; p < pairs; ++p) {
    const auto [cosine, sine] = cos_sin[static_cast<std::size_t>(p)];
    const PairChannels channels = pair_channels(style, p, rotary_dim);
    const auto first = static_cast<std::size_t>(channels.first);
    const auto second = static_cast<std::size_t>(channels.second);
    const double x0 = x[first];  // both are read before either is written: y may be x
    const double x1 = x[second];
    y[first] = attention_factor * (x0 * cosine - x1 * sine);
    y[second] = attention_factor * (x0 * sine + x1 * cosine);
  }
  for (std::size_t channel = 2 * cos_sin.size(); channel < x.size(); ++channel) y[channel] = x[channel];
}

void rotate_head_transposed(std::span<const double> y, std::span<double> x, Style style,
                            std::span<const CosSin> cos_sin, double attention_factor) {
  std::vector<CosSin> backwards(cos_sin.begin(), cos_sin.end());
  for (CosSin& entry : backwards) entry.sin = -entry.sin;
  rotate_head(y, x, style, backwards, attention_factor);
}

std::vector<double> rotate(std::span<const double> x, std::span<const std::int32_t> positions,
                           std::int64_t heads, std::int64_t head_dim, Style style, const Schedule& schedule) {
  std::vector<double> y(x.size());
  const auto size = static_cast<std::size_t>(head_dim);
  std::size_t offset = 0;  // of the head at hand in x[rows, heads, head_dim]
  for (const std::int32_t position : positions) {
    const std::vector<CosSin> cos_sin = exact_cos_sin_row(schedule, position);
    for (std::int64_t head = 0; head < heads; ++head, offset += size) {
      rotate_head(x.subspan(offset, size), std::span(y).subspan(offset, size), style, cos_sin,
                  schedule.attention_factor);
    }
  }
  return y;
}

}  // namespace ropewalk
