/// \file
/// The two device calls of programmatic dependent launch. executor/grid.cpp tells how an overlap is acted
/// out.
#pragma once

/// Waits until the kernels this one depends on have finished.
void cudaGridDependencySynchronize();
/// Lets the next kernel of the stream start once every block has called this or ended.
void cudaTriggerProgrammaticLaunchCompletion();
