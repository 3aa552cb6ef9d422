/// \file
/// Counts, compared with what Nsight Compute reported for the same launches on an H200.
#include <algorithm>
#include <map>

#include "common/simt/trace/tests/counted.cuh"
#include "common/simt/trace/tests/tracing.hpp"

using namespace trace_tests;
using simt_tests::Buffer;

namespace {

using Columns = std::map<std::string, std::string>;

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == ',') {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

/// The rows that docs/tools/counters.py has made of the profiler's output, by the launch's name.
std::map<std::string, Columns> rows_of_gpu() {
  std::ifstream input(std::string(ROPEWALK_SOURCE_DIR) + "/common/simt/trace/tests/h200_counters.csv");
  std::string line;
  std::getline(input, line);
  const std::vector<std::string> names = cells_of(line);
  std::map<std::string, Columns> rows;
  while (std::getline(input, line)) {
    const std::vector<std::string> cells = cells_of(line);
    REQUIRE(cells.size() == names.size());
    Columns row;
    for (std::size_t i = 0; i < cells.size(); ++i) row[names[i]] = cells[i];
    rows[row.at("launch")] = row;
  }
  return rows;
}

/// Nobody has found out yet why.
bool differs(const std::string& launch, const std::string& counter) {
  // 16-byte loads where one lane of one pair stays away: the H200 needs 3 wavefronts, by our rule 2 are
  // enough. It needs 2 where one lane of every pair stays away.
  return launch == "float4s_gather_pairs_without_lane_9" && counter == "shared_load_wavefronts";
}

}  // namespace

TEST_CASE("every launch costs what an H200 has counted") {
  const std::map<std::string, Columns> gpu = rows_of_gpu();
  const std::vector<counted::Launch> launches = counted::launches();
  CHECK(gpu.size() == launches.size());
  CHECK(launches.size() > 150);
  for (const counted::Launch& launch : launches) {
    CAPTURE(launch.name);
    REQUIRE(gpu.contains(launch.name));
    const Totals sum = only_total(traced(launch.run));
    const std::map<std::string, std::uint64_t> trace = {
        {"load_requests", sum.loads.requests},
        {"load_sectors", sum.loads.sectors},
        {"store_requests", sum.stores.requests},
        {"store_sectors", sum.stores.sectors},
        {"shared_load_wavefronts", sum.shared_loads.wavefronts},
        {"shared_store_wavefronts", sum.shared_stores.wavefronts}};
    for (const auto& [counter, value] : trace) {
      CAPTURE(counter);
      const std::string there = gpu.at(launch.name).at(counter);
      CHECK((std::to_string(value) == there) != differs(launch.name, counter));
    }
  }
}

TEST_CASE("kernels have names, and a row of shared memory has its ideal") {
  const Report naive = traced(counted::run_rope_naive), row = traced(counted::run_rope_shared);
  CHECK(only_total(naive).loads.ideal_sectors == 65536);
  CHECK(naive.kernels[0].kernel == "rope_naive");
  CHECK(only_total(row).shared_loads.ideal_wavefronts == 16384);
  CHECK(row.kernels[0].kernel == "rope_shared<128>");
  check_clean(naive);
  check_clean(row);
  check_clean(traced(counted::run_rmsnorm_rope_warp));
}

TEST_CASE("vectors, strides and bank conflicts, line by line") {
  const Report report = traced(counted::run_vectors_and_conflicts);
  const auto line = [](const char* text) { return line_with(counted::kFile, text); };
  CHECK(row_of(report, line("vector load"), Space::kGlobal, Operation::kLoad).counts ==
        Counts{1, 16, 16, 0, 0});
  CHECK(row_of(report, line("vector load"), Space::kGlobal, Operation::kLoad).bytes == 16);
  CHECK(row_of(report, line("strided store"), Space::kGlobal, Operation::kStore).counts ==
        Counts{1, 32, 4, 0, 0});
  CHECK(row_of(report, line("32-way conflict"), Space::kShared, Operation::kStore).counts ==
        Counts{1, 0, 0, 32, 1});
  // Lanes 1 to 31 read numbers of the tile's first row that nobody has written, as on purpose.
  CHECK(report.uninitialised == 31);
}
