// The rows of the force terms that the engine has, and how they are made from an input.

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "md/forces/bonded/bonded_forces.hpp"
#include "md/forces/coulomb/electrostatics.hpp"
#include "md/forces/coulomb/input/charge_solver_row.hpp"
#include "md/forces/coulomb/input/electrostatics_physics.hpp"
#include "md/forces/external/input/external_physics.hpp"
#include "md/forces/longrange/planar_forces.hpp"
#include "md/forces/pair/input/pair_functions_from_input.hpp"
#include "md/forces/pair/input/scaled_pairs_from_input.hpp"
#include "md/forces/pair/scaled_pairs.hpp"
#include "md/observe/observer_table.hpp"
#include "md/simulation/external_terms.hpp"
#include "md/simulation/force_term_table.hpp"

namespace sterna::md {
namespace {

std::unique_ptr<ForceTerm> make_planar_correction(const TermRequest& request) {
  const Interaction::PlanarLayers layers = request.interaction.planar_layers(request.box);
  if (layers.slabs == 0) return nullptr;
  return std::make_unique<PlanarForces>(request.context, request.interaction.beyond_cutoff(),
                                        request.box, layers.normal, layers.slabs);
}

std::unique_ptr<ForceTerm> make_electrostatics(const TermRequest& request) {
  const auto& wanted = request.input.electrostatics;
  // Pairs of charges within a cutoff belong to the rows of the neighbor list.
  if (!wanted.is_used() || wanted.ends_at_cutoff()) return nullptr;
  const ChargeSolverRow& solver = charge_solver_table().get(wanted.kind);
  Electrostatics::Options options;
  options.periodic = wanted.surroundings != ElectrostaticsSurroundings::open;
  options.margin = 0.5 * request.interaction.range();
  options.accuracy = wanted.accuracy;
  // The check of displacements may come a little late, so more than half the skin is allowed for.
  options.travel = 0.75 * request.skin;
  options.surroundings = wanted.surroundings == ElectrostaticsSurroundings::vacuum
                             ? Surroundings::vacuum
                             : Surroundings::conductor;
  const Input::Barostat& barostat = request.input.barostat;
  options.virial_tensor = observers_need_virial_tensor(request.input) ||
                          (barostat.is_used() && barostat.coupling != Input::Coupling::isotropic);
  options.charge_unit = std::sqrt(request.input.units.coulomb());
  options.permittivity = wanted.permittivity;
  options.places = request.places;
  options.atom_types = request.interaction.type_count();
  return std::make_unique<Electrostatics>(request.context, request.decomposition,
                                          request.interaction.components(), options,
                                          [&](const ChargeSolverRequest& of_charges) {
                                            return solver.make(of_charges, request.input);
                                          });
}

std::unique_ptr<ForceTerm> make_bonded(const TermRequest& request) {
  if (request.places == nullptr) return nullptr;
  return std::make_unique<BondedForces>(request.context, request.places,
                                        request.input.run.precision,
                                        request.input.interaction.kernel);
}

std::unique_ptr<ForceTerm> make_scaled_pairs(const TermRequest& request) {
  if (request.places == nullptr || !has_scaled_pairs(request.input)) return nullptr;
  std::vector<std::vector<PairFunction>> functions = added_layers_from_input(request.input);
  functions.insert(functions.begin(), pair_functions_from_input(request.input));
  return std::make_unique<ScaledPairs>(request.places, scaled_pairs_from_input(request.input),
                                       functions, request.interaction.cutoff_charges(),
                                       request.interaction.charge_factor());
}

}  // namespace

ForceTermRow force_term::planar_correction() {
  return {"planar_correction", "what lies beyond the cutoff, in layers across one axis",
          make_planar_correction};
}
ForceTermRow force_term::bonded() {
  return {"bonded", "bonds, angles, torsions and 1-4 pairs of flexible molecules", make_bonded};
}
ForceTermRow force_term::scaled_pairs() {
  return {"scaled_pairs", "pairs of atoms with a share of the potential of their types",
          make_scaled_pairs};
}
ForceTermRow force_term::electrostatics() {
  return {"electrostatics", "charges and point dipoles at any distance", make_electrostatics,
          physics::electrostatics};
}
/// [[wall]], [[field]] and [[restraint]] are one kind of physics.
ForceTermRow force_term::walls() {
  return {"walls", "flat and spherical walls", make_walls, physics::external};
}
ForceTermRow force_term::fields() {
  return {"fields", "constant forces, gravity and electric fields", make_fields};
}
ForceTermRow force_term::restraints() {
  return {"restraints", "springs that hold molecules at places", make_restraints};
}

}  // namespace sterna::md
