#include "md/input/ensemble_schema.hpp"

#include <utility>

namespace sterna::md {
namespace {

constexpr Range positive{.minimum = 0.0, .exclusive_minimum = true};

using Names = std::vector<std::string_view>;

Condition thermostat_is(std::vector<std::string_view> kinds) {
  return {"thermostat", "kind", std::move(kinds), Severity::warning};
}

Condition barostat_is_on() {
  return {"barostat", "kind", {"stochastic_cell_rescaling"}, Severity::warning};
}

}  // namespace

std::vector<KeySchema> ensemble_keys() {
  return {
      // ---- [thermostat]
      {.section = "thermostat",
       .name = "kind",
       .target = [](Input& i, std::size_t n) -> Target { return &i.thermostats[n].kind; },
       .description =
           "Stochastic velocity rescaling samples the canonical ensemble (Bussi, Donadio "
           "and Parrinello, J. Chem. Phys. 126, 014101 (2007)), and so does a Nose-Hoover chain, "
           "without random numbers (Martyna, Tuckerman, Tobias and Klein, Mol. Phys. 87, 1117 "
           "(1996)). Langevin dynamics have friction and noise on each molecule; in Andersen's "
           "(J. Chem. Phys. 72, 2384 (1980)) molecules collide with a heat bath. Velocity scaling "
           "multiplies all velocities by a power of the ratio of the temperatures in every step, "
           "as ls1-MarDyn does; its fluctuations are those of no ensemble.",
       .need = Need::required,
       .choices =
           [] {
             return Names{"none",
                          "stochastic_velocity_rescaling",
                          "nose_hoover_chain",
                          "langevin",
                          "andersen",
                          "velocity_scaling"};
           },
       .aliases = {"type", "method"}},
      {.section = "thermostat",
       .name = "temperature",
       .target = [](Input& i, std::size_t n) -> Target { return &i.thermostats[n].temperature; },
       .description = "The temperature to keep.",
       .need = Need::required,
       .dimension = Dimension::temperature,
       .range = positive,
       .condition = thermostat_is({"stochastic_velocity_rescaling", "nose_hoover_chain", "langevin",
                                   "andersen", "velocity_scaling"}),
       .aliases = {"temp", "t", "target"}},
      {.section = "thermostat",
       .name = "time_constant",
       .target = [](Input& i, std::size_t n) -> Target { return &i.thermostats[n].time_constant; },
       .description =
           "How fast the temperature relaxes; some hundred time steps disturb the "
           "dynamics little. Of a Nose-Hoover chain it is the period of its "
           "oscillation, of Langevin dynamics the inverse of the friction, of Andersen's "
           "the mean time from one collision of a molecule to the next.",
       .need = Need::required,
       .dimension = Dimension::time,
       .range = positive,
       .condition = thermostat_is(
           {"stochastic_velocity_rescaling", "nose_hoover_chain", "langevin", "andersen"}),
       .aliases = {"tau", "tau_t", "damping", "relaxation_time"}},
      {.section = "thermostat",
       .name = "exponent",
       .target = [](Input& i, std::size_t n) -> Target { return &i.thermostats[n].exponent; },
       .description = "Velocities are multiplied by (temperature to keep / temperature)^exponent. "
                      "0.5 brings the temperature to its target in every step; ls1-MarDyn uses "
                      "0.4.",
       .range = {.minimum = 0.0, .maximum = 0.5, .exclusive_minimum = true},
       .condition = thermostat_is({"velocity_scaling"})},
      {.section = "thermostat",
       .name = "start_step",
       .target = [](Input& i, std::size_t n) -> Target { return &i.thermostats[n].start_step; },
       .description = "The thermostat acts from this step on.",
       .range = {.minimum = 0.0, .maximum = most_steps}},
      {.section = "thermostat",
       .name = "stop_step",
       .target = [](Input& i, std::size_t n) -> Target { return &i.thermostats[n].stop_step; },
       .description = "The last step in which the thermostat acts. 0: that of the run.",
       .default_text = "0: to the end",
       .range = {.minimum = 0.0, .maximum = most_steps}},

      {.section = "thermostat",
       .name = "component",
       .target = [](Input& i, std::size_t n) -> Target { return &i.thermostats[n].component; },
       .description =
           "Name of the `[[component]]` or `[[type]]` whose molecules it acts on. Of some of the "
           "molecules only the motion relative to their common center of mass is scaled, so that "
           "the total momentum is kept (but by Langevin dynamics, Andersen's thermostat and "
           "velocity scaling).",
       .default_text = "all",
       .aliases = {"componentName", "group"}},
      {.section = "thermostat",
       .name = "lower",
       .target = [](Input& i, std::size_t n) -> Target { return &i.thermostats[n].lower; },
       .description = "Lower corner of the region where it acts, counted from the box's corner; "
                      "molecules belong to it by their centers of mass.",
       .default_text = "no bound",
       .dimension = Dimension::length,
       .aliases = {"region_lower", "from"}},
      {.section = "thermostat",
       .name = "upper",
       .target = [](Input& i, std::size_t n) -> Target { return &i.thermostats[n].upper; },
       .description = "Upper corner of that region.",
       .default_text = "no bound",
       .dimension = Dimension::length,
       .aliases = {"region_upper", "to"}},
      {.section = "thermostat",
       .name = "scaling",
       .target = [](Input& i, std::size_t n) -> Target { return &i.thermostats[n].scaling; },
       .description = "\"power\": velocities are multiplied by b = (temperature to keep / "
                      "temperature)^exponent. \"linearized\": by 2 - 1/b, as ls1-MarDyn's "
                      "TemperatureControl does.",
       .choices =
           [] {
             return Names{"power", "linearized"};
           },
       .condition = thermostat_is({"velocity_scaling"})},
      {.section = "thermostat",
       .name = "directions",
       .target = [](Input& i, std::size_t n) -> Target { return &i.thermostats[n].directions; },
       .description = "Components of the velocities that are measured and scaled.",
       .choices =
           [] {
             return Names{"x", "y", "z"};
           },
       .condition = thermostat_is({"velocity_scaling"})},
      {.section = "thermostat",
       .name = "slabs",
       .target = [](Input& i, std::size_t n) -> Target { return &i.thermostats[n].slabs; },
       .description = "Divides the region into slabs across y, each of which is kept at the "
                      "temperature for itself.",
       .range = {.minimum = 1.0, .maximum = 1e4},
       .condition = thermostat_is({"velocity_scaling"}),
       .aliases = {"numslabs"}},
      {.section = "thermostat",
       .name = "interval",
       .target = [](Input& i, std::size_t n) -> Target { return &i.thermostats[n].interval; },
       .description = "Steps from one scaling to the next.",
       .range = {.minimum = 1.0, .maximum = 1e6},
       .condition = thermostat_is({"velocity_scaling"}),
       .aliases = {"frequency", "every"}},

      // ---- [barostat]
      {.section = "barostat",
       .name = "kind",
       .target = [](Input& i, std::size_t) -> Target { return &i.barostat.kind; },
       .description =
           "Stochastic cell rescaling samples the isothermal-isobaric ensemble (Bernetti "
           "and Bussi, J. Chem. Phys. 153, 114107 (2020)); all edges by one factor.",
       .need = Need::required,
       .choices =
           [] {
             return Names{"none", "stochastic_cell_rescaling"};
           },
       .aliases = {"type", "method"}},
      {.section = "barostat",
       .name = "pressure",
       .target = [](Input& i, std::size_t) -> Target { return &i.barostat.pressure; },
       .description = "The pressure to keep.",
       .need = Need::required,
       .dimension = Dimension::pressure,
       .condition = barostat_is_on(),
       .aliases = {"p", "target"}},
      {.section = "barostat",
       .name = "bulk_modulus",
       .target = [](Input& i, std::size_t) -> Target { return &i.barostat.bulk_modulus; },
       .description = "A guess of the bulk modulus, the inverse of the isothermal compressibility: "
                      "it sets how fast the volume changes, not where it goes. Water: 22000 bar.",
       .need = Need::required,
       .dimension = Dimension::pressure,
       .range = positive,
       .condition = barostat_is_on()},
      {.section = "barostat",
       .name = "time_constant",
       .target = [](Input& i, std::size_t) -> Target { return &i.barostat.time_constant; },
       .description = "How fast the pressure relaxes; longer than the thermostat's.",
       .need = Need::required,
       .dimension = Dimension::time,
       .range = positive,
       .condition = barostat_is_on(),
       .aliases = {"tau", "tau_p", "relaxation_time"}},
      {.section = "barostat",
       .name = "interval",
       .target = [](Input& i, std::size_t) -> Target { return &i.barostat.interval; },
       .description = "Steps between two changes of the box, each of which makes the lists anew.",
       .range = {.minimum = 1.0, .maximum = 1e6},
       .condition = barostat_is_on(),
       .aliases = {"every"}},
  };
}

}  // namespace sterna::md
