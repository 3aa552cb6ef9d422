/// \file
/// Stand-in for NVIDIA's header of the same name: the part of CUDA Tile C++ that this book uses. A tile block
/// is one call of a function, a tile is an array, and every operation is a loop over it.
#pragma once

#include "common/simt/device/qualifiers.hpp"
#include "common/simt/tile/views.hpp"

// [[cutile::hint(...)]] means something to nvcc only.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wunknown-attributes"
#else
#pragma GCC diagnostic ignored_attributes "cutile::"
#endif
