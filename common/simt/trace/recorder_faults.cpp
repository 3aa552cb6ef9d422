/// \file
/// The recorder's words about faults. Only the first of each kind and line is described; the others count.
#include <unistd.h>

#include <cstdio>
#include <string>

#include "common/simt/executor/scheduler.hpp"
#include "common/simt/trace/recorder.hpp"
#include "common/simt/trace/report.hpp"
#include "common/simt/trace/trace.hpp"

namespace simt::trace {
namespace {

std::string this_thread() {
  return describe(*scheduler.thread).c_str();
}

// "thread (5,0,0)", of the block that runs
std::string other_thread(std::uint16_t number) {
  if (number == kUnknownThread) return "a thread of another warp";
  const uint3 index = scheduler.block->threads[number].index;
  return "thread (" + std::to_string(index.x) + "," + std::to_string(index.y) + "," +
         std::to_string(index.z) + ")";
}

std::string kernels_ahead(unsigned count) {
  return count == 1 ? "the kernel ahead" : "the kernel " + std::to_string(count) + " ahead";
}

}  // namespace

Fault Recorder::fault_at(FaultKind kind, const Site& site) const {
  Fault fault;
  fault.kind = kind;
  fault.shared = site.space == Space::kShared;
  fault.writes = site.operation != Operation::kLoad;
  fault.pc = site.pc;
  fault.kernel = launch_->kernel->function();
  return fault;
}

void Recorder::report_race(const Site& site, const Conflict& conflict) {
  const bool one_block = conflict.with == Conflict::With::kThreadOfBlock;
  Fault like = fault_at(one_block ? FaultKind::kRaceInBlock : FaultKind::kRaceOfBlocks, site);
  like.other_pc = sites_[conflict.site].pc;
  like.other_writes = conflict.wrote;
  bool is_new;
  Fault& fault = faults_.count(like, is_new);
  if (!is_new) return;
  fault.example = one_block
                      ? other_thread(conflict.thread) + ", then " + this_thread() +
                            ", with neither a barrier nor a warp operation between them"
                      : "a thread of another block, then " + this_thread() + ": blocks run in any order";
}

void Recorder::report_chain(const Site& site, const ChainConflict& conflict) {
  Fault like = fault_at(FaultKind::kRaceOfLaunches, site);
  like.other_pc = sites_[conflict.site].pc;
  like.other_writes = conflict.wrote;
  bool is_new;
  Fault& fault = faults_.count(like, is_new);
  if (!is_new) return;
  fault.example =
      kernels_ahead(conflict.kernels_ahead) + ", which may still be running, and " + this_thread();
}

void Recorder::report_uninitialised(const Site& site, std::size_t offset) {
  bool is_new;
  Fault& fault = faults_.count(fault_at(FaultKind::kUninitialised, site), is_new);
  if (!is_new) return;
  fault.example = this_thread();
  fault.example += site.space == Space::kShared
                       ? ", which no thread of its block has written"
                       : ", byte " + std::to_string(offset) + " of an allocation of " +
                             std::to_string(allocation_->bytes) + " bytes, which nobody has written";
}

void Recorder::report_out_of_bounds(const void* pc, bool shared, std::uint32_t bytes, Operation operation,
                                    const std::string& where, bool ends_program) {
  Fault like;
  like.kind = FaultKind::kOutOfBounds;
  like.shared = shared;
  like.writes = operation != Operation::kLoad;
  like.pc = pc;
  like.kernel = launch_->kernel->function();
  like.near_memory = !where.empty();
  bool is_new;
  Fault& fault = faults_.count(like, is_new);
  if (!is_new) return;
  fault.example = this_thread() + ", " + std::to_string(bytes) + (bytes == 1 ? " byte " : " bytes ") +
                  (where.empty() ? "in memory that is no kernel's" : where);
  if (!ends_program) return;
  print_report("The trace ends here: the access would end the program.");
  _exit(1);
}

void Recorder::print_report(const char* why_now) {
  const Report report = take();
  std::fflush(stdout);
  std::fputs((faults_text(report) + last_line(report) + "\n" + why_now + "\n").c_str(), stderr);
}

}  // namespace simt::trace
