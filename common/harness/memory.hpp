/// \file
/// A buffer a chapter works on, with guard bytes around it: on the device for kernels, on the host for plain
/// C++.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "common/gpu/device_array.hpp"
#include "common/harness/chapter.hpp"

namespace ropewalk {

/// Bytes between two guards. A guard must keep its pattern. It reads as a large number in every
/// floating-point type: a stray read shows in the result, and an in-place rotation of it changes it. NaN
/// would not do, since a rotated NaN has the same bits.
class GuardedBuffer {
 public:
#if defined(ROPEWALK_SANITIZE_ADDRESS) || defined(ROPEWALK_TRACE)
  static constexpr std::size_t kGuard = 0;  // red zones and the tracer see reads too; guards would hide them
#else
  static constexpr std::size_t kGuard = 256;  // keeps the alignment cudaMalloc gives
#endif

  static constexpr std::byte kPattern{0x5A};

  GuardedBuffer() = default;
  GuardedBuffer(Runs where, std::span<const std::byte> content) : size_(content.size()) {
    if (size_ == 0) return;
    const std::vector<std::byte> bytes = with_guards(content);
    if (where == Runs::on_device) {
      device_ = DeviceArray<std::byte>(std::span(bytes));
    } else {
      host_ = bytes;
    }
  }

  /// Address of the content; null when it is empty.
  template <class T>
  T* as() {
    if (size_ == 0) return nullptr;
    std::byte* start = device_.size() > 0 ? device_.data() : host_.data();
    return static_cast<T*>(static_cast<void*>(start + kGuard));
  }

  /// Replaces the content (of the same size) and renews the guards.
  void write(std::span<const std::byte> content) {
    if (size_ == 0) return;
    if (device_.size() > 0) {
      device_.upload(with_guards(content));
    } else {
      host_ = with_guards(content);
    }
  }

  struct Content {
    std::vector<std::byte> bytes;
    bool guards_intact = true;
  };
  /// Copies the content back; the stream that wrote it must have been synchronised.
  Content read() const {
    if (size_ == 0) return {};
    const std::vector<std::byte> all = device_.size() > 0 ? device_.download() : host_;
    const auto begin = all.begin() + kGuard, end = all.end() - kGuard;
    const auto intact = [](std::byte b) { return b == kPattern; };
    return {{begin, end}, std::all_of(all.begin(), begin, intact) && std::all_of(end, all.end(), intact)};
  }

 private:
  static std::vector<std::byte> with_guards(std::span<const std::byte> content) {
    std::vector<std::byte> bytes;
    bytes.reserve(content.size() + 2 * kGuard);
    bytes.insert(bytes.end(), kGuard, kPattern);
    bytes.insert(bytes.end(), content.begin(), content.end());
    bytes.insert(bytes.end(), kGuard, kPattern);
    return bytes;
  }

  std::size_t size_ = 0;
  DeviceArray<std::byte> device_;
  std::vector<std::byte> host_;
};

}  // namespace ropewalk
