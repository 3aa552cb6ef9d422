/// \file
/// The rotation by literal values, each of which has gone wrong in somebody's code, and by its properties.
#include "common/rope/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/rope/pairing.hpp"
#include "common/testing/catch.hpp"
#include "support.hpp"

using namespace ropewalk;
using ropewalk::testing::Numbers;

namespace {

Schedule schedule(std::int64_t head_dim, std::int64_t rotary_dim, double base = 1e4) {
  return make_schedule(
      {.rope_type = "default", .base = base, .head_dim = head_dim, .rotary_dim = rotary_dim});
}

/// One head at one position.
std::vector<double> turn(const std::vector<double>& x, std::int64_t rotary_dim, std::int32_t position,
                         Style style) {
  const auto head_dim = static_cast<std::int64_t>(x.size());
  return rotate(x, std::vector<std::int32_t>{position}, 1, head_dim, style, schedule(head_dim, rotary_dim));
}

void check_close(const std::vector<double>& got, const std::vector<double>& expected, double tolerance) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    INFO("channel " << i);
    CHECK(std::abs(got[i] - expected[i]) <= tolerance);
  }
}

std::vector<double> random_values(std::size_t count, std::uint64_t seed) {
  Numbers numbers(seed);
  std::vector<double> values(count);
  for (double& value : values) value = numbers.sixteenth();
  return values;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

constexpr Style kStyles[] = {Style::half, Style::interleaved};

}  // namespace

TEST_CASE("pairing: which channel the first one turns into") {
  check_close(turn({1, 0, 0, 0}, 4, 1, Style::interleaved), {0.540302, 0.841471, 0, 0}, 1e-6);
  check_close(turn({1, 0, 0, 0}, 4, 1, Style::half), {0.540302, 0, 0.841471, 0}, 1e-6);
}

TEST_CASE("interleaved pairs turn at their own speeds") {
  check_close(turn({1, 2, 3, 4}, 4, 1, Style::interleaved), {-1.142640, 1.922076, 2.959851, 4.029800}, 1e-6);
}

TEST_CASE("partial rotation splits the rotary channels in half, not the head") {
  check_close(turn({1, 2, 3, 4, 5, 6, 7, 8}, 4, 1, Style::half),
              {-1.984111, 1.959901, 2.462378, 4.019800, 5, 6, 7, 8}, 1e-6);
}

TEST_CASE("a positive angle turns the first channel towards the second") {
  check_close(turn({1, 0}, 2, 1, Style::half), {0.540302, 0.841471}, 1e-6);
}

TEST_CASE("widths that are no power of two") {
  check_close(turn({1, 2, 3, 4, 5, 6}, 6, 2, Style::half),
              {-4.053337, 1.527896, 2.974119, -0.755290, 5.163868, 6.012871}, 1e-6);
}

TEST_CASE("the attention factor multiplies what turned, once, and nothing else") {
  const std::vector<CosSin> angle = {exact_cos_sin(1, 1.0)};
  const std::vector<double> x = {1, 0, 5};
  std::vector<double> y(3);
  rotate_head(x, y, Style::half, angle, 1.3465735902799727);
  check_close(y, {0.727557, 1.133103, 5}, 1e-6);
}

TEST_CASE("large angles are reduced exactly") {
  CHECK(exact_cos_sin(1857, 1.0).cos == Approx(-0.949630).epsilon(1e-6));
  CHECK(exact_cos_sin(131071, 1.0).cos == Approx(-0.817983).epsilon(1e-6));
  CHECK(exact_cos_sin(131071, 1.0).sin == Approx(-0.575242).epsilon(1e-6));
}

TEST_CASE("the untouched channels are copied, not left as they were") {
  const std::vector<double> x = {1, 2, 3, 4, 5, 6};
  const std::vector<CosSin> angle = {exact_cos_sin(3, 1.0)};
  for (const Style style : kStyles) {
    std::vector<double> y(6, std::nan(""));
    rotate_head(x, y, style, angle, 1.0);
    CHECK(std::equal(x.begin() + 2, x.end(), y.begin() + 2));
    CHECK(std::none_of(y.begin(), y.end(), [](double value) { return std::isnan(value); }));
  }
}

TEST_CASE("in place gives the same as out of place, and the input is not touched out of place") {
  for (const Style style : kStyles) {
    const std::vector<double> x = random_values(256, 11);
    const std::vector<double> copy = x;
    const std::vector<CosSin> row = exact_cos_sin_row(schedule(256, 256), 5);
    std::vector<double> out(256), in_place = x;
    rotate_head(x, out, style, row, 1.0);
    rotate_head(in_place, in_place, style, row, 1.0);
    CHECK(x == copy);
    CHECK(in_place == out);
  }
}

