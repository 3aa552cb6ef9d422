/// \file
/// cudaError_t: names, numbers and messages are those of the CUDA runtime, because programs print and compare
/// them. A test compares the numbers with the toolkit's header where there is one.
#pragma once

#include "common/simt/runtime/error_list.hpp"

#define SIMT_ENUMERATOR(name, value, message) name = value,
enum cudaError : int { SIMT_CUDA_ERRORS(SIMT_ENUMERATOR) };
#undef SIMT_ENUMERATOR
using cudaError_t = cudaError;

const char* cudaGetErrorName(cudaError_t error);
const char* cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
