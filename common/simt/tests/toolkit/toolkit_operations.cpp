/// \file
/// The operations as NVIDIA's own headers define them for the host. This file is compiled with the toolkit's
/// include folder first and without the stand-ins.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstring>

#include "common/simt/runtime/error_list.hpp"
#include "common/simt/tests/toolkit/operations.hpp"

#ifndef CUDART_VERSION
#error "this must be compiled against a CUDA toolkit"
#endif
#ifdef SIMT_STAND_IN
#error "the stand-in headers hide the toolkit's"
#endif

#include "common/simt/tests/toolkit/operations.inc"

simt_tests::OperationTable simt_tests::toolkit_operations() {
  return kTable;
}
