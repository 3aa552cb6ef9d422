/// \file
/// Which thread of which block is running. The executor sets these before a thread runs and whenever it
/// resumes one.
#pragma once

#include "common/simt/device/vector_types.hpp"

inline uint3 threadIdx{};
inline uint3 blockIdx{};
inline dim3 blockDim;
inline dim3 gridDim;
inline constexpr int warpSize = 32;
