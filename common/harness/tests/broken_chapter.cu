/// \file
/// A chapter that is wrong on demand: harness_broken_chapter "NAME OF A FAULT" [a chapter's options]. Its
/// variant `right` is always right.
#include <cstdio>
#include <string>

#include "common/harness/tests/broken_variants.hpp"

int main(int argc, char** argv) {
  using namespace ropewalk;
  faults::Fault fault = faults::Fault::none;
  const std::string name = argc > 1 ? argv[1] : "";
  for (const faults::FaultText& text : faults::all_faults())
    if (text.name == name) fault = text.fault;
  if (fault == faults::Fault::none && name != "none") {
    std::fprintf(stderr, "the first argument must be a fault of the list, or none\n");
    return kBadInput;
  }
  Chapter chapter;
  chapter.name = "broken_chapter";
  chapter.title = "Wrong on demand";
  chapter.what = "Makes one mistake of the fault list.";
  chapter.default_shape = {
      .batch = 2, .tokens = 4, .q_heads = 3, .kv_heads = 1, .head_dim = 20, .rotary_dim = 12};
  chapter.options = kernel_options();
  chapter.styles = {Style::half};
  chapter.dtypes = {Dtype::f32, Dtype::f16, Dtype::bf16};
  chapter.variants = {faults::broken_variant(faults::Fault::none, "right"),
                      faults::broken_variant(fault, "wrong")};
  argv[1] = argv[0];
  return chapter_main(argc - 1, argv + 1, chapter);
}
