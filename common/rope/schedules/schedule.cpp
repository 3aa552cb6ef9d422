/// \file
/// The list of schedules by name.
#include "common/rope/schedules/schedule.hpp"

#include "common/rope/schedules/default.hpp"
#include "common/rope/types.hpp"

namespace ropewalk {
namespace {

struct KnownSchedule {
  const char* rope_type;
  Schedule (*compute)(const ScheduleSpec&);  // null: known, not implemented yet
};

// Every rope_type of common/vectors. A chapter that implements one fills in its line.
constexpr KnownSchedule kKnownSchedules[] = {
    {"default", default_schedule}, {"linear", nullptr},
    {"dynamic", nullptr},          {"yarn", nullptr},
    {"longrope", nullptr},         {"llama3", nullptr},
    {"proportional", nullptr},     {"axial_qwen", nullptr},
    {"axial_pixtral", nullptr},    {"axial_llama4", nullptr},
};

const KnownSchedule* find_schedule(const std::string& rope_type) {
  for (const KnownSchedule& known : kKnownSchedules) {
    if (rope_type == known.rope_type) return &known;
  }
  return nullptr;
}

std::string names(bool only_implemented) {
  std::string list;
  for (const KnownSchedule& known : kKnownSchedules) {
    if (only_implemented && known.compute == nullptr) continue;
    if (!list.empty()) list += ", ";
    list += known.rope_type;
  }
  return list;
}

}  // namespace

bool is_known_rope_type(const std::string& rope_type) {
  return find_schedule(rope_type) != nullptr;
}

std::string known_rope_types() {
  return names(false);
}

std::string implemented_rope_types() {
  return names(true);
}

void require_implemented(const std::string& rope_type, const std::string& where) {
  const KnownSchedule* known = find_schedule(rope_type);
  if (known == nullptr) {
    refuse(where + "unknown rope_type '" + rope_type + "'; allowed: " + known_rope_types() +
           " (implemented: " + implemented_rope_types() + ")");
  }
  if (known->compute == nullptr) {
    refuse_as_not_supported(where + "rope_type '" + rope_type +
                            "' is not implemented yet (implemented: " + implemented_rope_types() + ")");
  }
}

Schedule make_schedule(const ScheduleSpec& spec) {
  require_implemented(spec.rope_type, "");
  if (!(spec.base >= kSmallestBase && spec.base <= kLargestBase)) {  // NaN too
    refuse("base: " + shown(spec.base) + " is out of range; allowed: 1 to 1e30");
  }
  const Shape shape{.batch = 1,
                    .tokens = 1,
                    .q_heads = 1,
                    .kv_heads = 0,
                    .head_dim = spec.head_dim,
                    .rotary_dim = spec.rotary_dim};
  if (const std::string fault = fault_of(shape); !fault.empty()) refuse(fault);
  return find_schedule(spec.rope_type)->compute(spec);
}

}  // namespace ropewalk
