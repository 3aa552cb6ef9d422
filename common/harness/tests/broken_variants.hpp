/// \file
/// Every fault of the list as a variant that a chapter could have.
#pragma once

#include "common/harness/chapter.hpp"
#include "common/harness/tests/fault_names.hpp"

namespace ropewalk::faults {

/// Rotates q and k with a cos/sin table, in the half style, and makes this mistake.
void run_broken(Fault fault, const RopeCall& call);

/// The same as a variant with that name. Runs::on_device.
Variant broken_variant(Fault fault, std::string name);

}  // namespace ropewalk::faults
