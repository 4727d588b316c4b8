#include <cmath>

#include "md/observe/molecule_means.hpp"

namespace sterna::md {
namespace {

struct MolecularDipoleOptions {
  std::int64_t interval = 0;
  std::vector<std::string> groups;
};

/// The length of sum q (r - c) about the center of mass c. Without a net charge the center does not
/// matter.
double dipole_moment(const MoleculeAtoms& atoms) {
  const Vec3 center = atoms.center_of_mass();
  Vec3 moment;
  for (std::size_t k = 0; k < atoms.positions.size(); ++k) {
    moment += atoms.charges[k] * (atoms.positions[k] - center);
  }
  return std::sqrt(dot(moment, moment));
}

std::unique_ptr<Observer> make_molecular_dipole(const ObserverRequest& request) {
  const auto& options = request.input.section<MolecularDipoleOptions>();
  return std::make_unique<MoleculeMeans>("molecular_dipole", options.interval, request,
                                         molecule_groups(request, options.groups), dipole_moment,
                                         Dimension::dipole_moment);
}

void check_molecular_dipole(const Input& input, const IsGood& is_good, const Report& report) {
  check_molecule_observer(input, is_good, report, "molecular_dipole",
                          input.section<MolecularDipoleOptions>().groups);
}

}  // namespace

ObserverRow observer::molecular_dipole() {
  return molecule_row<MolecularDipoleOptions>(
      {.name = "molecular_dipole",
       .description = "The dipole moment of each flexible molecule about its center of mass.",
       .aliases = {"dipole", "molecule_dipole"}},
      check_molecular_dipole, make_molecular_dipole);
}

}  // namespace sterna::md
