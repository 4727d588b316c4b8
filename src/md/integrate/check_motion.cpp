#include "md/integrate/check_motion.hpp"

#include <fmt/format.h>

#include <string>

#include "md/input/check_selection.hpp"

namespace sterna::md {
namespace {

class MotionChecker {
 public:
  MotionChecker(const Input& input, const IsGood& is_good, const Report& report)
      : input_(input), good_(is_good), report_(report) {}

  void drift_controls() {
    for (std::size_t n = 0; n < input_.drift_controls.size(); ++n) {
      const Input::DriftControl& control = input_.drift_controls[n];
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
    for (std::size_t n = 0; n < input_.limits.size(); ++n) {
      const Input::Limit& limit = input_.limits[n];
      const std::string place = fmt::format("limit[{}]", n);
      selection(place, limit);
      this->limit(place, limit);
    }
  }

  void alignment() {
    if (!good_("alignment.interval") || input_.alignment.interval == 0) return;
    if (good_("barostat.kind") && input_.barostat.is_used()) {
      error("alignment.interval", "[alignment] does not go with a [barostat]");
    }
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

  void limit(const std::string& place, const Input::Limit& limit) {
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

  const Input& input_;
  const IsGood& good_;
  const Report& report_;
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

}  // namespace sterna::md
