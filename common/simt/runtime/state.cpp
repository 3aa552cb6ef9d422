/// \file
/// Errors: names, messages, the last one, the sticky one.
#include "common/simt/runtime/state.hpp"

#include <utility>

#include "common/simt/executor/report.hpp"
#include "common/simt/simt.hpp"

namespace simt {
namespace {

cudaError_t last = cudaSuccess;
cudaError_t sticky = cudaSuccess;

}  // namespace

cudaError_t sticky_error() {
  return sticky;
}
cudaError_t check_sticky() {
  return remember(sticky);
}
void set_sticky_error(cudaError_t error) {
  sticky = error;
}

void clear_sticky_error() {
  last = sticky = cudaSuccess;
  clear_report();
}

void clear_error() {
  clear_sticky_error();
}

cudaError_t remember(cudaError_t error) {
  if (error != cudaSuccess) last = error;
  return error;
}

}  // namespace simt

const char* cudaGetErrorName(cudaError_t error) {
#define SIMT_CASE(name, value, message) \
  case name:                            \
    return #name;
  switch (error) { SIMT_CUDA_ERRORS(SIMT_CASE) }
#undef SIMT_CASE
  return "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
#define SIMT_CASE(name, value, message) \
  case name:                            \
    return message;
  switch (error) { SIMT_CUDA_ERRORS(SIMT_CASE) }
#undef SIMT_CASE
  return "unrecognized error code";
}

// A sticky error is not repeated here: it comes back with the next call that returns it.
cudaError_t cudaGetLastError() {
  return std::exchange(simt::last, cudaSuccess);
}
cudaError_t cudaPeekAtLastError() {
  return simt::last;
}
