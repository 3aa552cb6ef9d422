/// \file
/// Stand-in for CUDA's cuda_runtime_api.h: the whole runtime, as if cuda_runtime.h had been included.
#pragma once

#include "cuda_runtime.h"
