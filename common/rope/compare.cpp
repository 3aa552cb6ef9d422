/// \file
/// Compares value by value.
#include "common/rope/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <limits>

#include "common/rope/oracle.hpp"
#include "common/rope/pairing.hpp"

namespace ropewalk {
namespace {

constexpr std::int64_t kShownFaults = 5;

[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...) {
  char line[400];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  return line;
}

std::string coordinates(const RotatedTensor& tensor, const Shape& shape, std::int64_t row,
                        std::int64_t head) {
  return text("%s[b=%lld t=%lld h=%lld]", tensor.name, static_cast<long long>(row / shape.tokens),
              static_cast<long long>(row % shape.tokens), static_cast<long long>(head));
}

}  // namespace

bool CheckResult::value(double difference, double allowed) {
  ++values;
  const bool right = difference <= allowed;  // false for NaN
  double fraction = difference / allowed;
  if (std::isnan(fraction)) fraction = right ? 0.0 : std::numeric_limits<double>::infinity();
  if (fraction > worst || values == 1) {
    worst = fraction;
    error = difference;
    tolerance = allowed;
  }
  return right;
}

void CheckResult::fault(const std::string& line) {
  if (faults++ < kShownFaults) fault_text += "  " + line + "\n";
}

void compare_rotated(const RotatedTensor& tensor, const Expectation& expect, CheckResult& result) {
  const Shape& shape = expect.shape;
  const std::size_t head_dim = static_cast<std::size_t>(shape.head_dim);
  const std::size_t element = static_cast<std::size_t>(size_in_bytes(expect.dtype));
  const std::size_t pairs = expect.schedule.inv_freq.size();
  const double factor = expect.schedule.attention_factor;
  const std::size_t window = static_cast<std::size_t>(shape.rotary_offset), window_end = window + 2 * pairs;
  std::vector<double> x(head_dim), expected(head_dim), angle_errors(pairs);

  std::size_t start = 0;  // of the head, in elements
  for (std::int64_t row = 0; row < shape.token_count(); ++row) {
    const std::int32_t position = expect.positions[static_cast<std::size_t>(row)];
    const std::vector<CosSin> cos_sin = exact_cos_sin_row(expect.schedule, position);
    for (std::size_t p = 0; p < pairs; ++p)  // at position 0 only the error of sincosf itself is left
      angle_errors[p] = angle_error(expect.angles, expect.given_has_float_angles ? 0 : position,
                                    static_cast<std::int64_t>(p), expect.spec, expect.schedule);

    for (std::int64_t head = 0; head < tensor.heads; ++head, start += head_dim) {
      for (std::size_t i = 0; i < head_dim; ++i) x[i] = static_cast<double>(tensor.before[start + i]);
      if (expect.given.empty()) {
        rotate_head(std::span(x).subspan(window, 2 * pairs), std::span(expected).subspan(window, 2 * pairs),
                    expect.style, cos_sin, factor);
      } else {
        std::copy_n(expect.given.begin() + static_cast<std::ptrdiff_t>(start), head_dim, expected.begin());
      }
      for (std::size_t i = 0; i < head_dim; ++i) {
        if (i >= window && i < window_end) continue;
        const std::size_t at = (start + i) * element;
        if (!std::equal(&tensor.after_bits[at], &tensor.after_bits[at] + element, &tensor.before_bits[at]))
          result.fault(coordinates(tensor, shape, row, head) +
                       text(" channel %zu is not rotary and must not change: was %.9g, got %.9g", i,
                            static_cast<double>(tensor.before[start + i]),
                            static_cast<double>(tensor.after[start + i])));
      }
      for (std::size_t p = 0; p < pairs; ++p) {
        const PairChannels pair = pair_channels(expect.style, static_cast<std::int64_t>(p), shape.rotary_dim);
        const std::size_t first = window + static_cast<std::size_t>(pair.first),
                          second = window + static_cast<std::size_t>(pair.second);
        const double norm = factor * std::hypot(x[first], x[second]);
        for (const std::size_t i : {first, second}) {
          const double got = static_cast<double>(tensor.after[start + i]);
          const double allowed =
              pair_tolerance(expect.dtype, norm, expected[i], angle_errors[p], expect.arithmetic);
          if (!result.value(std::fabs(got - expected[i]), allowed))
            result.fault(
                coordinates(tensor, shape, row, head) +
                text(" pair %zu channel %zu: position %d, angle %.6g: expected %.9g, got %.9g, allowed %.2g",
                     p, i, static_cast<int>(position),
                     static_cast<double>(exact_angle(position, expect.schedule.inv_freq[p])), expected[i],
                     got, allowed));
        }
      }
    }
  }
}

CheckResult compare_frequencies(const std::string& name, const Schedule& schedule,
                                std::span<const double> given) {
  CheckResult result;
  result.what = "frequencies";
  result.on = name;
  if (given.size() != schedule.inv_freq.size())
    result.fault(
        text("%zu frequencies are given, the schedule has %zu", given.size(), schedule.inv_freq.size()));
  for (std::size_t p = 0; p < std::min(given.size(), schedule.inv_freq.size()); ++p)
    if (!result.value(std::fabs(schedule.inv_freq[p] - given[p]), 1e-12 * given[p]))
      result.fault(
          text("pair %zu: the vector's frequency is %.17g, ours %.17g", p, given[p], schedule.inv_freq[p]));
  return result;
}

}  // namespace ropewalk
