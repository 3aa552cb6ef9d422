/// \file
/// AddressSanitizer's interface, as functions that do nothing in other builds.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define SIMT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIMT_ASAN 1
#endif
#endif

#ifdef SIMT_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace simt {

#ifdef SIMT_ASAN
inline constexpr bool kAddressSanitizer = true;
inline void poison(const void* memory, std::size_t size) {
  __asan_poison_memory_region(memory, size);
}
inline void unpoison(const void* memory, std::size_t size) {
  __asan_unpoison_memory_region(memory, size);
}
/// Tells the sanitizer that the stack is about to change; `fake_stack` null: the present one will not be used
/// again.
inline void before_stack_switch(void** fake_stack, const void* bottom, std::size_t size) {
  __sanitizer_start_switch_fiber(fake_stack, bottom, size);
}
/// Tells it that the change has happened, and learns which stack the switch came from.
inline void after_stack_switch(void* fake_stack, const void** bottom, std::size_t* size) {
  __sanitizer_finish_switch_fiber(fake_stack, bottom, size);
}
#else
inline constexpr bool kAddressSanitizer = false;
inline void poison(const void*, std::size_t) {}
inline void unpoison(const void*, std::size_t) {}
inline void before_stack_switch(void**, const void*, std::size_t) {}
inline void after_stack_switch(void*, const void**, std::size_t*) {}
#endif

}  // namespace simt
