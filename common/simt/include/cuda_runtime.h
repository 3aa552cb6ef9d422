/// \file
/// Stand-in for CUDA's cuda_runtime.h on the include path of CPU builds. Kernel files include it as they
/// would the real one.
#pragma once

#define SIMT_STAND_IN 1  // a test makes sure that it does not get these headers where it wants the real ones

#include "common/simt/device/atomics.hpp"
#include "common/simt/device/barriers.hpp"
#include "common/simt/device/grid_dependency.hpp"
#include "common/simt/device/integers.hpp"
#include "common/simt/device/math.hpp"
#include "common/simt/device/memory_access.hpp"
#include "common/simt/device/qualifiers.hpp"
#include "common/simt/device/thread_index.hpp"
#include "common/simt/device/vector_types.hpp"
#include "common/simt/device/warp.hpp"
#include "common/simt/runtime/api.hpp"
#include "common/simt/simt.hpp"
