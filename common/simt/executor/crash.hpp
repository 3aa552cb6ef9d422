/// \file
/// What a kernel that crashes leaves behind: one line that names the thread, instead of "Segmentation fault".
#pragma once

namespace simt {

/// While one of these lives, a crash on a fiber (a bad address, an overflowing stack, an integer division by
/// zero, abort()) prints its line and ends the program with the exit code 3. Elsewhere, and in
/// AddressSanitizer builds, whose own report says more, the handlers that were there before do their work.
class CrashReports {
 public:
  CrashReports();
  ~CrashReports();
  CrashReports(const CrashReports&) = delete;
  CrashReports& operator=(const CrashReports&) = delete;
};

}  // namespace simt
