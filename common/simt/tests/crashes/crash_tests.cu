/// \file
/// Kernels that crash. Each runs in a process of its own, which must end with the exit code 3 and one line
/// that says what happened and to which thread.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "common/simt/tests/launch.hpp"
#include "common/testing/catch.hpp"

using simt_tests::Buffer;
using simt_tests::run;

namespace {

struct Ending {
  int status = 0;  // as waitpid() gives it
  std::string text;
};

// Runs the function in a child process. `text` is what it writes to stderr.
template <class Function>
Ending in_child(std::optional<std::uint64_t> seed, Function function) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  std::fflush(nullptr);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    simt::options().seed = seed;
    function();
    _exit(0);
  }
  close(ends[1]);
  Ending ending;
  char part[256];
  for (ssize_t length; (length = read(ends[0], part, sizeof part)) > 0;)
    ending.text.append(part, std::size_t(length));
  close(ends[0]);
  REQUIRE(waitpid(child, &ending.status, 0) == child);
  return ending;
}

// The kernel must crash in thread 5 of block 2, behind a barrier or not.
template <class... Parameters, class... Arguments>
void check_crash(const std::string& kind, void (*kernel)(Parameters...), Arguments... arguments) {
  const Ending in_order = in_child(std::nullopt, [&] { run(3, 8, kernel, arguments...); });
  const std::string line = "simt: " + kind + " by thread (5,0,0) of block (2,0,0) [SIMT_SEED";
  CHECK((WIFEXITED(in_order.status) && WEXITSTATUS(in_order.status) == 3));
  CAPTURE(in_order.text);
  CHECK(in_order.text.ends_with(line + " not set: threads in order]\n"));
  const Ending seeded = in_child(17, [&] { run(3, 8, kernel, arguments...); });
  CHECK((WIFEXITED(seeded.status) && WEXITSTATUS(seeded.status) == 3));
  CHECK(seeded.text.ends_with(line + "=17]\n"));
}

__device__ bool chosen() {
  return threadIdx.x == 5 && blockIdx.x == 2;
}

__global__ void write_to(volatile int* address) {
  if (chosen()) *address = 1;
}
__global__ void write_after_barrier(volatile int* address) {
  __syncthreads();
  if (chosen()) *address = 1;
}

__device__ int descend(int depth, volatile int* out) {
  volatile int frame[64];
  frame[depth % 64] = depth;
  *out = depth;
  return depth < 0 ? 0 : descend(depth + 1, out) + frame[depth % 64];
}
__global__ void overflow_stack(volatile int* out) {
  if (chosen()) *out = descend(0, out);
}
__device__ [[gnu::noinline]] int use_large_frame(unsigned index) {
  volatile char large[300 * 1024];  // reaches far below the guard
  large[index] = 1;
  return large[index];
}
__global__ void large_frame(volatile int* out, unsigned index) {
  if (chosen()) *out = use_large_frame(index);
}

__global__ void divide(int* out, int divisor) {
  if (chosen()) *out = 5 / divisor;
}
__global__ void abort_inside() {
  if (chosen()) std::abort();
}
__global__ void do_nothing() {}

void on_signal(int) {
  _exit(42);
}

}  // namespace

TEST_CASE("a bad address") {
  check_crash("segmentation fault: address 0x0 (a null pointer)", write_to, nullptr);
  check_crash("segmentation fault: address 0x0 (a null pointer)", write_after_barrier, nullptr);
  check_crash("segmentation fault: address 0x10 (a null pointer)", write_to,
              reinterpret_cast<volatile int*>(16));
  check_crash("segmentation fault", write_to, reinterpret_cast<volatile int*>(0x7070707070707070));
}

TEST_CASE("a stack overflow") {
  Buffer<int> out(1);
  check_crash("stack overflow", overflow_stack, out.data());
  check_crash("stack overflow", large_frame, out.data(), 0u);
}

TEST_CASE("a division by zero, and abort()") {
  Buffer<int> out(1);
  check_crash("integer division by zero, or with a result that does not fit", divide, out.data(), 0);
  check_crash("abort()", abort_inside);
}

TEST_CASE("outside of kernels a program's own handlers are in force") {
  const auto crash_after_grid = [] {
    signal(SIGSEGV, on_signal);
    if (run(1, 8, do_nothing) == cudaSuccess) raise(SIGSEGV);
  };
  const Ending ending = in_child(std::nullopt, crash_after_grid);
  CHECK((WIFEXITED(ending.status) && WEXITSTATUS(ending.status) == 42));
  CHECK(ending.text.empty());
}
