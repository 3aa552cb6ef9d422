/// \file
/// The only place of the mathematics that throws, so that everything else can be built without exceptions.
#include "common/rope/types.hpp"

namespace ropewalk {

void refuse(const std::string& message) {
  throw InputError(message);
}

void refuse_as_not_supported(const std::string& message) {
  throw NotSupported(message);
}

}  // namespace ropewalk
