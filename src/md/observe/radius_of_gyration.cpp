#include <cmath>

#include "md/observe/molecule_means.hpp"

namespace sterna::md {
namespace {

struct RadiusOfGyrationOptions {
  std::int64_t interval = 0;
  std::vector<std::string> groups;
};

/// The root of sum m |r - c|^2 / sum m about the center of mass c.
double radius_of_gyration(const MoleculeAtoms& atoms) {
  const Vec3 center = atoms.center_of_mass();
  double sum = 0.0, mass = 0.0;
  for (std::size_t k = 0; k < atoms.positions.size(); ++k) {
    const Vec3 from_center = atoms.positions[k] - center;
    sum += atoms.masses[k] * dot(from_center, from_center);
    mass += atoms.masses[k];
  }
  return mass > 0.0 ? std::sqrt(sum / mass) : 0.0;
}

std::unique_ptr<Observer> make_radius_of_gyration(const ObserverRequest& request) {
  const auto& options = request.input.section<RadiusOfGyrationOptions>();
  return std::make_unique<MoleculeMeans>("radius_of_gyration", options.interval, request,
                                         molecule_groups(request, options.groups),
                                         radius_of_gyration, Dimension::length);
}

void check_radius_of_gyration(const Input& input, const IsGood& is_good, const Report& report) {
  check_molecule_observer(input, is_good, report, "radius_of_gyration",
                          input.section<RadiusOfGyrationOptions>().groups);
}

}  // namespace

ObserverRow observer::radius_of_gyration() {
  return molecule_row<RadiusOfGyrationOptions>(
      {.name = "radius_of_gyration",
       .description = "How far the masses of each flexible molecule are from its center of mass.",
       .aliases = {"gyration", "rg", "gyrate"}},
      check_radius_of_gyration, make_radius_of_gyration);
}

}  // namespace sterna::md