TEST_CASE("the transpose: a gradient by literal values") {
  const std::vector<CosSin> angle = {exact_cos_sin(1, 1.0)};
  const std::vector<double> dy = {1, 2};
  std::vector<double> dx(2), again(2);
  rotate_head_transposed(dy, dx, Style::half, angle, 1.0);
  check_close(dx, {2.223244, 0.239134}, 1e-6);
  rotate_head(dy, again, Style::half, angle, 1.0);
  check_close(again, {-1.142640, 1.922076}, 1e-6);
}

TEST_CASE("the two styles differ by a permutation of the channels, and scores do not change") {
  const std::vector<double> q = random_values(64, 1), k = random_values(64, 2);
  const auto to_half = [](const std::vector<double>& x) {  // even channels first, then the odd ones
    std::vector<double> y;
    for (std::size_t i = 0; i < x.size(); i += 2) y.push_back(x[i]);
    for (std::size_t i = 1; i < x.size(); i += 2) y.push_back(x[i]);
    return y;
  };
  const auto q_interleaved = turn(q, 64, 1234, Style::interleaved);
  const auto k_interleaved = turn(k, 64, 77, Style::interleaved);
  const auto q_half = turn(to_half(q), 64, 1234, Style::half);
  const auto k_half = turn(to_half(k), 64, 77, Style::half);
  check_close(q_half, to_half(q_interleaved), 0.0);
  CHECK(dot(q_half, k_half) == Approx(dot(q_interleaved, k_interleaved)).epsilon(1e-12));
  CHECK(std::abs(dot(q_interleaved, turn(k, 64, 77, Style::half)) - dot(q_interleaved, k_interleaved)) > 0.1);
}

TEST_CASE("properties of the rotation", "[properties]") {
  for (const Style style : kStyles) {
    for (const std::int64_t d : {2, 6, 20, 96, 128}) {
      const auto size = static_cast<std::size_t>(d);
      const std::vector<double> q = random_values(size, 3), k = random_values(size, 4);

      CHECK(turn(q, d, 0, style) == q);

      // Pair norms are kept.
      const auto turned = turn(q, d, 131071, style);
      for (std::int64_t p = 0; p < d / 2; ++p) {
        const auto [first, second] = pair_channels(style, p, d);
        const auto a = static_cast<std::size_t>(first), b = static_cast<std::size_t>(second);
        CHECK(std::hypot(turned[a], turned[b]) == Approx(std::hypot(q[a], q[b])).epsilon(1e-13));
      }

      // R(a) R(b) = R(a + b), negative positions too.
      check_close(turn(turn(q, d, 1000, style), d, -7, style), turn(q, d, 993, style), 1e-12);

      // Scores depend on the distance only.
      const double score = dot(turn(q, d, 530, style), turn(k, d, 500, style));
      CHECK(dot(turn(q, d, 9030, style), turn(k, d, 9000, style)) == Approx(score).margin(1e-10));
      CHECK(dot(turn(q, d, 30, style), k) == Approx(score).margin(1e-10));

      // The transpose takes the rotation back, with the attention factor squared.
      const std::vector<CosSin> row = exact_cos_sin_row(schedule(d, d), 4095);
      std::vector<double> there(size), back(size);
      rotate_head(q, there, style, row, 1.25);
      rotate_head_transposed(there, back, style, row, 1.25);
      for (std::size_t i = 0; i < size; ++i) CHECK(back[i] == Approx(1.25 * 1.25 * q[i]).margin(1e-14));
    }
  }
}

TEST_CASE("each token has its own position, and all its heads share it") {
  const std::vector<std::int32_t> positions = {7, 3, 19, 400, 2};
  const std::vector<double> x = random_values(5 * 3 * 20, 5);
  const auto y = rotate(x, positions, 3, 20, Style::half, schedule(20, 12));
  for (std::size_t token = 0; token < 5; ++token) {
    for (std::size_t head = 0; head < 3; ++head) {
      const auto begin = static_cast<std::ptrdiff_t>((token * 3 + head) * 20);
      const std::vector<double> one(x.begin() + begin, x.begin() + begin + 20);
      const std::vector<double> expected = turn(one, 12, positions[token], Style::half);
      CHECK(std::equal(expected.begin(), expected.end(), y.begin() + begin));
    }
  }
}

TEST_CASE("nothing to do is fine") {
  CHECK(rotate(std::vector<double>{}, std::vector<std::int32_t>{}, 3, 20, Style::half, schedule(20, 12))
            .empty());
}
