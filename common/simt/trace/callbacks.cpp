/// \file
/// What the compiler calls. Instrumented functions (-fsanitize=thread) call __tsan_read4() and its like
/// before each access. ThreadSanitizer's own library is not linked: these are ours.
#include <cstddef>
#include <cstdint>

#include "common/simt/device/atomics.hpp"
#include "common/simt/trace/recorder.hpp"
#include "common/simt/trace/trace.hpp"

namespace simt::trace {
namespace {

Recorder* recorder = nullptr;

}  // namespace

Recorder& start_recording() {
  if (recorder == nullptr) recorder = new Recorder;  // lives as long as the program
  observer = recorder;
  return *recorder;
}

Recorder* current_recorder() {
  return recorder;
}

}  // namespace simt::trace

namespace simt {

void note_atomic(const void* address, std::size_t bytes, const void* pc) {
  if (trace::recorder != nullptr) {
    trace::recorder->access(address, std::uint32_t(bytes), trace::Operation::kAtomic, pc);
  }
}

}  // namespace simt

using simt::trace::Operation;
using simt::trace::recorder;

extern "C" {

#define SIMT_ACCESS(name, bytes, operation)                                                            \
  void name(void* address) {                                                                           \
    if (recorder != nullptr) recorder->access(address, bytes, operation, __builtin_return_address(0)); \
  }
#define SIMT_ACCESSES(bytes)                                           \
  SIMT_ACCESS(__tsan_read##bytes, bytes, Operation::kLoad)             \
  SIMT_ACCESS(__tsan_write##bytes, bytes, Operation::kStore)           \
  SIMT_ACCESS(__tsan_unaligned_read##bytes, bytes, Operation::kLoad)   \
  SIMT_ACCESS(__tsan_unaligned_write##bytes, bytes, Operation::kStore) \
  SIMT_ACCESS(__tsan_volatile_read##bytes, bytes, Operation::kLoad)    \
  SIMT_ACCESS(__tsan_volatile_write##bytes, bytes, Operation::kStore)
SIMT_ACCESSES(1)
SIMT_ACCESSES(2)
SIMT_ACCESSES(4)
SIMT_ACCESSES(8)
SIMT_ACCESSES(16)
#undef SIMT_ACCESSES
#undef SIMT_ACCESS

void __tsan_read_range(void* address, std::size_t bytes) {
  if (recorder == nullptr) return;
  recorder->access_in_pieces(static_cast<const char*>(address), bytes, Operation::kLoad,
                             __builtin_return_address(0));
}
void __tsan_write_range(void* address, std::size_t bytes) {
  if (recorder == nullptr) return;
  recorder->access_in_pieces(static_cast<const char*>(address), bytes, Operation::kStore,
                             __builtin_return_address(0));
}

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

// The host's code: a std::shared_ptr counts with it. Kernels use CUDA's functions.
std::uint32_t __tsan_atomic32_fetch_add(volatile std::uint32_t* address, std::uint32_t value, int) {
  return __atomic_fetch_add(address, value, __ATOMIC_SEQ_CST);
}
void __tsan_atomic_thread_fence(int) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int) {}

// The linker sends the program's calls of these functions here (CMakeLists.txt): the compiler makes them out
// of large or variable copies, and nobody else would see what they access.
void* __real_memcpy(void* to, const void* from, std::size_t bytes);
void* __real_memmove(void* to, const void* from, std::size_t bytes);
void* __real_memset(void* to, int value, std::size_t bytes);

void* __wrap_memcpy(void* to, const void* from, std::size_t bytes) {
  if (recorder != nullptr) {
    recorder->library_access(from, bytes, Operation::kLoad, __builtin_return_address(0));
    recorder->library_access(to, bytes, Operation::kStore, __builtin_return_address(0));
  }
  return __real_memcpy(to, from, bytes);
}
void* __wrap_memmove(void* to, const void* from, std::size_t bytes) {
  if (recorder != nullptr) {
    recorder->library_access(from, bytes, Operation::kLoad, __builtin_return_address(0));
    recorder->library_access(to, bytes, Operation::kStore, __builtin_return_address(0));
  }
  return __real_memmove(to, from, bytes);
}
void* __wrap_memset(void* to, int value, std::size_t bytes) {
  if (recorder != nullptr) {
    recorder->library_access(to, bytes, Operation::kStore, __builtin_return_address(0));
  }
  return __real_memset(to, value, bytes);
}

}  // extern "C"
