#include "md/integrate/thermostats/check_thermostats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "md/core/display_text.hpp"
#include "md/input/atom_groups.hpp"
#include "md/input/barostat_row.hpp"
#include "md/input/particle_names.hpp"
#include "md/input/thermostat_parts.hpp"
#include "md/input/thermostat_row.hpp"

namespace sterna::md {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
const Vec3 unbounded_below{-infinite, -infinite, -infinite},
    unbounded_above{infinite, infinite, infinite};

std::int64_t last_step(const Input::Thermostat& thermostat) {
  return thermostat.stop_step > 0 ? thermostat.stop_step : std::numeric_limits<std::int64_t>::max();
}

bool share_steps(const Input::Thermostat& a, const Input::Thermostat& b) {
  return std::max(a.start_step, b.start_step) <= std::min(last_step(a), last_step(b));
}

bool share_regions(const Input::Thermostat& a, const Input::Thermostat& b) {
  for (int axis = 0; axis < 3; ++axis) {
    const double lower =
        std::max(a.lower.value_or(unbounded_below)[axis], b.lower.value_or(unbounded_below)[axis]);
    const double upper =
        std::min(a.upper.value_or(unbounded_above)[axis], b.upper.value_or(unbounded_above)[axis]);
    if (!(lower < upper)) return false;
  }
  return true;
}

class ThermostatChecker {
 public:
  ThermostatChecker(const Input& input, const IsGood& is_good, const Report& report)
      : input_(input), good_(is_good), report_(report) {}

  void check() {
    for (std::size_t n = 0; n < input_.thermostats.size(); ++n) {
      const bool whole = selection(n);
      if (whole && input_.thermostats[n].is_used()) overlap(n);
    }
    barostat();
  }

 private:
  void error(std::string_view place, std::string message) {
    report_(Severity::error, place, std::move(message));
  }
  std::string place(std::size_t n, std::string_view key) const {
    return fmt::format("thermostat[{}].{}", n, key);
  }
  /// Whether the file lacks the key, or has a value for it that could be read.
  bool readable(const std::string& place) const {
    return !input_.places.contains(place) || good_(place);
  }

  /// Whether the selection of this thermostat's molecules is known.
  bool selection(std::size_t n) {
    const Input::Thermostat& thermostat = input_.thermostats[n];
    bool known = true;
    for (const std::string_view key :
         {"component", "groups", "motion", "lower", "upper", "start_step", "stop_step", "kind"}) {
      known = known && readable(place(n, key));
    }
    if (!known) return false;
    const std::vector<std::string_view> names = particle_names(input_);
    if (!thermostat.component.empty() && !names.empty() &&
        std::ranges::find(names, "") == names.end() &&
        std::ranges::find(names, thermostat.component) == names.end()) {
      error(place(n, "component"), unknown_particle(input_, thermostat.component));
      known = false;
    }
    check_group_names(input_, good_, report_, place(n, "groups"),
                      thermostat.options<ThermostatParts>().groups, false);
    if (thermostat.lower && thermostat.upper) known = region(n) && known;
    motion(n);
    const ThermostatRow* kind = row_of(thermostat);
    if (kind != nullptr && !kind->not_in_a_region.empty() &&
        (thermostat.lower || thermostat.upper)) {
      const auto others = thermostat_rows().names_that(
          [](const ThermostatRow& other) { return other.not_in_a_region.empty(); });
      error(place(n, "kind"),
            fmt::format("{}; expected {}", kind->not_in_a_region, choice_list(others)));
    }
    if (thermostat.stop_step > 0 && thermostat.stop_step < thermostat.start_step) {
      error(
          place(n, "stop_step"),
          fmt::format("\"stop_step\" in [thermostat] is {}; expected at least the \"start_step\", "
                      "which is {}",
                      thermostat.stop_step, thermostat.start_step));
    }
    return known;
  }

