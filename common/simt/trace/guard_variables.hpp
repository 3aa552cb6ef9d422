/// \file
/// The compiler's own bytes among a program's __shared__ variables.
#pragma once

#include <cstddef>
#include <vector>

namespace simt::trace {

/// Where they lie in the static shared memory, ascending. g++ adds a byte for each __shared__ array of a
/// class with a constructor (such as __half, whose constructor does nothing), and looks at it before each
/// use.
std::vector<std::size_t> guard_variables();

}  // namespace simt::trace
