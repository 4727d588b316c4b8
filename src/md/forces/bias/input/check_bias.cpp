#include <fmt/format.h>

#include <algorithm>
#include <numbers>
#include <string>
#include <vector>

#include "md/core/display_text.hpp"
#include "md/forces/bias/bias.hpp"
#include "md/forces/bias/input/bias_sections.hpp"
#include "md/input/atom_groups.hpp"
#include "md/input/thermostat_parts.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md {
namespace {

class BiasChecker {
 public:
  BiasChecker(const Input& input, const IsGood& is_good, const Report& report)
      : input_(input), good_(is_good), report_(report) {}

  void check() {
    for (std::size_t n = 0; n < variables().size(); ++n) variable(n);
    for (std::size_t n = 0; n < biases().size(); ++n) bias(n);
  }

 private:
  const std::vector<VariableSection>& variables() const { return input_.tables<VariableSection>(); }
  const std::vector<BiasSection>& biases() const { return input_.tables<BiasSection>(); }
  bool gives(const std::string& place) const { return input_.places.contains(place); }
  void error(const std::string& place, std::string message) {
    report_(Severity::error, place, std::move(message));
  }

  template <class Sections>
  void name(const std::string& place, const Sections& sections, std::size_t n,
            std::string_view what) {
    if (!good_(place + ".name")) return;
    const std::string& own = sections[n].name;
    const bool is_plain = std::ranges::all_of(own, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '_' || c == '-';
    });
    if (!is_plain || own == "time") {
      error(place + ".name",
            fmt::format("the name of a {} heads a column of a file: expected letters, digits, _ "
                        "and -, and not \"time\"",
                        what));
      return;
    }
    for (std::size_t k = 0; k < n; ++k) {
      if (sections[k].name != own) continue;
      error(place + ".name",
            fmt::format("there is already a {} with the name {}", what, quote(own)));
      return;
    }
  }

  void variable(std::size_t n) {
    const VariableSection& section = variables()[n];
    const std::string place = fmt::format("variable[{}]", n);
    name(place, variables(), n, "[[variable]]");
    check_group_names(input_, good_, report_, place + ".groups", section.groups, true);
    const VariableRow* const row =
        good_(place + ".kind") ? variable_table().find(section.kind) : nullptr;
    if (row == nullptr) return;
    const std::size_t count = section.groups.size();
    if (good_(place + ".groups") && (count < row->least_groups || count > row->most_groups)) {
      const std::string expected =
          row->least_groups == row->most_groups
              ? fmt::format("{}", row->least_groups)
              : fmt::format("{} or {}", row->least_groups, row->most_groups);
      error(place + ".groups",
            fmt::format("a variable of the kind {} is of {} group{}; here there {} {}",
                        quote(section.kind), expected, row->most_groups == 1 ? "" : "s",
                        count == 1 ? "is" : "are", count));
    }
    if (section.kind == "position" && count == 1 && input_.barostat.is_used() &&
        good_("barostat.kind")) {
      error(
          place + ".groups",
          "a position of one group counts from the box's corner, but a [barostat] changes the box; "
          "expected a second group, from whose center it counts");
    }
    if (section.kind != "coordination") return;
    if (section.power >= section.lower_power && good_value(place + ".power") &&
        good_value(place + ".lower_power")) {
      error(gives(place + ".power") ? place + ".power" : place + ".lower_power",
            fmt::format("\"power\" is {} and \"lower_power\" is {}; expected a smaller power above "
                        "than below, or distant pairs count the most",
                        section.power, section.lower_power));
    }
    if (gives(place + ".cutoff") && good_(place + ".cutoff") && good_(place + ".radius") &&
        section.cutoff <= section.radius) {
      error(place + ".cutoff", "\"cutoff\" in [[variable]] is not above \"radius\"");
    }
  }
  bool good_value(const std::string& place) const { return has_value(input_, good_, place); }

  void bias(std::size_t n) {
    const BiasSection& section = biases()[n];
    const std::string place = fmt::format("bias[{}]", n);
    name(place, biases(), n, "[[bias]]");
    const BiasRow* const row = good_(place + ".kind") ? bias_table().find(section.kind) : nullptr;
    if (row == nullptr) return;
    variables_of(section, *row, place);
    if (section.kind == "moving") moving(section, place);
    if (section.kind == "metadynamics") metadynamics(section, n, place);
    if (input_.minimizes() && (section.kind == "moving" || section.kind == "metadynamics")) {
      error(place + ".kind",
            fmt::format("a bias of the kind {} changes in time, and a minimization has none",
                        quote(section.kind)));
    }
    if (section.kind == "constant_force" && section.force == 0.0 && good_(place + ".force")) {
      report_(Severity::warning, place + ".force", "a force of 0 has no effect");
    }
  }

