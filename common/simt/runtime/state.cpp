/// \file
/// Errors: names, messages, the last one, the sticky one.
#include "common/simt/runtime/state.hpp"

#include <utility>

#include "common/simt/executor/scheduler.hpp"
#include "common/simt/simt.hpp"

namespace simt {
namespace {

cudaError_t last = cudaSuccess;
cudaError_t sticky = cudaSuccess;
bool in_host_function = false;

}  // namespace

bool in_kernel() {
  return Fiber::current() != nullptr;
}

cudaError_t check_caller(const char* call) {
  if (in_kernel()) {
    fail("runtime call in a kernel: %s() by %s", call, describe(*scheduler.thread).c_str());
    Fiber::abandon();
  }
  // Not remembered: on a GPU a host function runs on a thread of its own, which has its own last error.
  return in_host_function ? cudaErrorNotPermitted : cudaSuccess;
}
void set_in_host_function(bool inside) {
  in_host_function = inside;
}

cudaError_t sticky_error() {
  return sticky;
}
cudaError_t check_sticky(const char* call) {
  if (const cudaError_t error = check_caller(call)) return error;
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
