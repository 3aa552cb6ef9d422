/// \file
/// --trace, by means of the executor's tracer; in other builds nothing.
#include "common/harness/tracing.hpp"

#ifdef ROPEWALK_TRACE
#include "common/simt/trace/trace.hpp"

namespace ropewalk {

void start_tracing() {
  simt::trace::start({"common/gpu/", "common/harness/"});
}

void trace_next(const RunRequest& request, const Case& c, const Variant& variant) {
  std::string label;
  if (!request.vectors.empty() || c.name == kRandomCase) {
    label = variant.name;
    if (request.styles.size() > 1) label += " " + std::string(to_string(c.style));
  }
  simt::trace::set_label(label);
}

TraceOutcome finish_tracing(const Chapter& chapter) {
  const std::string nothing =
      chapter.runs == Runs::on_host ? "this chapter has no kernels" : chapter.not_traced;
  if (!nothing.empty()) return {"nothing to trace: " + nothing + "\n", "", "", ""};
  const simt::trace::Report report = simt::trace::take();
  return {simt::trace::tables_text(report), simt::trace::faults_text(report), simt::trace::last_line(report),
          simt::trace::csv_text(report, chapter.name)};
}

}  // namespace ropewalk
#else
namespace ropewalk {

void start_tracing() {}
void trace_next(const RunRequest&, const Case&, const Variant&) {}
TraceOutcome finish_tracing(const Chapter&) {
  return {};
}

}  // namespace ropewalk
#endif
