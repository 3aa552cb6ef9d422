/// \file
/// The runtime's error state, which every call looks at and may change.
#pragma once

#include "common/simt/runtime/error_codes.hpp"

namespace simt {

/// The error that a faulty kernel leaves behind: from then on nearly every call returns it. cudaSuccess if
/// there is none.
cudaError_t sticky_error();
/// What such a call does first: it returns the sticky error and remembers it.
cudaError_t check_sticky();
void set_sticky_error(cudaError_t error);
void clear_sticky_error();

/// Keeps `error` for cudaGetLastError(), unless it is cudaSuccess, and hands it on.
cudaError_t remember(cudaError_t error);

}  // namespace simt
