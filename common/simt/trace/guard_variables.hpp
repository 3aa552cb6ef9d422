/// \file
/// The compiler's own bytes among a program's __shared__ variables.
#pragma once

#include <cstddef>
#include <vector>

namespace simt::trace {

/// g++ adds a byte for each __shared__ array of a class with a constructor (such as __half, whose constructor
/// does nothing), and looks at it before each use. The program's symbols tell where.
class GuardVariables {
 public:
  GuardVariables();
  /// False if the program has no symbols: it was stripped.
  bool known() const { return known_; }
  /// Is the byte at this offset of the static shared memory one of them? Without symbols it might be.
  bool holds(std::size_t offset) const;

 private:
  std::vector<std::size_t> offsets_;  // ascending
  bool known_ = false;
};

}  // namespace simt::trace
