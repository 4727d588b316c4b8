#include "md/integrate/check_motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "md/core/display_text.hpp"
#include "md/forces/external/input/restraint_section.hpp"
#include "md/forces/external/input/wall_section.hpp"
#include "md/input/check_selection.hpp"
#include "md/input/particle_names.hpp"
#include "md/input/thermostat_row.hpp"
#include "md/integrate/alignment_section.hpp"
#include "md/integrate/drift_control_section.hpp"
#include "md/integrate/limit_section.hpp"

namespace sterna::md {
namespace {

class MotionChecker {
 public:
  MotionChecker(const Input& input, const IsGood& is_good, const Report& report)
      : input_(input), good_(is_good), report_(report) {}

  void drift_controls() {
    for (std::size_t n = 0; n < input_.tables<DriftControlSection>().size(); ++n) {
      const DriftControlSection& control = input_.tables<DriftControlSection>()[n];
      const std::string place = fmt::format("drift_control[{}]", n);
      selection(place, control);
      if (control.sample_interval > control.interval && readable(place + ".interval") &&
          readable(place + ".sample_interval")) {
        error(place + ".sample_interval",
              fmt::format("\"sample_interval\" in [[drift_control]] is {}; expected at most the "
                          "\"interval\", which is {}: a correction goes by what was measured "
                          "before",
                          control.sample_interval, control.interval));
      }
    }
  }

  void limits() {
    for (std::size_t n = 0; n < input_.tables<LimitSection>().size(); ++n) {
      const LimitSection& limit = input_.tables<LimitSection>()[n];
      const std::string place = fmt::format("limit[{}]", n);
      selection(place, limit);
      this->limit(place, limit);
    }
  }

  void alignment() {
    if (!good_("alignment.interval") || input_.section<AlignmentSection>().interval == 0) return;
    if (good_("barostat.kind") && input_.barostat.is_used()) {
      error("alignment.interval", "[alignment] does not go with a [barostat]");
    }
    fixed_positions();
  }

  void freezes() {
    for (std::size_t n = 0; n < input_.freezes.size(); ++n) freeze(n);
  }

 private:
  void error(const std::string& place, std::string message) {
    report_(Severity::error, place, std::move(message));
  }
  /// Whether the file lacks the key, or has a value for it that could be read.
  bool readable(const std::string& place) const {
    return !input_.places.contains(place) || good_(place);
  }

  template <class Section>
  void selection(const std::string& place, const Section& section) {
    check_selection(input_, good_, report_, place, section.component, section.lower, section.upper);
    if (section.stop_step > 0 && section.stop_step < section.start_step &&
        readable(place + ".start_step")) {
      error(place + ".stop_step",
            fmt::format("\"stop_step\" is {}; expected at least the \"start_step\", which is {}",
                        section.stop_step, section.start_step));
    }
  }

  void limit(const std::string& place, const LimitSection& limit) {
    const auto gives = [&](const char* key) { return input_.places.contains(place + key); };
    const bool of_forces = gives(".force") || gives(".torque");
    if (!of_forces && !gives(".velocity") && !gives(".angular_momentum")) {
      error(place,
            "[[limit]] limits nothing; it needs \"force\", \"velocity\", \"torque\" or "
            "\"angular_momentum\"");
    }
    if (limit.overlaps_only && good_(place + ".overlaps_only") && !of_forces) {
      error(place + ".overlaps_only",
            "\"overlaps_only\" goes by forces beyond their limit; it needs \"force\" or "
            "\"torque\" in [[limit]]");
    }
    if (limit.outside && good_(place + ".outside") && !gives(".lower") && !gives(".upper")) {
      error(place + ".outside", "\"outside\" needs a region: \"lower\" or \"upper\" in [[limit]]");
    }
    if (!input_.components.empty()) return;
    for (const char* key : {".torque", ".angular_momentum"}) {
      if (!good_(place + key)) continue;
      report_(Severity::warning, place + key, "atoms do not turn: this has no effect");
    }
  }

