/// \file
/// For a chapter's trace_tests.cu: what a variant's launches come to.
#pragma once

#include <string>

#include "common/harness/check.hpp"
#include "common/harness/tracing.hpp"
#include "common/simt/trace/trace.hpp"
#include "common/testing/catch.hpp"

namespace ropewalk::suite {

using simt::trace::Totals;

/// Runs one variant on random values of this shape, checks the result, and adds up all of its launches. The
/// positions begin at 1.
inline Totals traced_totals(const Chapter& chapter, const std::string& variant, const Shape& shape,
                            Dtype dtype, Style style = Style::half) {
  RunRequest request;
  request.dtype = dtype;
  request.position_offset = 1;
  start_tracing();
  simt::trace::take();
  Totals sum;
  for (const Variant& candidate : chapter.variants) {
    if (candidate.name != variant) continue;
    const Case c = random_case(request, shape, style, "traced");
    simt::trace::set_label(variant);
    CHECK(check_variant(candidate, c, chapter.runs).passed());
    simt::trace::set_label("");
    const simt::trace::Report report = simt::trace::take();
    INFO(simt::trace::faults_text(report));
    CHECK(report.clean());
    for (const auto& kernel : report.kernels) sum += simt::trace::total(kernel);
  }
  CHECK(sum.blocks > 0);
  return sum;
}

/// What Nsight Compute counts, of one launch or of several.
struct ExpectedCounts {
  std::uint64_t load_requests, load_sectors, store_requests, store_sectors;
  std::uint64_t shared_load_wavefronts = 0, shared_store_wavefronts = 0;
};

inline void check_counts(const Totals& totals, const ExpectedCounts& expected) {
  CHECK(totals.loads.requests == expected.load_requests);
  CHECK(totals.loads.sectors == expected.load_sectors);
  CHECK(totals.stores.requests == expected.store_requests);
  CHECK(totals.stores.sectors == expected.store_sectors);
  CHECK(totals.shared_loads.wavefronts == expected.shared_load_wavefronts);
  CHECK(totals.shared_stores.wavefronts == expected.shared_store_wavefronts);
}

}  // namespace ropewalk::suite
