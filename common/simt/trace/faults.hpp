/// \file
/// What is wrong with a kernel's accesses, gathered by the lines that are involved.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace simt::trace {

enum class FaultKind : unsigned char {
  kRaceInBlock,     // threads of a block, nothing between the two accesses that orders them
  kRaceOfBlocks,    // blocks of a launch
  kRaceOfLaunches,  // a dependent launch that does not wait, or waits too late
  kUninitialised,
  kOutOfBounds,
};

/// One kind of fault at one place, or between two.
struct Fault {
  FaultKind kind;
  bool shared = false;  // shared memory; else device memory
  bool writes = false;  // the access itself; an atomic operation does
  const void* pc = nullptr;
  bool other_writes = false;
  const void* other_pc = nullptr;  // the earlier access; null where one is enough
  const void* kernel = nullptr;    // address of its function
  std::uint64_t count = 0;         // accesses of single threads
  std::string example;             // the first of them
  bool near_memory = true;  // out of bounds: of an allocation; else the address belongs to nothing known
};

class Faults {
 public:
  /// The fault with this kind, places and kernel, counted once more. `is_new`: `example` is still to be set.
  Fault& count(const Fault& like, bool& is_new) {
    for (Fault& fault : faults_) {
      if (fault.kind == like.kind && fault.pc == like.pc && fault.other_pc == like.other_pc &&
          fault.kernel == like.kernel && fault.shared == like.shared) {
        ++fault.count;
        is_new = false;
        return fault;
      }
    }
    faults_.push_back(like);
    faults_.back().count = 1;
    is_new = true;
    return faults_.back();
  }
  std::vector<Fault> take() { return std::move(faults_); }

 private:
  std::vector<Fault> faults_;
};

}  // namespace simt::trace
