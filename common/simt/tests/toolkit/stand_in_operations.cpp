/// \file
/// The operations as the stand-in headers define them.

// Other names, because the linker would take the inline members of two types of one name for the same
// functions and keep only one version of them: the test would compare it with itself.
#define __half StandInHalf
#define __half2 StandInHalf2
#define __nv_bfloat16 StandInBfloat16
#define __nv_bfloat162 StandInBfloat162

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstring>

#include "common/simt/runtime/error_list.hpp"
#include "common/simt/tests/toolkit/operations.hpp"

// After the headers above.
#include "common/simt/tests/toolkit/operations.inc"

simt_tests::OperationTable simt_tests::stand_in_operations() {
  return kTable;
}
