#include "chapters/02_cpu_reference/accuracy.hpp"
#include "chapters/02_cpu_reference/variants.hpp"
#include "common/harness/chapter.hpp"

namespace {

std::vector<ropewalk::CheckResult> show_and_check(const ropewalk::RunRequest& request) {
  using namespace ropewalk::reference;
  std::vector<ropewalk::CheckResult> results;
  for (const ropewalk::TestVector& vector : request.vectors) results.push_back(check_oracle(vector));
  if (!request.vectors.empty()) return results;
  show_wrong_places();
  return show_accuracy(request.schedule);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace ropewalk;
  return chapter_main(
      argc, argv,
      {
          .name = "02_cpu_reference",
          .title = "An oracle you can trust",
          .what = "Rotates q and k in plain C++, with float arithmetic, and compares every value with the "
                  "same computed in double.",
          .runs = Runs::on_host,
          .default_shape =
              {.batch = 2, .tokens = 48, .q_heads = 8, .kv_heads = 2, .head_dim = 128, .rotary_dim = 128},
          .options = {"tokens", "batch", "q-heads", "kv-heads", "head-dim", "rotary-dim", "dtype", "style",
                      "base", "position-offset", "seed", "variant", "config", "layer-type", "vectors",
                      "schedule", "csv"},
          .styles = {Style::half, Style::interleaved},
          .dtypes = {Dtype::f32},
          .variants = reference::variants(),
          .own_checks = show_and_check,
      });
}
