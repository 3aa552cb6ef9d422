/// \file
/// The one recorder of the program.
#pragma once

namespace simt::trace {

class Recorder;

/// Makes it if there is none, and lets the executor and the compiler's callbacks know it.
Recorder& start_recording();
/// Null before start_recording().
Recorder* current_recorder();

}  // namespace simt::trace
