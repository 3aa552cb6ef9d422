/// \file
/// From addresses of the program to lines of its source.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace simt::trace {

struct Frame {
  std::string function;
  std::string file;  // the whole path, or empty
  unsigned line = 0;
};
/// An address stands in a function, which may have been inlined into another, and so on: innermost first.
using Frames = std::vector<Frame>;

/// The frames of each address, which are offsets in this program's file. One process answers for all of them.
/// `problem` tells why nothing is known, if so; the frames are empty then.
std::vector<Frames> symbolize(const std::vector<std::size_t>& addresses, std::string& problem);

}  // namespace simt::trace
