#include "md/simulation/files/logged_scalars.hpp"

namespace sterna::md {

std::vector<LoggedScalar> logged_scalars(const ThermodynamicState& state, const UnitSystem& units,
                                         const LoggedKinds& kinds) {
  const auto energy = [&](double value) { return units.from_internal(value, Dimension::energy); };
  const auto momentum = [&](double value) {
    // A momentum is converted like a velocity, because the unit of mass is u in every system of
    // units.
    return units.from_internal(value, Dimension::velocity);
  };
  std::vector<LoggedScalar> scalars{
      {"temperature", units.from_internal(state.temperature, Dimension::temperature)},
      {"pressure", units.from_internal(state.pressure, Dimension::pressure)},
      {"kinetic_energy", energy(state.kinetic_energy)},
      {"potential_energy", energy(state.potential_energy)},
      {"total_energy", energy(state.total_energy)},
      {"conserved_energy", energy(state.conserved_energy)},
      {"pair_energy", energy(state.pair_energy)},
      {"virial", energy(state.virial)},
      {"momentum_x", momentum(state.momentum[0])},
      {"momentum_y", momentum(state.momentum[1])},
      {"momentum_z", momentum(state.momentum[2])}};
  if (!kinds.moves) {
    scalars = {{"pressure", scalars[1].value},
               {"potential_energy", energy(state.potential_energy)},
               {"pair_energy", energy(state.pair_energy)},
               {"virial", energy(state.virial)},
               {"largest_force", units.from_internal(state.largest_force, Dimension::force)}};
  }
  if (kinds.moves && kinds.rotating)
    scalars.push_back({"rotational_energy", energy(state.rotational_energy)});
  if (kinds.changes_volume) {
    const double length = units.from_internal(1.0, Dimension::length);
    scalars.push_back({"volume", state.volume * length * length * length});
  }
  if (kinds.changes_shape) {
    static constexpr const char* edges[] = {"box_x", "box_y", "box_z"};
    static constexpr const char* tilts[] = {"tilt_xy", "tilt_xz", "tilt_yz"};
    const auto length = [&](double value) { return units.from_internal(value, Dimension::length); };
    for (std::size_t k = 0; k < 3; ++k) scalars.push_back({edges[k], length(state.box[k])});
    for (std::size_t k = 0; k < 3; ++k) scalars.push_back({tilts[k], length(state.tilt[k])});
  }
  if (state.center_pressure) {
    static constexpr const char* names[] = {"center_pressure_xx", "center_pressure_yy",
                                            "center_pressure_zz", "center_pressure_xy",
                                            "center_pressure_xz", "center_pressure_yz"};
    for (std::size_t k = 0; k < 6; ++k) {
      const double value = (*state.center_pressure)[k];
      scalars.push_back({names[k], units.from_internal(value, Dimension::pressure)});
    }
  }
  for (const ThermodynamicState::Term& term : state.terms) {
    scalars.push_back({term.name + "_energy", energy(term.energy)});
    scalars.push_back({term.name + "_virial", energy(term.virial)});
    for (const auto& part : term.parts) {
      scalars.push_back({part.name + "_energy", energy(part.energy)});
      if (part.virial) scalars.push_back({part.name + "_virial", energy(*part.virial)});
    }
  }
  return scalars;
}

}  // namespace sterna::md
