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

// The copy of a struct. Where its size is no power of two, or beyond 16 bytes, a GPU makes it in pieces. (So
// it does where the type is aligned to less than its size; nobody tells us that.)
void access_in_pieces(const void* address, std::size_t bytes, Operation operation, const void* pc) {
  constexpr std::size_t kLargest = 16;
  std::size_t piece = bytes & (~bytes + 1);  // the largest power of two that divides it
  if (piece > kLargest) piece = kLargest;
  for (std::size_t i = 0; i < bytes; i += piece) {
    recorder->access(static_cast<const char*>(address) + i, std::uint32_t(piece), operation, pc);
  }
}

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
  simt::trace::access_in_pieces(address, bytes, Operation::kLoad, __builtin_return_address(0));
}
void __tsan_write_range(void* address, std::size_t bytes) {
  if (recorder == nullptr) return;
  simt::trace::access_in_pieces(address, bytes, Operation::kStore, __builtin_return_address(0));
}

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

// C++ atomics of the host's code (a std::shared_ptr has one) go through these. Kernels use CUDA's functions.
#define SIMT_ATOMIC_OPERATION(bits, name)                                                       \
  std::uint##bits##_t __tsan_atomic##bits##_fetch_##name(volatile std::uint##bits##_t* address, \
                                                         std::uint##bits##_t value, int) {      \
    return __atomic_fetch_##name(address, value, __ATOMIC_SEQ_CST);                             \
  }
#define SIMT_ATOMICS(bits)                                                                                   \
  std::uint##bits##_t __tsan_atomic##bits##_load(const volatile std::uint##bits##_t* address, int) {         \
    return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                                       \
  }                                                                                                          \
  void __tsan_atomic##bits##_store(volatile std::uint##bits##_t* address, std::uint##bits##_t value, int) {  \
    __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                                      \
  }                                                                                                          \
  std::uint##bits##_t __tsan_atomic##bits##_exchange(volatile std::uint##bits##_t* address,                  \
                                                     std::uint##bits##_t value, int) {                       \
    return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                                            \
  }                                                                                                          \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile std::uint##bits##_t* address,                   \
                                                    std::uint##bits##_t* expected,                           \
                                                    std::uint##bits##_t value, int, int) {                   \
    return __atomic_compare_exchange_n(address, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }                                                                                                          \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile std::uint##bits##_t* address,                     \
                                                  std::uint##bits##_t* expected, std::uint##bits##_t value,  \
                                                  int, int) {                                                \
    return __atomic_compare_exchange_n(address, expected, value, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);  \
  }                                                                                                          \
  SIMT_ATOMIC_OPERATION(bits, add)                                                                           \
  SIMT_ATOMIC_OPERATION(bits, sub)                                                                           \
  SIMT_ATOMIC_OPERATION(bits, and)                                                                           \
  SIMT_ATOMIC_OPERATION(bits, or)                                                                            \
  SIMT_ATOMIC_OPERATION(bits, xor)                                                                           \
  SIMT_ATOMIC_OPERATION(bits, nand)
SIMT_ATOMICS(8)
SIMT_ATOMICS(16)
SIMT_ATOMICS(32)
SIMT_ATOMICS(64)
#undef SIMT_ATOMICS
#undef SIMT_ATOMIC_OPERATION
void __tsan_atomic_thread_fence(int) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int) {}

}  // extern "C"
