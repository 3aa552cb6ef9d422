#include "chapters/03_naive/variants.cuh"
#include "common/harness/chapter.hpp"

int main(int argc, char** argv) {
  using namespace ropewalk;
  return chapter_main(
      argc, argv,
      {
          .name = "03_naive",
          .title = "One thread per pair",
          .what = "Rotates q and k in place with the simplest kernel there is: every CUDA thread owns one "
                  "pair of channels.",
          .runs = Runs::on_device,
          .default_shape =
              {.batch = 2, .tokens = 48, .q_heads = 8, .kv_heads = 2, .head_dim = 128, .rotary_dim = 128},
          .options = {"tokens", "batch", "q-heads", "kv-heads", "head-dim", "rotary-dim", "dtype", "style",
                      "base", "position-offset", "seed", "variant", "config", "layer-type", "vectors",
                      "schedule", "bench", "csv"},
          .styles = {Style::half},
          .dtypes = {Dtype::f32, Dtype::f16, Dtype::bf16},
          .variants = naive::variants(),
      });
}
