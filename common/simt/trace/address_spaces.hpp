/// \file
/// Which memory an address belongs to, as a kernel sees it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/simt/trace/shadow.hpp"

namespace simt::trace {

/// A range of device memory and what is remembered about it.
struct Allocation {
  Allocation(const char* begin_, std::size_t bytes_, bool written)
      : begin(begin_), bytes(bytes_), number(++last_number), shadow(bytes_), host(bytes_, written) {}

  bool holds(const char* address, std::size_t count) const {
    const auto offset = std::size_t(address - begin);  // huge if the address lies before it
    return offset < bytes && count <= bytes - offset;
  }
  /// May these bytes hold nothing but what the allocation was filled with?
  bool uninitialised(std::size_t offset, std::size_t count);

  const char* begin;
  std::size_t bytes;
  std::size_t number;  // no other has it, also none that comes later to the same place
  Shadow shadow;
  HostWritten host;

 private:
  static inline std::size_t last_number = 0;
};

/// All device memory there is and, for reports, the memory there was.
class DeviceMemory {
 public:
  void add(const char* begin, std::size_t bytes, bool written);
  void remove(const char* begin);
  /// The allocation whose first byte lies last before the address, if that is inside; else null.
  Allocation* find(const char* address);

  void filled(const char* begin, std::size_t bytes);
  void copied(const char* to, const char* from, std::size_t bytes);

  /// Where an address lies that no allocation holds: "8 bytes behind an allocation of 400 bytes", or empty
  /// if it is near none.
  std::string place_of(const char* address) const;

 private:
  struct Past {
    const char* begin;
    std::size_t bytes;
  };
  std::vector<std::unique_ptr<Allocation>> allocations_;  // by address
  std::vector<Past> freed_;
};

/// The program's own variables and constants: threadIdx and its like, and what the host has declared.
class ProgramImage {
 public:
  ProgramImage();
  bool holds(const void* address) const {
    return std::size_t(static_cast<const char*>(address) - begin_) < bytes_;
  }
  /// An address as the file has it, before it was loaded somewhere.
  std::size_t offset(const void* address) const {
    return std::size_t(static_cast<const char*>(address) - load_address_);
  }

 private:
  const char* load_address_ = nullptr;
  const char* begin_ = nullptr;
  std::size_t bytes_ = 0;
};

/// False if touching the address would end the program.
bool can_be_touched(const void* address);

}  // namespace simt::trace