  void variables_of(const BiasSection& section, const BiasRow& row, const std::string& place) {
    const bool one = gives(place + ".variable"), several = gives(place + ".variables");
    if (row.most_variables == 1 && several) return;  // The condition of the key says so.
    if (one == several) {
      error(place, fmt::format("[[bias]] needs {}; here {}",
                               row.most_variables == 1 ? "\"variable\""
                                                       : "one of \"variable\" and \"variables\"",
                               one ? "are both" : "is none"));
      return;
    }
    const std::string key = place + (one ? ".variable" : ".variables");
    if (!good_(key)) return;
    const std::vector<std::string> names = section.all_variables();
    if (names.size() > row.most_variables) {
      error(key, fmt::format("a bias of the kind {} acts on at most {} variables; here are {}",
                             quote(section.kind), row.most_variables, names.size()));
    }
    std::vector<std::string_view> known;
    for (const VariableSection& of : variables()) known.push_back(of.name);
    for (auto name = names.begin(); name != names.end(); ++name) {
      if (std::ranges::find(known, *name) == known.end()) {
        std::string message = fmt::format("no [[variable]] has the name {}", quote(*name));
        if (const auto near = comm::nearest_name(*name, known)) {
          message += fmt::format("; did you mean {}?", quote(*near));
        }
        error(key, message);
      } else if (std::find(names.begin(), name, *name) != name) {
        error(key, fmt::format("the variable {} is named twice", quote(*name)));
      }
    }
  }

  void moving(const BiasSection& section, const std::string& place) {
    if (!good_(place + ".stop_step") || !good_value(place + ".start_step")) return;
    if (section.stop_step > section.start_step) return;
    error(
        place + ".stop_step",
        fmt::format("\"stop_step\" in [[bias]] is {}; expected more than \"start_step\", which is "
                    "{}",
                    section.stop_step, section.start_step));
  }

  void metadynamics(const BiasSection& section, std::size_t n, const std::string& place) {
    for (std::size_t k = 0; k < n; ++k) {
      if (biases()[k].kind != "metadynamics") continue;
      error(
          place + ".kind",
          "there is already a [[bias]] of the kind \"metadynamics\", and a run writes one file of "
          "hills; expected one bias with several \"variables\"");
      break;
    }
    const std::size_t count = section.all_variables().size();
    if (count > 0 && good_(place + ".widths") && section.widths.size() != count) {
      error(place + ".widths",
            fmt::format("\"widths\" has {} number{}; expected one for each of {} "
                        "variable{}",
                        section.widths.size(), section.widths.size() == 1 ? "" : "s", count,
                        count == 1 ? "" : "s"));
    }
    if (!gives(place + ".bias_factor")) {
      if (gives(place + ".temperature")) {
        report_(Severity::warning, place + ".temperature",
                "without \"bias_factor\" all hills have one height: the temperature has no effect");
      }
      return;
    }
    if (section.temperature || gives(place + ".temperature") || temperature_of_run(input_)) return;
    error(
        place + ".bias_factor",
        "well-tempered hills need a temperature: expected \"temperature\" in [[bias]], as the run "
        "has no thermostat, or several");
  }

  const Input& input_;
  const IsGood& good_;
  const Report& report_;
};

}  // namespace

std::optional<double> temperature_of_run(const Input& input) {
  std::optional<double> found;
  for (const Input::Thermostat& thermostat : input.thermostats) {
    if (!thermostat.is_used() || keeps_rotation_alone(thermostat)) continue;
    if (found) return std::nullopt;
    found = thermostat.temperature;
  }
  return found;
}

double unit_of(const VariableRow& row, const UnitSystem& units) {
  switch (row.unit) {
    case VariableUnit::length:
      return units.to_internal(1.0, Dimension::length);
    case VariableUnit::angle:
      return std::numbers::pi / 180.0;
    case VariableUnit::number:
      break;
  }
  return 1.0;
}

void check_biases(Input& input, bool, const IsGood& is_good, const Report& report) {
  BiasChecker(input, is_good, report).check();
}

void check_biases_in_box(const Input& input, const Box& box, const Report& report) {
  for (std::size_t n = 0; n < input.tables<VariableSection>().size(); ++n) {
    const VariableSection& section = input.tables<VariableSection>()[n];
    if (section.kind != "position" || section.groups.size() != 1) continue;
    const bool repeats = section.axis == Axis::x   ? box.tilt.xy == 0.0 && box.tilt.xz == 0.0
                         : section.axis == Axis::y ? box.tilt.yz == 0.0
                                                   : true;
    if (repeats) continue;
    report(Severity::error, fmt::format("variable[{}].axis", n),
           fmt::format("a position along {} counts from the box's corner, and needs a box in which "
                       "no other edge leans along {}; expected a second group, or another axis",
                       name_of(section.axis), name_of(section.axis)));
  }
}

}  // namespace sterna::md
