/// \file
/// For the tests of chapter 07 that run no kernel: a call that is right, and what is said of it after a
/// change.
#pragma once

#include <cstdint>
#include <string>

#include "chapters/07_partial_and_strided/kernels.cuh"
#include "common/testing/catch.hpp"

namespace ropewalk::strided {

using Half = Rotation<__half, __half>;

inline constexpr std::uintptr_t kQ = 1 << 24, kK = 1 << 25, kOther = 1 << 26;  // nothing is read there

template <class T>
T* at(std::uintptr_t address) {
  return reinterpret_cast<T*>(address);
}

/// In place, 2 sequences of 3 tokens, 4 + 2 heads of 128 channels, of which 64 turn from channel 32 on.
template <class From, class To>
Rotation<From, To> usual() {
  const auto view = []<class T>(std::uintptr_t address, long long heads, T*) {
    return View<T>{at<T>(address), 3 * heads * 128, heads * 128, 128};
  };
  return {.q_from = view(kQ, 4, static_cast<const From*>(nullptr)),
          .k_from = view(kK, 2, static_cast<const From*>(nullptr)),
          .q_to = view(kQ, 4, static_cast<To*>(nullptr)),
          .k_to = view(kK, 2, static_cast<To*>(nullptr)),
          .positions = nullptr,
          .batch = 2,
          .tokens = 3,
          .q_heads = 4,
          .kv_heads = 2,
          .head_dim = 128,
          .rotary_dim = 64,
          .rotary_offset = 32,
          .interleaved = false};
}

/// The message of the refusal of `usual` with this change, or empty.
template <class From = __half, class To = __half, class Change>
std::string refusal(Change change) {
  Rotation<From, To> a = usual<From, To>();
  change(a);
  const std::string fault = fault_of(a);
  if (fault.empty()) return fault;
  std::string message;
  try {
    launch_window(nullptr, a, Table{nullptr, nullptr, 0, 0});
  } catch (const InputError& error) {
    message = error.what();
  }
  CHECK(message == fault);
  CHECK(fault.find('\n') == std::string::npos);
  CHECK(fault.find("allowed: ") != std::string::npos);
  return fault;
}

inline bool begins(const std::string& text, const char* with) {
  return text.rfind(with, 0) == 0;
}

template <class From, class To>
void move_out_of_place(Rotation<From, To>& a) {
  a.q_to.data = at<To>(kOther);
  a.k_to.data = at<To>(2 * kOther);
}

}  // namespace ropewalk::strided
