#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "md/core/choice.hpp"
#include "md/input/input.hpp"

namespace sterna::md {

/// The kinds of motion that a thermostat may act on.
enum class ThermalMotion : std::uint8_t { all, translation, rotation };

template <>
inline constexpr auto choice_table<ThermalMotion> = std::to_array<Choice<ThermalMotion>>(
    {{"all", ThermalMotion::all, "\"all\": every kind of motion."},
     {"translation", ThermalMotion::translation,
      "\"translation\": the velocities of atoms and of the centers of mass of rigid molecules."},
     {"rotation", ThermalMotion::rotation,
      "\"rotation\": the angular momenta of rigid molecules."}});

/// What a thermostat acts on, besides `component` and its region. Only some kinds have these keys
/// (`ThermostatRow::takes_parts`).
struct ThermostatParts {
  std::vector<std::string> groups;  ///< names of [[group]]s; empty: all
  ThermalMotion motion = ThermalMotion::all;
};

/// Whether a thermostat acts on some molecules only, or on a part of their motion.
bool acts_on_a_part(const Input::Thermostat& thermostat);

/// Whether it leaves translation alone.
bool keeps_rotation_alone(const Input::Thermostat& thermostat);

/// The first thermostat that keeps the temperature of a run, which is that of translation; null if
/// there is none.
const Input::Thermostat* thermostat_of_run(const Input& input);

/// Whether some particle may belong to both thermostats, and some kind of its motion. Regions do not
/// count.
bool may_share_motion(const Input& input, const Input::Thermostat& a, const Input::Thermostat& b);

}  // namespace sterna::md
