#include "chapters/07_partial_and_strided/chapter.cuh"
#include "common/harness/tests/kernel_suite.hpp"
#include "common/testing/catch.hpp"
namespace ropewalk::strided {
TEST_CASE("what every kernel must do") {
  suite::check_kernels(chapter(), 11);
}
}
