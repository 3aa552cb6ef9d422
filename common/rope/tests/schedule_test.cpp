/// \file
/// Frequencies by literal values, and schedules that do not exist.
#include "common/rope/schedules/schedule.hpp"

#include <algorithm>
#include <cmath>

#include "common/rope/types.hpp"
#include "common/testing/catch.hpp"
#include "support.hpp"

using namespace ropewalk;
using ropewalk::testing::message_of;

namespace {

ScheduleSpec spec(double base, std::int64_t head_dim, std::int64_t rotary_dim) {
  return {.rope_type = "default", .base = base, .head_dim = head_dim, .rotary_dim = rotary_dim};
}

double frequency(double base, std::int64_t head_dim, std::int64_t rotary_dim, std::size_t pair) {
  return make_schedule(spec(base, head_dim, rotary_dim)).inv_freq.at(pair);
}

}  // namespace

TEST_CASE("the ratio of neighbouring frequencies of real models") {
  CHECK(frequency(1e4, 128, 128, 1) == Approx(0.865964).epsilon(1e-6));
  CHECK(frequency(5e5, 128, 128, 1) == Approx(0.814617).epsilon(1e-6));
  CHECK(frequency(1e6, 128, 128, 1) == Approx(0.805842).epsilon(1e-6));
}

TEST_CASE("pair 0 turns by one radian, and there are rotary_dim/2 pairs") {
  const Schedule schedule = make_schedule(spec(1e4, 128, 128));
  CHECK(schedule.inv_freq.size() == 64);
  CHECK(schedule.inv_freq[0] == 1.0);
  CHECK(schedule.inv_freq[32] == Approx(0.01).epsilon(1e-15));
  CHECK(schedule.attention_factor == 1.0);
}

TEST_CASE("the exponent is counted over the channels that turn, not over head_dim") {
  // GPT-NeoX-20B: 24 of 96 channels. Over head_dim it would be 0.825404185.
  CHECK(frequency(1e4, 96, 24, 1) == Approx(0.464158883).epsilon(1e-9));
}

TEST_CASE("the base is the checkpoint's") {
  CHECK(100 * frequency(1e4, 128, 128, 32) == Approx(1.0).epsilon(1e-14));
  CHECK(100 * frequency(1e6, 128, 128, 32) == Approx(0.1).epsilon(1e-14));
}

TEST_CASE("frequencies are correctly rounded") {
  for (const double base : {1e4, 5e5, 1e6, 8e6, 1e30}) {
    for (const std::int64_t d :
         {20, 24, 96, 128}) {  // in double, the exponents of 20, 24 and 96 are rounded first
      const Schedule schedule = make_schedule(spec(base, d, d));
      long double worst = 0;
      for (std::size_t p = 0; p < schedule.inv_freq.size(); ++p) {
        const long double exponent = 2 * static_cast<long double>(p) / static_cast<long double>(d);
        const long double exact = std::exp(-exponent * std::log(static_cast<long double>(base)));
        worst = std::max(worst, std::abs(static_cast<long double>(schedule.inv_freq[p]) / exact - 1));
      }
      CHECK(worst <= 0x1.1p-53L);
    }
  }
}

TEST_CASE("a known schedule that is not implemented is refused by name") {
  for (const char* rope_type : {"linear", "dynamic", "yarn", "longrope", "llama3", "proportional",
                                "axial_qwen", "axial_pixtral", "axial_llama4"}) {
    ScheduleSpec other = spec(1e4, 128, 128);
    other.rope_type = rope_type;
    CHECK(message_of<NotSupported>([&] { make_schedule(other); }) ==
          "rope_type '" + std::string(rope_type) + "' is not implemented yet (implemented: default)");
  }
}

TEST_CASE("an unknown schedule is an error, not another schedule") {
  for (const char* rope_type : {"", "Default", "ntk", "su", "yarn "}) {
    ScheduleSpec other = spec(1e4, 128, 128);
    other.rope_type = rope_type;
    const std::string message = message_of<InputError>([&] { make_schedule(other); });
    CHECK(message == "unknown rope_type '" + std::string(rope_type) + "'; allowed: " + known_rope_types() +
                         " (implemented: default)");
    CHECK(message_of<NotSupported>([&] { make_schedule(other); }).starts_with("another exception"));
  }
}

TEST_CASE("impossible sizes and bases are refused") {
  const struct {
    double base;
    std::int64_t head_dim, rotary_dim;
    const char* message;
  } cases[] = {
      {1e4, 10, 3,
       "rotary_dim: 3 is odd, and channels turn in pairs; allowed: an even number from 2 to head_dim"},
      {1e4, 64, 33,
       "rotary_dim: 33 is odd, and channels turn in pairs; allowed: an even number from 2 to head_dim"},
      {1e4, 64, 0, "rotary_dim: 0 is too small; allowed: 2 and up"},
      {1e4, 64, 66, "rotary_dim: 66 is larger than head_dim 64; allowed: an even number from 2 to head_dim"},
      {0.5, 64, 64, "base: 0.5 is out of range; allowed: 1 to 1e30"},
      {-10000, 64, 64, "base: -10000 is out of range; allowed: 1 to 1e30"},
      {std::nan(""), 64, 64, "base: nan is out of range; allowed: 1 to 1e30"},
      {HUGE_VAL, 64, 64, "base: inf is out of range; allowed: 1 to 1e30"},
  };
  for (const auto& c : cases) {
    CHECK(message_of<InputError>([&] { make_schedule(spec(c.base, c.head_dim, c.rotary_dim)); }) ==
          c.message);
  }
}
