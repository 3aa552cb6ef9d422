/// \file
/// Converting projections between the styles.
#include "common/rope/checkpoint.hpp"

#include <numeric>

#include "common/rope/oracle.hpp"
#include "common/testing/catch.hpp"
#include "support.hpp"

using namespace ropewalk;
using ropewalk::testing::Numbers;

TEST_CASE("rows of two heads, partly rotated, by hand") {
  const Projection p = {.heads = 2, .head_dim = 6, .rotary_dim = 4, .columns = 1};
  CHECK(rows_in_other_style(p, Style::half, Style::interleaved) ==
        std::vector<std::int64_t>{0, 2, 1, 3, 4, 5, 6, 8, 7, 9, 10, 11});
  const Projection whole = {.heads = 1, .head_dim = 6, .rotary_dim = 6, .columns = 1};
  CHECK(rows_in_other_style(whole, Style::half, Style::interleaved) ==
        std::vector<std::int64_t>{0, 3, 1, 4, 2, 5});
  CHECK(rows_in_other_style(whole, Style::interleaved, Style::half) ==
        std::vector<std::int64_t>{0, 2, 4, 1, 3, 5});
  CHECK(rows_in_other_style(whole, Style::half, Style::half) == std::vector<std::int64_t>{0, 1, 2, 3, 4, 5});
}

TEST_CASE("there and back is the same weight") {
  for (const std::int64_t heads : {1, 2, 8})
    for (const std::int64_t head_dim : {2, 6, 80, 128})
      for (const std::int64_t columns : {0, 1, 5}) {
        const Projection p = {heads, head_dim, head_dim / 4 * 2 + 2, columns};
        if (p.rotary_dim > head_dim) continue;
        std::vector<std::uint16_t> weight(static_cast<std::size_t>(p.rows() * columns));
        std::iota(weight.begin(), weight.end(), std::uint16_t{0});
        const std::vector<std::uint16_t> there =
            in_other_style<std::uint16_t>(weight, p, Style::half, Style::interleaved);
        CHECK(in_other_style<std::uint16_t>(there, p, Style::interleaved, Style::half) == weight);
        if (p.rotary_dim > 2 && columns > 0) CHECK(there != weight);
      }
}

TEST_CASE("permuted, then turned in the interleaved style, is the half style permuted, exactly") {
  const std::int64_t heads = 3, head_dim = 80, rotary_dim = 20;
  const Projection p = {heads, head_dim, rotary_dim, 1};
  const Schedule schedule =
      make_schedule({.rope_type = "default", .base = 1e4, .head_dim = head_dim, .rotary_dim = rotary_dim});
  Numbers numbers(5);
  std::vector<double> x(static_cast<std::size_t>(p.rows()));
  for (double& value : x) value = numbers.sixteenth();
  const auto permuted = [&](const std::vector<double>& values) {
    return in_other_style<double>(values, p, Style::half, Style::interleaved);
  };
  const std::vector<std::int32_t> position = {4711};
  CHECK(rotate(permuted(x), position, heads, head_dim, Style::interleaved, schedule) ==
        permuted(rotate(x, position, heads, head_dim, Style::half, schedule)));
}

TEST_CASE("what is no projection is refused") {
  const std::vector<float> weight(24);
  const auto convert = [&](const Projection& p) {
    return in_other_style<float>(weight, p, Style::half, Style::interleaved);
  };
  CHECK(convert({2, 6, 4, 2}).size() == 24);
  CHECK_THROWS_WITH(convert({2, 6, 4, 3}), "weight: 24 values; allowed: 12 rows of 3");
  CHECK_THROWS_WITH(convert({2, 6, 4, -2}), "weight: 24 values; allowed: 12 rows of -2");
  CHECK_THROWS_AS(convert({2, 6, 3, 2}), InputError);
  CHECK_THROWS_AS(convert({2, 6, 0, 2}), InputError);
  CHECK_THROWS_AS(convert({2, 6, 8, 2}), InputError);
}
