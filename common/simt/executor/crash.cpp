/// \file
/// The signal handler. The program is broken when it runs, so that it may only call what POSIX lists as
/// async-signal-safe, and formats numbers itself. A tool that watches is told last, and may do as it can.
#include "common/simt/executor/crash.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>

#include "common/simt/executor/observer.hpp"
#include "common/simt/executor/scheduler.hpp"
#include "common/simt/simt.hpp"

namespace simt {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr int kExitCode = 3;
constexpr std::uintptr_t kNullPage = 4096;

struct sigaction previous_actions[std::size(kSignals)];
stack_t previous_stack;
alignas(16) char handler_stack[256 * 1024];  // an overflowing stack has no room for a handler
pthread_t owner;                             // of the grid: other threads' crashes are none of ours
std::optional<std::uint64_t> seed;

class Line {
 public:
  Line& add(const char* text) {
    while (*text != '\0' && used_ < sizeof text_) text_[used_++] = *text++;
    return *this;
  }
  Line& add(std::uint64_t number, unsigned base = 10) {
    char digits[24];
    char* first = digits + sizeof digits - 1;
    *first = '\0';
    do {
      *--first = "0123456789abcdef"[number % base];
      number /= base;
    } while (number > 0);
    return add(first);
  }
  Line& add(uint3 index) {
    return add("(").add(index.x).add(",").add(index.y).add(",").add(index.z).add(")");
  }
  void write() const {
    if (::write(STDERR_FILENO, text_, used_) < 0) return;  // nobody is left to be told
  }

 private:
  char text_[512];
  std::size_t used_ = 0;
};

void restore_handlers() {
  for (std::size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &previous_actions[i], nullptr);
}

void add_kind(Line& line, int signal, const siginfo_t& info) {
  const auto address = reinterpret_cast<std::uintptr_t>(info.si_addr);
  switch (signal) {
    case SIGSEGV:
      if (info.si_code <= 0 || info.si_code == SI_KERNEL) {  // without an address
        line.add("segmentation fault");
      } else if (Fiber::current()->overflowed_to(info.si_addr)) {
        line.add("stack overflow");
      } else {
        line.add("segmentation fault: address 0x").add(address, 16);
        if (address < kNullPage) line.add(" (a null pointer)");
      }
      break;
    case SIGBUS:
      line.add("bus error: address 0x").add(address, 16);
      break;
    case SIGFPE:
      line.add("integer division by zero, or with a result that does not fit");
      break;
    case SIGILL:
      line.add("illegal instruction");
      break;
    default:
      line.add("abort()");
  }
}

void on_crash(int signal, siginfo_t* info, void*) {
  if (!pthread_equal(pthread_self(), owner) || Fiber::current() == nullptr) {
    restore_handlers();
    // On return a faulty instruction faults again. What somebody has sent does not come again by itself.
    if (info->si_code <= 0) raise(signal);
    return;
  }
  Line line;
  line.add("simt: ");
  add_kind(line, signal, *info);
  line.add(" by thread ").add(scheduler.thread->index).add(" of block ").add(scheduler.block->index);
  if (seed) {
    line.add(" [SIMT_SEED=").add(*seed).add("]\n");
  } else {
    line.add(" [SIMT_SEED not set: threads in order]\n");
  }
  line.write();
  if (observer != nullptr) {
    restore_handlers();  // a second crash ends the program at once
    constexpr unsigned kSeconds = 30;
    alarm(kSeconds);  // and so does a lock that the crash has left locked
    observer->crashed();
  }
  _exit(kExitCode);
}

}  // namespace

CrashReports::CrashReports() {
  if (kAddressSanitizer) return;
  owner = pthread_self();
  seed = options().seed;
  stack_t stack{};
  stack.ss_sp = handler_stack;
  stack.ss_size = sizeof handler_stack;
  sigaltstack(&stack, &previous_stack);
  struct sigaction action {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &action, &previous_actions[i]);
}

CrashReports::~CrashReports() {
  if (kAddressSanitizer) return;
  restore_handlers();
  sigaltstack(&previous_stack, nullptr);
}

}  // namespace simt
