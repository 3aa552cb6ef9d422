/// \file
/// Takes in every access of every thread and hands it to those who count and judge it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/simt/executor/block.hpp"
#include "common/simt/executor/observer.hpp"
#include "common/simt/trace/address_spaces.hpp"
#include "common/simt/trace/faults.hpp"
#include "common/simt/trace/guard_variables.hpp"
#include "common/simt/trace/launch_chain.hpp"
#include "common/simt/trace/race_detector.hpp"
#include "common/simt/trace/sites.hpp"

namespace simt::trace {

/// What one launch has done: counts by site, still without lines.
struct LaunchRecord {
  struct Row {
    const void* pc;
    Space space;
    Operation operation;
    std::uint32_t bytes;
    Counts counts;
  };
  std::string label;
  const void* kernel = nullptr;
  dim3 grid, block;
  std::size_t shared_bytes = 0;  // dynamic shared memory
  std::vector<Row> rows;
};

class Recorder final : public Observer {
 public:
  /// The compiler calls this, through callbacks.cpp, before each access of an instrumented function; `pc`
  /// is the place it returns to.
  void access(const void* address, std::uint32_t bytes, Operation operation, const void* pc) {
    if (!listening_ || image_.holds(address)) return;
    listening_ = false;  // what this calls may itself be instrumented
    if (!on_stack(address)) judge(static_cast<const char*>(address), bytes, operation, pc);
    listening_ = true;
  }

  /// The copy of a struct. Where its size is no power of two, or beyond 16 bytes, a GPU makes it in pieces.
  /// (So it does where the type is aligned to less than its size; nobody tells us that.)
  void access_in_pieces(const char* address, std::size_t bytes, Operation operation, const void* pc);
  /// A library function, such as memcpy(), is about to access these bytes for a kernel. Addresses that belong
  /// to no kernel are its own affair.
  void library_access(const void* address, std::size_t bytes, Operation operation, const void* pc);

  /// Counts of launches from now on are kept under this name; none are kept while it is empty.
  void set_label(std::string label) { label_ = std::move(label); }
  std::vector<LaunchRecord> take_launches() { return std::move(launches_); }
  std::vector<Fault> take_faults() { return faults_.take(); }
  const ProgramImage& image() const { return image_; }
  bool knows_guards() const { return guards_.known(); }

  void allocated(const void* memory, std::size_t bytes, bool written) override;
  void released(const void* memory) override;
  void filled(const void* memory, std::size_t bytes) override;
  void copied(const void* to, const void* from, std::size_t bytes) override;
  void launch_begins(const Launch& launch, bool has_early_successor) override;
  void launch_ends() override;
  void block_begins(const Block& block) override;
  void block_ends() override;
  void block_met() override;
  void warp_met(unsigned warp, unsigned lanes) override;
  void awaits_dependency() override;
  void triggers_dependents() override;
  void crashed() override;

 private:
  static bool on_stack(const void* address) {
    const Fiber* fiber = Fiber::current();
    return fiber == nullptr || fiber->has_on_stack(address);
  }
  void judge(const char* address, std::uint32_t bytes, Operation operation, const void* pc);
  void access_shared(Place& place, std::size_t offset, std::uint32_t bytes, Operation operation);
  void access_global(Place& place, const char* address, std::uint32_t bytes, Operation operation);
  bool find_allocation(Place& place, const char* address);
  void access_elsewhere(const Place& place, const char* address, std::uint32_t bytes, Operation operation);

  void print_report(const char* why_now);
  Fault fault_at(FaultKind kind, const Site& site) const;
  void report_race(const Site& site, const Conflict& conflict);
  void report_chain(const Site& site, const ChainConflict& conflict);
  void report_uninitialised(const Site& site, std::size_t offset);
  void report_out_of_bounds(const void* pc, bool shared, std::uint32_t bytes, Operation operation,
                            const std::string& where, bool ends_program = false);

  bool listening_ = false;  // a kernel is running
  ProgramImage image_;
  const GuardVariables guards_;
  DeviceMemory memory_;
  Allocation* allocation_ = nullptr;  // what find_allocation() has found
  Places places_;
  Sites sites_;
  RaceDetector races_;
  LaunchChain chain_;
  Faults faults_;

  // The launch and the block that run.
  const Launch* launch_ = nullptr;
  const char* arguments_ = nullptr;
  std::size_t argument_bytes_ = 0;
  const char* static_shared_ = nullptr;
  std::size_t static_bytes_ = 0;
  const char* dynamic_shared_ = nullptr;
  std::size_t dynamic_bytes_ = 0;
  std::size_t dynamic_offset_ = 0;  // behind the static part, where a GPU has it too
  Shadow shared_{0};
  std::vector<bool> has_waited_;  // for the kernel ahead, by thread
  bool block_has_waited_ = false;
  bool block_left_without_waiting_ = false;

  std::string label_;
  std::vector<LaunchRecord> launches_;
};

}  // namespace simt::trace
