// Idea:    beyond the cutoff molecules are distributed evenly with random orientations, so the
//          missing energy is an integral over a potential of the centers' distance only.
// Source:  Lustig, Mol. Phys. 65, 175 (1988); reaction field: Barker and Watts, Mol. Phys. 26, 789
//          (1973).
// Cost:    a sum over pairs of components, once for a volume.
// Hazards: wrong across interfaces (see PlanarCorrection); the energy is a constant and adds no
//          force.
// Others:  PlanarCorrection for slabs.

#include "md/forces/longrange/homogeneous_correction.hpp"

#include <cmath>
#include <numbers>

namespace sterna::md {

HomogeneousCorrection::HomogeneousCorrection(const MoleculeModel& model)
    : pairs_(averaged_potentials(model)) {
  const double epsilon = model.reaction_field_epsilon;
  const double field =
      model.electrostatics == MoleculeModel::Electrostatics::reaction_field
          ? 2.0 * (epsilon - 1.0) / ((2.0 * epsilon + 1.0) * std::pow(model.cutoff, 3))
          : 0.0;
  for (const Component& component : model.components) {
    Vec3 moment;
    for (const auto& site : component.dipoles) moment += site.moment;
    for (const auto& site : component.charges) moment += site.charge * site.position;
    self_energy_.push_back(-0.5 * field * dot(moment, moment));
  }
}

HomogeneousCorrection::Values HomogeneousCorrection::operator()(std::span<const double> counts,
                                                                double volume) const {
  Values values = in_reaction_field(counts);
  for (std::size_t a = 0; a < counts.size(); ++a) {
    for (std::size_t b = 0; b < counts.size(); ++b) {
      const AveragedPotential& pair = pairs_[a * counts.size() + b];
      const double rc = pair.cutoff();
      const double density = 2.0 * std::numbers::pi * counts[a] * counts[b] / volume;
      const double moment = pair.second_moment(rc);
      values.energy += density * moment;
      // The integral of -R^3 U'(R) by parts.
      values.virial += density * (std::pow(rc, 3) * pair.energy(rc) + 3.0 * moment);
    }
  }
  return values;
}

HomogeneousCorrection::Values HomogeneousCorrection::in_reaction_field(
    std::span<const double> counts) const {
  Values values;
  for (std::size_t a = 0; a < counts.size(); ++a) {
    values.energy += counts[a] * self_energy_[a];
    values.virial += 3.0 * counts[a] * self_energy_[a];
  }
  return values;
}

}  // namespace sterna::md
