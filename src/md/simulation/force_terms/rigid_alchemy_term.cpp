#include "md/simulation/force_terms/rigid_alchemy_term.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "md/forces/alchemy/input/alchemy_section.hpp"
#include "md/forces/alchemy/input/check_alchemy.hpp"
#include "md/forces/alchemy/rigid_alchemy_forces.hpp"
#include "md/forces/coulomb/electrostatics.hpp"
#include "md/forces/coulomb/ewald.hpp"
#include "md/forces/longrange/homogeneous_correction.hpp"
#include "md/forces/molecular/input/molecule_model_from_input.hpp"
#include "md/forces/molecular/soft_molecules.hpp"
#include "md/simulation/alchemical_system.hpp"

namespace sterna::md {
namespace {

/// The corrections with alchemical molecules minus those without.
BodiesBeyond beyond(const HomogeneousCorrection& whole, const HomogeneousCorrection& others,
                    std::span<const double> counts, double volume) {
  const auto all = whole(counts, volume), less = others(counts, volume);
  const double in_own_field =
      whole.in_reaction_field(counts).energy - others.in_reaction_field(counts).energy;
  return {.energy = all.energy - less.energy - in_own_field,
          .virial = all.virial - less.virial - 3.0 * in_own_field,
          .in_own_field = in_own_field};
}

std::function<BodiesBeyond(std::span<const double>, double)> beyond_of(const Input& input,
                                                                       const MoleculeModel& model) {
  if (input.interaction.tail_correction != TailCorrection::homogeneous) return {};
  MoleculeModel without = model;
  leave_out_alchemical_sites(input, without);
  return [whole = HomogeneousCorrection(model), others = HomogeneousCorrection(without)](
             std::span<const double> counts, double volume) {
    return beyond(whole, others, counts, volume);
  };
}

std::shared_ptr<const BodyPairs> soft_molecules_of(const Input& input, const MoleculeModel& model) {
  const AlchemySection& section = input.section<AlchemySection>();
  return std::make_shared<SoftMolecules>(
      model, SoftCore{.alpha = section.soft_core_alpha,
                      .power = static_cast<int>(section.soft_core_power),
                      .least_sigma = section.soft_core_sigma});
}

/// Of the energy of alchemical charges with their images.
constexpr double accuracy_of_rigid_images = 1e-9;

using Body = RigidAlchemyForces::SolvedCharges::Body;

/// This rank's share of the energy of charges and dipoles of these bodies with each other and with the
/// images of all, by Ewald sums.
double energy_of_images(const comm::Context& context, const Box& box, const MoleculeModel& model,
                        std::span<const Body> bodies) {
  std::vector<Vec3> positions, dipoles;
  std::vector<double> charges;
  std::vector<std::int32_t> molecules;
  for (std::size_t m = 0; m < bodies.size(); ++m) {
    const Component& component = model.components[bodies[m].kind];
    const auto add = [&](const Vec3& position, double charge, const Vec3& dipole) {
      positions.push_back(bodies[m].center + bodies[m].orientation.to_lab(position));
      charges.push_back(charge);
      dipoles.push_back(bodies[m].orientation.to_lab(dipole));
      molecules.push_back(static_cast<std::int32_t>(m));
    };
    for (const auto& site : component.charges) add(site.position, site.charge, {});
    for (const auto& site : component.dipoles) add(site.position, 0.0, site.moment);
  }
  if (positions.empty()) return 0.0;
  const Lattice lattice = Lattice::of(box);
  const EwaldSolver ewald(
      lattice, EwaldSolver::parameters(lattice, accuracy_of_rigid_images, positions.size()));
  return ewald
      .solve({positions, charges, molecules, {}, dipoles},
             {static_cast<std::size_t>(context.rank()), static_cast<std::size_t>(context.size())})
      .energy;
}

/// The same without images.
double energy_of_open(const comm::Context& context, const SoftMolecules& pairs,
                      std::span<const Body> bodies) {
  double energy = 0.0;
  const auto step = static_cast<std::size_t>(context.size());
  for (auto m = static_cast<std::size_t>(context.rank()); m < bodies.size(); m += step) {
    const Body& a = bodies[m];
    const std::vector<Vec3> of_a = pairs.turned(a.kind, a.orientation);
    for (std::size_t n = m + 1; n < bodies.size(); ++n) {
      const Body& b = bodies[n];
      const std::vector<Vec3> of_b = pairs.turned(b.kind, b.orientation);
      energy += pairs.electrostatic(a.kind, b.kind, a.center - b.center, of_a, of_b).energy;
    }
  }
  return energy;
}

/// The model's charges and dipoles without an end.
MoleculeModel without_cutoff(MoleculeModel model) {
  model.electrostatics = MoleculeModel::Electrostatics::truncated;
  model.cutoff = std::numeric_limits<double>::max();
  model.cutoff_kind = MoleculeModel::Cutoff::site;
  for (Component& component : model.components) component.quadrupoles.clear();
  return model;
}

RigidAlchemyForces::SolvedCharges solved_charges_of(Electrostatics& solver,
                                                    const TermRequest& request,
                                                    const std::vector<char>& is_alchemical,
                                                    const MoleculeModel& model) {
  RigidAlchemyForces::SolvedCharges solved;
  solved.scale = [&solver, is_alchemical](double factor) {
    for (std::size_t kind = 0; kind < is_alchemical.size(); ++kind) {
      if (is_alchemical[kind] != 0) solver.scale_sites(kind, factor);
    }
  };
  solved.in_potentials = [&solver](const ParticleStore& particles,
                                   std::span<const std::uint32_t> places) {
    return solver.whole_in_potentials(particles, places);
  };
  const double share = 1.0 / request.input.electrostatics.permittivity;
  if (solver.periodic()) {
    solved.with_images = [&context = request.context, &box = request.box, model,
                          share](std::span<const Body> bodies) {
      return share * energy_of_images(context, box, model, bodies);
    };
  } else {
    solved.with_images =
        [&context = request.context, share,
         pairs = SoftMolecules(without_cutoff(model), {})](std::span<const Body> bodies) {
          return share * energy_of_open(context, pairs, bodies);
        };
  }
  return solved;
}

}  // namespace

std::unique_ptr<ForceTerm> make_rigid_alchemy(const TermRequest& request,
                                              AlchemicalTerm::States states) {
  const Input& input = request.input;
  const AlchemySection& section = input.section<AlchemySection>();
  const MoleculeModel model = molecule_model_from_input(input);
  RigidAlchemyForces::Options options;
  options.states = std::move(states);
  options.is_alchemical.assign(input.types.size(), 0);
  const std::vector<char> components = alchemical_components(input);
  options.is_alchemical.insert(options.is_alchemical.end(), components.begin(), components.end());
  options.pairs = soft_molecules_of(input, model);
  options.interpolates_energies = section.charge_path == ChargePath::energies;
  options.beyond = beyond_of(input, model);
  for (const auto& term : request.earlier) {
    auto* const solver = dynamic_cast<Electrostatics*>(term.get());
    if (solver == nullptr) continue;
    options.solved_charges = solved_charges_of(*solver, request, options.is_alchemical, model);
  }
  return std::make_unique<RigidAlchemyForces>(request.context, request.box, std::move(options));
}

RigidSurroundings::Options rigid_surroundings(const Input& input) {
  const MoleculeModel model = molecule_model_from_input(input);
  return {.pairs = soft_molecules_of(input, model),
          .atom_types = input.types.size(),
          .kinds = model.components.size(),
          .beyond = beyond_of(input, model)};
}

}  // namespace sterna::md
