/// \file
/// The runtime's error state, which every call looks at and may change.
#pragma once

#include "common/simt/runtime/error_codes.hpp"

namespace simt {

/// Is the caller a kernel?
bool in_kernel();
/// May the runtime be called here? Not from a function that cudaLaunchHostFunc() has enqueued
/// (cudaErrorNotPermitted), and not from a kernel: that is a fault, and its thread does not come back.
cudaError_t check_caller(const char* call = __builtin_FUNCTION());
/// Marks the time in which a function enqueued by cudaLaunchHostFunc() runs.
void set_in_host_function(bool inside);

/// The error that a faulty kernel leaves behind: from then on nearly every call returns it. cudaSuccess if
/// there is none.
cudaError_t sticky_error();
/// What such a call does first: it asks check_caller(), then returns the sticky error and remembers it.
cudaError_t check_sticky(const char* call = __builtin_FUNCTION());
void set_sticky_error(cudaError_t error);
void clear_sticky_error();

/// Keeps `error` for cudaGetLastError(), unless it is cudaSuccess, and hands it on.
cudaError_t remember(cudaError_t error);

}  // namespace simt
