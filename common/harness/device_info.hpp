/// \file
/// Which device this program runs its kernels on.
#pragma once

#include <string>

#include "common/harness/chapter.hpp"

namespace ropewalk {

/// False when this program was compiled against the CPU executor.
#ifdef ROPEWALK_CUDA
inline constexpr bool kGpuBuild = true;
#else
inline constexpr bool kGpuBuild = false;
#endif

struct DeviceInfo {
  std::string name;     ///< "NVIDIA H200", "CPU executor", "host"
  std::string sm;       ///< "90"; empty without a GPU
  std::string driver;   ///< "580.159.04"; empty without a GPU
  std::string toolkit;  ///< "13.5"; empty without a GPU
  std::string problem;  ///< why kernels cannot run here; empty when they can
};

DeviceInfo device_info(Runs runs);

}  // namespace ropewalk
