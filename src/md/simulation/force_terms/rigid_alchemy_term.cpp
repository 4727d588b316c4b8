#include "md/simulation/force_terms/rigid_alchemy_term.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "md/core/cross_product.hpp"
#include "md/forces/alchemy/input/alchemy_section.hpp"
#include "md/forces/alchemy/input/check_alchemy.hpp"
#include "md/forces/alchemy/input/mutation_sections.hpp"
#include "md/forces/alchemy/pair_virial.hpp"
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

/// The same in state B, in which atoms count with the types that they become.
std::function<BodiesBeyond(std::span<const double>, double)> beyond_of_state_b(
    const Input& input, const MoleculeModel& model) {
  if (input.interaction.tail_correction != TailCorrection::homogeneous ||
      input.section<AlchemySection>().kind != AlchemyKind::mutation) {
    return {};
  }
  MoleculeModel without = model;
  leave_out_alchemical_sites(input, without);
  return [whole = HomogeneousCorrection(model), others = HomogeneousCorrection(without),
          is_alchemical = alchemical_types(input),
          becomes = mutated_types(input)](std::span<const double> counts, double volume) {
    std::vector<double> of_b(counts.begin(), counts.end());
    for (std::size_t type = 0; type < is_alchemical.size(); ++type) {
      if (is_alchemical[type] == 0) continue;
      of_b[type] -= counts[type];
      if (becomes[type]) of_b[*becomes[type]] += counts[type];
    }
    const auto all = whole(of_b, volume), less = others(counts, volume);
    return BodiesBeyond{.energy = all.energy - less.energy, .virial = all.virial - less.virial};
  };
}

std::shared_ptr<const BodyPairs> soft_molecules_of(const Input& input, const MoleculeModel& model) {
  const AlchemySection& section = input.section<AlchemySection>();
  return std::make_shared<SoftMolecules>(
      model, SoftCore{.alpha = section.soft_core_alpha,
                      .power = static_cast<int>(section.soft_core_power),
                      .least_sigma = section.soft_core_sigma});
}

constexpr SoftCore no_soft_core{.alpha = 0.0, .power = 1, .least_sigma = 0.0};

/// Of the energy of alchemical charges with their images.
constexpr double accuracy_of_rigid_images = 1e-9;

using Body = RigidAlchemyForces::SolvedCharges::Body;
using ImagesOfBodies = RigidAlchemyForces::SolvedCharges::WithImages;

ImagesOfBodies scaled_by(double factor, ImagesOfBodies found) {
  found.sums.energy *= factor;
  for (double& element : found.sums.virial) element *= factor;
  for (Vec3& force : found.forces) force = factor * force;
  for (Vec3& torque : found.torques) torque = factor * torque;
  return found;
}

/// What the force and the torque density of the sites of a body add to the virial of sites to make it that
/// of bodies: arms times forces are taken off, and half of the torques is the antisymmetric part.
void take_off_arms(const VirialProducts& arms, const Vec3& of_dipoles, EnergyAndVirial& sums) {
  const auto symmetric = symmetric_part(arms);
  const Vec3 torque = of_dipoles + Vec3{arms[5] - arms[7], arms[6] - arms[2], arms[1] - arms[3]};
  const double of_torques[6] = {0.0, 0.0, 0.0, 0.5 * torque.z, -0.5 * torque.y, 0.5 * torque.x};
  for (std::size_t k = 0; k < 6; ++k) sums.virial[k] += of_torques[k] - symmetric[k];
}

