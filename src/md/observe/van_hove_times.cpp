#include "md/observe/van_hove_times.hpp"

#include <fmt/format.h>

namespace sterna::md {

void check_van_hove_times(const VanHoveTimes& options, std::int64_t interval, const Input& input,
                          const IsGood& is_good, std::string_view section, const Report& report) {
  const auto key = [&](std::string_view name) { return fmt::format("{}.{}", section, name); };
  if (!is_good(key("interval")) || interval == 0) return;
  if (input.minimizes()) {
    report(Severity::error, key("interval"),
           fmt::format("a minimization has no time; [{}] needs integrator = \"velocity_verlet\" in "
                       "[run]",
                       section));
    return;
  }
  if (!is_good(key("length")) || !is_good("run.timestep") || options.times < 1) return;
  const double between = static_cast<double>(interval) * input.run.timestep;
  const double samples = options.length / between / options.times;
  constexpr double most = 10000.0;
  if (samples < 1.0 - 1e-6 || std::abs(samples - std::round(samples)) > 1e-3) {
    report(Severity::error, key("length"),
           fmt::format("the {} times up to the length are no multiples of {}, the time between two "
                       "samples",
                       options.times, input.units.text(between, Dimension::time)));
  } else if (samples * options.times > most) {
    report(Severity::error, key("length"),
           fmt::format("the length takes more than {:.0f} samples; expected a longer \"interval\"",
                       most));
  }
}

}  // namespace sterna::md