  void freeze(std::size_t n) {
    const Input::Freeze& freeze = input_.freezes[n];
    const std::string place = fmt::format("freeze[{}]", n);
    if (!good_(place + ".component")) return;
    check_selection(input_, good_, report_, place, freeze.component, std::nullopt, std::nullopt);
    if (input_.barostat.is_used() && good_("barostat.kind")) {
      error(place, "[[freeze]] has fixed places, but a [barostat] changes the box");
    }
    if (!frozen_.insert(freeze.component).second) {
      error(place + ".component",
            fmt::format("there is already a [[freeze]] of {}", quote(freeze.component)));
    }
    const auto type = std::ranges::find(input_.types, freeze.component, &Input::Type::name);
    if (type != input_.types.end() && type->mass == 0.0) {
      error(place + ".component",
            fmt::format("{} has no mass: a virtual site goes where its atoms take it",
                        quote(freeze.component)));
    }
    const std::vector<std::string_view> names = particle_names(input_);
    if (n + 1 == input_.freezes.size() && !names.empty() &&
        std::ranges::all_of(names, [&](std::string_view name) { return frozen_.contains(name); })) {
      error(place, "all molecules are frozen: nothing would happen");
    }
  }

  /// Reports features with fixed positions, because [alignment] would move all molecules against
  /// them.
  void fixed_positions() {
    const auto& aligned = input_.section<AlignmentSection>();
    const auto along = [&](Axis axis) {
      return std::ranges::find(aligned.axes, axis) != aligned.axes.end();
    };
    for (std::size_t n = 0; n < input_.tables<WallSection>().size(); ++n) {
      const WallSection& wall = input_.tables<WallSection>()[n];
      if (wall.shape == WallSection::Shape::plane && !along(wall.axis)) continue;
      error(fmt::format("wall[{}]", n), "[alignment] would move the molecules against this wall");
    }
    if (!input_.tables<RestraintSection>().empty()) {
      error("restraint[0]", "[alignment] would move the molecules against these springs");
    }
    if (!input_.freezes.empty()) {
      error("freeze[0]", "[alignment] would move these molecules, too");
    }
  }

  const Input& input_;
  const IsGood& good_;
  const Report& report_;
  std::set<std::string, std::less<>> frozen_;
};

}  // namespace

void check_drift_control(const Input& input, const IsGood& is_good, const Report& report) {
  MotionChecker(input, is_good, report).drift_controls();
}

void check_limit(const Input& input, const IsGood& is_good, const Report& report) {
  MotionChecker(input, is_good, report).limits();
}

void check_alignment(const Input& input, const IsGood& is_good, const Report& report) {
  MotionChecker(input, is_good, report).alignment();
}

void check_freeze(const Input& input, const IsGood& is_good, const Report& report) {
  MotionChecker(input, is_good, report).freezes();
}

void check_motion_in_box(const Input& input, const Box& box, const Report& report) {
  if (box.tilt.none()) return;
  for (std::size_t n = 0; n < input.thermostats.size(); ++n) {
    const Input::Thermostat& thermostat = input.thermostats[n];
    const ThermostatRow* kind = row_of(thermostat);
    std::string_view key = kind != nullptr ? kind->orthorhombic_key(thermostat) : "";
    if (thermostat.upper) key = "upper";
    if (thermostat.lower) key = "lower";
    if (key.empty()) continue;
    std::string place = fmt::format("thermostat.{}", key);
    if (!input.places.contains(place)) place = fmt::format("thermostat[{}].{}", n, key);
    report(Severity::error, place,
           "a thermostat of a region or of slabs needs an orthorhombic box; that of this run is "
           "triclinic");
  }
  check_region_in_box<DriftControlSection>(input, "drift_control", box, report);
  check_region_in_box<LimitSection>(input, "limit", box, report);
  if (input.section<AlignmentSection>().interval > 0) {
    report(Severity::error, "alignment",
           "[alignment] needs an orthorhombic box; that of this run is triclinic");
  }
}

}  // namespace sterna::md