/// This rank's share of the charges and dipoles of these bodies with each other and with the images of
/// all, by Ewald sums.
ImagesOfBodies images_of_bodies(const comm::Context& context, const Box& box,
                                const MoleculeModel& model, std::span<const Body> bodies) {
  std::vector<Vec3> positions, arms, dipoles;
  std::vector<double> charges;
  std::vector<std::int32_t> molecules;
  ImagesOfBodies found{.sums = {},
                       .forces = std::vector<Vec3>(bodies.size()),
                       .torques = std::vector<Vec3>(bodies.size())};
  for (std::size_t m = 0; m < bodies.size(); ++m) {
    const Component& component = model.components[bodies[m].kind];
    const auto add = [&](const Vec3& position, double charge, const Vec3& dipole) {
      arms.push_back(bodies[m].orientation.to_lab(position));
      positions.push_back(bodies[m].center + arms.back());
      charges.push_back(charge);
      dipoles.push_back(bodies[m].orientation.to_lab(dipole));
      molecules.push_back(static_cast<std::int32_t>(m));
    };
    for (const auto& site : component.charges) add(site.position, site.charge, {});
    for (const auto& site : component.dipoles) add(site.position, 0.0, site.moment);
  }
  if (positions.empty()) return found;
  const Lattice lattice = Lattice::of(box);
  const EwaldSolver ewald(
      lattice, EwaldSolver::parameters(lattice, accuracy_of_rigid_images, positions.size()));
  const EwaldSolver::Result part = ewald.solve(
      {positions, charges, molecules, {}, dipoles},
      {static_cast<std::size_t>(context.rank()), static_cast<std::size_t>(context.size())});
  found.sums.energy = part.energy;
  std::ranges::copy(part.virial, found.sums.virial);
  VirialProducts of_arms{};
  Vec3 of_dipoles;
  for (std::size_t k = 0; k < positions.size(); ++k) {
    const auto m = static_cast<std::size_t>(molecules[k]);
    const Vec3 field = part.fields.empty() ? Vec3{} : part.fields[k];
    const Vec3 of_dipole = cross(dipoles[k], field);
    found.forces[m] += part.forces[k];
    found.torques[m] += cross(arms[k], part.forces[k]) + of_dipole;
    of_dipoles += of_dipole;
    add_product(of_arms, arms[k], part.forces[k]);
  }
  take_off_arms(of_arms, of_dipoles, found.sums);
  return found;
}

/// The same without images.
ImagesOfBodies without_images(const comm::Context& context, const SoftMolecules& pairs,
                              std::span<const Body> bodies) {
  ImagesOfBodies found{.sums = {},
                       .forces = std::vector<Vec3>(bodies.size()),
                       .torques = std::vector<Vec3>(bodies.size())};
  const auto step = static_cast<std::size_t>(context.size());
  for (auto m = static_cast<std::size_t>(context.rank()); m < bodies.size(); m += step) {
    const Body& a = bodies[m];
    const std::vector<Vec3> of_a = pairs.turned(a.kind, a.orientation);
    for (std::size_t n = m + 1; n < bodies.size(); ++n) {
      const Body& b = bodies[n];
      const std::vector<Vec3> of_b = pairs.turned(b.kind, b.orientation);
      const Vec3 d = a.center - b.center;
      const BodyPairSums pair = pairs.electrostatic(a.kind, b.kind, d, of_a, of_b);
      found.sums.energy += pair.energy;
      add_pair_virial(found.sums, d, pair.force);
      found.forces[m] += pair.force;
      found.forces[n] -= pair.force;
      found.torques[m] += pair.torque_a;
      found.torques[n] += pair.torque_b;
    }
  }
  return found;
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
      return scaled_by(share, images_of_bodies(context, box, model, bodies));
    };
  } else {
    solved.with_images =
        [&context = request.context, share,
         pairs = SoftMolecules(without_cutoff(model), {})](std::span<const Body> bodies) {
          return scaled_by(share, without_images(context, pairs, bodies));
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
  const bool mutates = input.section<AlchemySection>().kind == AlchemyKind::mutation;
  const double unit = std::sqrt(input.units.coulomb());
  const std::vector<char> is_alchemical = alchemical_types(input);
  const std::vector<std::optional<std::size_t>> becomes = mutated_types(input);
  std::vector<RigidSurroundings::Ends> ends(input.types.size());
  MoleculeModel units = model;
  for (std::size_t type = 0; type < ends.size(); ++type) {
    if (is_alchemical[type] == 0) continue;
    units.components[type].charges = {{{}, 1.0}};
    for (const auto& site : model.components[type].charges) ends[type].charge_of_a += site.charge;
    if (!mutates) continue;
    ends[type].charge_of_b =
        unit * mutated_charge(input, input.types[type].name, ends[type].charge_of_a / unit);
    ends[type].type_of_b = becomes[type];
  }
  return {.pairs = soft_molecules_of(input, model),
          .hard_pairs = std::make_shared<SoftMolecules>(model, no_soft_core),
          .unit_charges = std::make_shared<SoftMolecules>(std::move(units), no_soft_core),
          .ends = std::move(ends),
          .atom_types = input.types.size(),
          .kinds = model.components.size(),
          .beyond = beyond_of(input, model),
          .beyond_of_b = beyond_of_state_b(input, model)};
}

}  // namespace sterna::md
