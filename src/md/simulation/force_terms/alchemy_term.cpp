// The term of alchemical molecules, from an input.

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "md/forces/alchemy/alchemy_forces.hpp"
#include "md/forces/alchemy/input/alchemy_physics.hpp"
#include "md/forces/alchemy/input/alchemy_section.hpp"
#include "md/forces/alchemy/input/check_alchemy.hpp"
#include "md/forces/alchemy/input/mutation_sections.hpp"
#include "md/forces/alchemy/pair_virial.hpp"
#include "md/forces/bias/input/bias_sections.hpp"
#include "md/forces/bonded/bonded_table.hpp"
#include "md/forces/bonded/changed_terms.hpp"
#include "md/forces/coulomb/electrostatics.hpp"
#include "md/forces/coulomb/ewald.hpp"
#include "md/forces/pair/input/pair_functions_from_input.hpp"
#include "md/forces/pair/input/scaled_pairs_from_input.hpp"
#include "md/input/topology_from_input.hpp"
#include "md/integrate/moving_targets.hpp"
#include "md/simulation/alchemical_system.hpp"
#include "md/simulation/force_term_table.hpp"
#include "md/simulation/force_terms/rigid_alchemy_term.hpp"

namespace sterna::md {
namespace {

/// Of the energy of alchemical charges with their images.
constexpr double accuracy_of_images = 1e-9;

/// `as`: which type's potentials each type has; nothing: none.
std::vector<AlchemyForces::Pair> pairs_of_types(const Input& input,
                                                const std::vector<std::optional<std::size_t>>& as) {
  const std::vector<char> is_alchemical = alchemical_types(input);
  const std::size_t types = input.types.size();
  std::vector<AlchemyForces::Pair> pairs(types * types);
  for (std::size_t a = 0; a < types; ++a) {
    for (std::size_t b = 0; b < types; ++b) {
      if (is_alchemical[a] == 0 && is_alchemical[b] == 0) continue;
      if (!as[a] || !as[b]) continue;
      std::vector<PairFunction> functions = added_functions_from_input(input, *as[a], *as[b]);
      functions.insert(functions.begin(), pair_function_from_input(input, *as[a], *as[b]));
      std::erase_if(functions, [](const PairFunction& function) { return function.is_nothing(); });
      if (functions.empty()) continue;
      AlchemyForces::Pair& pair = pairs[a * types + b];
      for (const PairFunction& function : functions) {
        pair.cutoff = std::max(pair.cutoff, function.cutoff());
        pair.size = std::max(pair.size, function.scale().size);
        const PairFunction::Tail tail = function.tail();
        pair.tail_energy += tail.energy;
        pair.tail_virial += tail.virial;
        pair.near_tail += tail.near_energy;
      }
      pair.curve = [functions = std::move(functions)](double r) {
        AlchemyForces::Value sum{0.0, 0.0};
        for (const PairFunction& function : functions) {
          const PairValue<double> value = function.ended_value(r);
          sum.energy += value.energy;
          sum.force_over_r += value.force_over_r;
        }
        return sum;
      };
    }
  }
  return pairs;
}

std::vector<std::optional<std::size_t>> types_themselves(const Input& input) {
  std::vector<std::optional<std::size_t>> types;
  for (std::size_t n = 0; n < input.types.size(); ++n) types.emplace_back(n);
  return types;
}

/// The kind of molecule of this name. The input's checks found it.
std::size_t kind_of(const Input& input, const std::string& name) {
  const auto at = std::ranges::find(input.molecules, name, &Input::Molecule::name);
  return static_cast<std::size_t>(at - input.molecules.begin());
}

ChangedTerms changed_terms_of(const Input& input) {
  std::vector<std::vector<ChangedTerms::Term>> terms(input.molecules.size());
  for (const MutatedTermSection& section : input.tables<MutatedTermSection>()) {
    const std::uint32_t kind = *find_bonded(section.section, section.potential);
    const BondedRow& row = bonded_table()[kind];
    ChangedTerms::Term term{.kind = kind, .atoms = {}, .from = {}, .to = {}};
    for (const BondedParameter& parameter : row.parameters) {
      const auto at = std::ranges::find(section.parameters, parameter.name);
      const auto value_in = [&](const std::vector<double>& values) {
        if (at == section.parameters.end()) return parameter.preset;
        const auto place = static_cast<std::size_t>(at - section.parameters.begin());
        return input.units.to_internal(values[place], parameter.dimension);
      };
      term.from.push_back(value_in(section.from));
      term.to.push_back(value_in(section.to));
    }
    for (const std::vector<int>& listed : section.atoms) {
      term.atoms.clear();
      for (int k = 0; k < row.atoms; ++k) {
        const int which = row.chosen.empty() ? k : row.chosen[static_cast<std::size_t>(k)];
        term.atoms.push_back(
            static_cast<std::uint32_t>(listed[static_cast<std::size_t>(which)] - 1));
      }
      terms[kind_of(input, section.molecule)].push_back(term);
    }
  }
  return {std::move(terms), input.interaction.kernel};
}

std::vector<std::vector<ChangedPair>> changed_pairs_of(const Input& input) {
  const auto& sections = input.tables<MutatedPairSection>();
  if (sections.empty()) return {};
  const double unit = input.units.coulomb() / input.electrostatics.permittivity;
  std::vector<std::vector<ChangedPair>> pairs(input.molecules.size());
  for (const MutatedPairSection& section : sections) {
    for (const std::vector<int>& atoms : section.atoms) {
      pairs[kind_of(input, section.molecule)].push_back(
          {.first = static_cast<std::uint32_t>(atoms[0] - 1),
           .second = static_cast<std::uint32_t>(atoms[1] - 1),
           .from = {section.epsilon, section.sigma, unit * section.charge_product},
           .to = {section.to_epsilon, section.to_sigma, unit * section.to_charge_product}});
    }
  }
  return pairs;
}

AlchemicalCharges::Cutoff cutoff_charges_of(const CutoffCharges& charges) {
  const auto curve = [&](CutoffCharges::Value (CutoffCharges::*value)(double) const) {
    return [charges, value](double r) {
      const CutoffCharges::Value at = (charges.*value)(r);
      return AlchemyForces::Value{at.energy, at.force_over_r};
    };
  };
  return {charges.cutoff, charges.shift, curve(&CutoffCharges::value),
          curve(&CutoffCharges::lacking_of_excluded)};
}

using WithImages = AlchemicalCharges::Solved::WithImages;

/// Without images two molecules act on each other, and a molecule has no energy with itself.
WithImages charges_of_open(const comm::Context& context, std::span<const Vec3> positions,
                           std::span<const double> charges,
                           std::span<const std::int32_t> molecules) {
  WithImages found{.sums = {}, .forces = std::vector<Vec3>(positions.size())};
  const auto step = static_cast<std::size_t>(context.size());
  for (auto a = static_cast<std::size_t>(context.rank()); a < positions.size(); a += step) {
    for (std::size_t b = a + 1; b < positions.size(); ++b) {
      if (molecules[a] == molecules[b]) continue;
      const Vec3 d = positions[b] - positions[a];
      const double r_squared = dot(d, d);
      const double energy = charges[a] * charges[b] / std::sqrt(r_squared);
      const Vec3 force = (energy / r_squared) * d;
      found.sums.energy += energy;
      found.forces[b] += force;
      found.forces[a] -= force;
      add_pair_virial(found.sums, d, force);
    }
  }
  return found;
}

AlchemicalCharges::Solved solved_charges_of(const Electrostatics& solver,
                                            const TermRequest& request) {
  AlchemicalCharges::Solved solved;
  solved.potentials_of_others = [&solver](const ParticleStore& particles,
                                          std::span<const std::uint32_t> places) {
    return solver.potentials_of_others(particles, places);
  };
  solved.with_images = [&context = request.context, &box = request.box,
                        periodic = solver.periodic()](std::span<const Vec3> positions,
                                                      std::span<const double> charges,
                                                      std::span<const std::int32_t> molecules) {
    if (!periodic) return charges_of_open(context, positions, charges, molecules);
    const Lattice lattice = Lattice::of(box);
    const EwaldSolver ewald(lattice,
                            EwaldSolver::parameters(lattice, accuracy_of_images, positions.size()));
    EwaldSolver::Result part = ewald.solve(
        {positions, charges, molecules},
        {static_cast<std::size_t>(context.rank()), static_cast<std::size_t>(context.size())});
    WithImages found{.sums = {}, .forces = std::move(part.forces)};
    for (std::size_t a = 0; a < charges.size(); ++a) {
      found.sums.energy += 0.5 * charges[a] * part.potentials[a];
    }
    std::ranges::copy(part.virial, found.sums.virial);
    return found;
  };
  return solved;
}

AlchemicalMotion::Options motion_of(const Input& input) {
  AlchemicalMotion::Options motion;
  motion.lengths_change = !input.tables<MutatedConstraintSection>().empty();
  if (!masses_change(input)) return motion;
  for (std::size_t type = 0; type < input.types.size(); ++type) {
    motion.masses.push_back({input.types[type].mass, mass_in_state_b(input, type)});
  }
  motion.is_constrained = [topology = topology_from_input(input)](std::int64_t id) {
    return !topology.constraints_of(topology.place_of(id)).empty();
  };
  return motion;
}

AlchemicalTerm::States states_of(const Input& input, const AlchemySection& section) {
  AlchemicalTerm::States states;
  for (std::size_t k = 0; k < section.state_count(); ++k) {
    states.all.push_back(section.lambdas_of(k));
  }
  states.start = static_cast<std::size_t>(section.state);
  states.parts = alchemical_parts_of(input).size();
  states.motion = motion_of(input);
  states.change = input.section<MovingTargets>().by_states;
  if (!input.minimizes()) states.interval = section.interval;
  states.temperature = temperature_of_run(input).value_or(0.0);
  states.thermal_energy = input.units.boltzmann() * states.temperature;
  return states;
}

std::unique_ptr<ForceTerm> make_alchemy(const TermRequest& request) {
  const Input& input = request.input;
  const AlchemySection& section = input.section<AlchemySection>();
  if (!section.is_used()) return nullptr;
  if (has_alchemical_components(input)) {
    return make_rigid_alchemy(request, states_of(input, section));
  }
  AlchemyForces::Options options;
  options.atoms.is_alchemical = alchemical_molecules(input);
  options.states = states_of(input, section);
  options.soft_core = {.alpha = section.soft_core_alpha,
                       .power = static_cast<int>(section.soft_core_power),
                       .least_sigma = section.soft_core_sigma};
  options.charges.interpolates_energies = section.charge_path == ChargePath::energies;
  options.keeps_molecules = section.kind == AlchemyKind::decoupling;
  options.pairs = pairs_of_types(input, types_themselves(input));
  Topology whole = topology_from_input(input);
  for (const Topology::Molecule& molecule : whole.molecules()) {
    options.atoms.charges_of_b.push_back(charges_of_state_b(input, molecule));
  }
  if (section.kind == AlchemyKind::mutation) {
    options.pairs_of_b = pairs_of_types(input, mutated_types(input));
    if (ChangedTerms terms = changed_terms_of(input); !terms.empty()) {
      options.changed_terms = [terms = std::move(terms)](std::size_t molecule, double lambda,
                                                         std::span<const Vec3> positions,
                                                         std::span<Vec3> forces) {
        return terms.compute(molecule, lambda, positions, forces);
      };
    }
    options.changed_pairs = changed_pairs_of(input);
  }
  if (!input.components.empty()) options.rigid = rigid_surroundings(input);
  options.tail_correction = input.interaction.tail_correction == TailCorrection::homogeneous;
  if (input.electrostatics.ends_at_cutoff()) {
    options.charges.cutoff = cutoff_charges_of(request.interaction.cutoff_charges());
    options.charges.charge_factor = request.interaction.charge_factor();
    for (const auto& of_kind : scaled_pairs_from_input(input)) {
      auto& shared = options.atoms.shared_pairs.emplace_back();
      for (const ScaledPairs::Pair& pair : of_kind) {
        shared.push_back({{pair.atoms[0], pair.atoms[1]}, pair.charge_share});
      }
    }
  } else {
    for (const auto& term : request.earlier) {
      const auto* solver = dynamic_cast<const Electrostatics*>(term.get());
      if (solver == nullptr) continue;
      options.charges.solved = solved_charges_of(*solver, request);
      options.charges.charge_factor = 1.0 / std::sqrt(input.electrostatics.permittivity);
    }
  }
  options.atoms.charge_factor = options.charges.charge_factor;
  return std::make_unique<AlchemyForces>(request.context, request.box, std::move(whole),
                                         std::move(options));
}

}  // namespace

ForceTermRow force_term::alchemy() {
  return {"alchemy", "molecules whose interactions are switched off, state by state", make_alchemy,
          physics::alchemy};
}

}  // namespace sterna::md