  /// Rotation alone needs something that turns.
  void motion(std::size_t n) {
    const auto& parts = input_.thermostats[n].options<ThermostatParts>();
    if (parts.motion != ThermalMotion::rotation || !input_.components.empty()) return;
    if (!good_(place(n, "motion"))) return;
    error(place(n, "motion"),
          "\"motion\" in [thermostat] is \"rotation\", but only a [[component]] turns; expected "
          "\"all\" or \"translation\"");
  }

  bool region(std::size_t n) {
    const Input::Thermostat& thermostat = input_.thermostats[n];
    for (int axis = 0; axis < 3; ++axis) {
      const double lower = (*thermostat.lower)[axis], upper = (*thermostat.upper)[axis];
      if (lower < upper) continue;
      error(place(n, "upper"),
            fmt::format("the region of this thermostat is empty: its upper corner has {} = {}, its "
                        "lower corner {}",
                        "xyz"[axis], input_.units.text(upper, Dimension::length),
                        input_.units.text(lower, Dimension::length)));
      return false;
    }
    return true;
  }

  void overlap(std::size_t n) {
    const Input::Thermostat& mine = input_.thermostats[n];
    for (std::size_t k = 0; k < n; ++k) {
      const Input::Thermostat& other = input_.thermostats[k];
      if (!other.is_used() || !share_steps(mine, other) || !share_regions(mine, other) ||
          !may_share_motion(input_, mine, other)) {
        continue;
      }
      error(
          fmt::format("thermostat[{}]", n),
          fmt::format("this thermostat and number {} act on the same molecules; expected different "
                      "values of \"component\" or \"motion\", \"groups\" without common atoms, "
                      "regions apart from each other (\"lower\", \"upper\"), or one after the "
                      "other (\"start_step\", \"stop_step\")",
                      k + 1));
      return;
    }
  }

  /// Checks thermostats with a barostat: a changing box must have one temperature and no fixed
  /// regions.
  void barostat() {
    if (!input_.barostat.is_used() || !input_.places.contains("barostat.kind") ||
        !good_("barostat.kind")) {
      return;
    }
    for (std::size_t n = 0; n < input_.thermostats.size(); ++n) {
      const Input::Thermostat& thermostat = input_.thermostats[n];
      for (const std::string_view key : {"lower", "upper"}) {
        if (!good_(place(n, key))) continue;
        error(place(n, key),
              "the region of a thermostat has fixed corners, but a [barostat] changes the box");
      }
      ramp_in_changing_box(n);
      if (n > 0 && good_(place(n, "temperature")) && good_(place(0, "temperature")) &&
          thermostat.temperature != input_.thermostats[0].temperature) {
        error(place(n, "temperature"),
              "a [barostat] goes with one temperature; expected that of the first thermostat");
      }
    }
  }

  /// The box follows the temperature of the first thermostat.
  void ramp_in_changing_box(std::size_t n) {
    const Input::Thermostat &mine = input_.thermostats[n], &first = input_.thermostats[0];
    const BarostatRow& kind = *row_of(input_.barostat);
    if (mine.end_temperature && good_(place(n, "end_temperature")) && !kind.takes_ramps) {
      const auto others =
          barostat_rows().names_that([](const BarostatRow& other) { return other.takes_ramps; });
      error(
          place(n, "end_temperature"),
          fmt::format("the [barostat] with kind = {} goes with a temperature that stays; expected "
                      "kind = {}, or a [[stage]] of its own in a box of fixed size",
                      quote(input_.barostat.kind), choice_list(others)));
    } else if (mine.end_temperature != first.end_temperature ||
               (mine.end_temperature &&
                (mine.start_step != first.start_step || mine.stop_step != first.stop_step))) {
      error(fmt::format("thermostat[{}]", n),
            "a [barostat] goes with one temperature; expected the same \"end_temperature\", "
            "\"start_step\" and \"stop_step\" as of the first thermostat");
    }
  }

  const Input& input_;
  const IsGood& good_;
  const Report& report_;
};

}  // namespace

void check_thermostats(const Input& input, const IsGood& is_good, const Report& report) {
  ThermostatChecker(input, is_good, report).check();
}

}  // namespace sterna::md
