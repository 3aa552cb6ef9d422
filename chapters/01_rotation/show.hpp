/// \file
/// What this chapter prints besides its checks: an example to follow by hand, and a model's frequencies.
#pragma once

#include <algorithm>
#include <cstdio>
#include <numbers>

#include "chapters/01_rotation/rotation.hpp"
#include "common/harness/chapter.hpp"

namespace ropewalk::rotation {

/// q = (1, 2) and k = (3, 1), one pair that turns by one radian per position.
inline void show_example() {
  const Pair q{1, 2}, k{3, 1};
  std::printf("\nOne pair with frequency 1, q = (1, 2) and k = (3, 1); before any turn q . k = %g\n\n",
              dot(q, k));
  std::printf("      m     n  m - n               q turned               k turned      q . k\n");
  constexpr int kPlaces[][2] = {{2, 0}, {5, 3}, {105, 103}, {1, -1}, {5, 4}, {5, 5}};
  for (const auto [m, n] : kPlaces) {
    const Pair qm = turn(q, m * 1.0), kn = turn(k, n * 1.0);
    std::printf("  %5d %5d  %5d  (%9.6f, %9.6f)  (%9.6f, %9.6f)  %9.6f\n", m, n, m - n, qm.x0, qm.x1, kn.x0,
                kn.x1, dot(qm, kn));
  }
}

/// Some of the frequencies of the request's schedule, and how far they get within its tokens.
inline void show_frequencies(const RunRequest& request) {
  const std::vector<double> f = make_schedule(request.schedule).inv_freq;
  const auto tokens = static_cast<double>(request.shape.tokens);
  std::printf("\n%lld of %lld channels turn, base %g (%s)\n\n",
              static_cast<long long>(request.shape.rotary_dim),
              static_cast<long long>(request.shape.head_dim), request.schedule.base, request.source.c_str());
  std::printf("  pair  radians per token  tokens per turn  turns in %.0f tokens\n", tokens);
  const std::size_t step = std::max<std::size_t>(1, f.size() / 8);
  for (std::size_t p = 0; p < f.size(); ++p) {
    if (p % step != 0 && p + 1 != f.size()) continue;
    std::printf("  %4zu  %17.9g  %15.1f  %17.3f\n", p, f[p], 2 * std::numbers::pi / f[p],
                tokens * f[p] / (2 * std::numbers::pi));
  }
  const auto full =
      std::count_if(f.begin(), f.end(), [&](double x) { return tokens * x >= 2 * std::numbers::pi; });
  std::printf(
      "\n  %lld of %zu pairs complete a turn within %.0f tokens; the slowest one takes %.0f tokens.\n",
      static_cast<long long>(full), f.size(), tokens, 2 * std::numbers::pi / f.back());
}

}  // namespace ropewalk::rotation
