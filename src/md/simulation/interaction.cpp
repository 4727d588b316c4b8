#include "md/simulation/interaction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <utility>

#include "md/forces/alchemy/input/mutation_sections.hpp"
#include "md/forces/longrange/homogeneous_correction.hpp"
#include "md/forces/molecular/input/molecule_model_from_input.hpp"
#include "md/forces/molecular/molecular_forces.hpp"
#include "md/forces/pair/input/pair_functions_from_input.hpp"
#include "md/forces/pair/pair_forces.hpp"
#include "md/input/cutoffs.hpp"
#include "md/input/many_body_input.hpp"
#include "md/simulation/alchemical_system.hpp"

namespace sterna::md {

namespace {

std::vector<Component> components_of_types(const Input& input) {
  std::vector<Component> components;
  for (const auto& type : input.types) {
    Component component;
    component.name = type.name;
    component.mass = type.mass;
    if (input.interaction.potential == InteractionPotential::lennard_jones) {
      // A type with a potential of its own gets a Lennard-Jones site of that size and depth.
      const auto place = static_cast<std::size_t>(&type - input.types.data());
      const TypePair like = has_pair_potentials(input) ? type_pair_from_input(input, place, place)
                                                       : TypePair{type.epsilon, type.sigma};
      component.lennard_jones = {{{}, like.epsilon, like.sigma}};
    }
    if (type.charge != 0.0) {
      component.charges = {{{}, std::sqrt(input.units.coulomb()) * type.charge}};
    }
    components.push_back(component);
  }
  return components;
}

/// Types and components.
std::size_t particle_kinds(const Input& input) {
  return input.types.size() + input.components.size();
}

/// Components, which stand behind the types, have none here.
LennardJones potential_of_types(const Input& input) {
  const std::size_t count = particle_kinds(input);
  std::vector<LennardJones::PairParameters> pairs(count * count, {0.0, 1.0});
  for (std::size_t a = 0; a < input.types.size(); ++a) {
    for (std::size_t b = 0; b < input.types.size(); ++b) {
      const TypePair pair = mixed_type_pair(input, a, b);
      pairs[a * count + b] = {pair.epsilon, pair.sigma};
    }
  }
  leave_out_alchemical_pairs(input, count, pairs);
  return LennardJones(pairs, static_cast<int>(count), input.interaction.cutoff,
                      input.interaction.truncation, input.interaction.switch_start);
}

/// A matrix over types and components, from one over types: those of components have no potential
/// here.
std::vector<PairFunction> with_components(const Input& input,
                                          const std::vector<PairFunction>& of_types) {
  const std::size_t types = input.types.size(), count = particle_kinds(input);
  const double no_parameters[] = {0.0, 1.0};
  const PairFunction nothing(*find_pair_potential("lennard_jones"), no_parameters, 0.0,
                             ending_from_input(input));
  std::vector<PairFunction> functions;
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < count; ++b) {
      functions.push_back(a < types && b < types ? of_types[a * types + b] : nothing);
    }
  }
  leave_out_alchemical_pairs(input, count, functions);
  return functions;
}

/// The potentials that are added to those of pairs of types (added_layers_from_input).
std::vector<std::vector<PairFunction>> added_layers(const Input& input) {
  std::vector<std::vector<PairFunction>> layers = added_layers_from_input(input);
  for (auto& layer : layers) layer = with_components(input, layer);
  return layers;
}

/// Returns the charges of [[type]]s; atoms of molecules have their own charges.
CutoffCharges charges_from_input(const Input& input, double charge_factor) {
  const Input::Electrostatics& wanted = input.electrostatics;
  const double cutoff = electrostatics_cutoff(input);
  CutoffCharges charges = [&] {
    switch (wanted.at_cutoff().value_or(CutoffCharge::cutoff)) {
      case CutoffCharge::reaction_field: {
        const double outside = wanted.reaction_field_permittivity;
        return CutoffCharges::reaction_field(
            cutoff, wanted.permittivity,
            outside > 0.0 ? outside : std::numeric_limits<double>::infinity());
      }
      case CutoffCharge::damped_shifted_force:
        return CutoffCharges::damped(cutoff, wanted.damping, true);
      case CutoffCharge::wolf:
        return CutoffCharges::damped(cutoff, wanted.damping, false);
      case CutoffCharge::screened:
        return CutoffCharges::screened(cutoff, wanted.kappa);
      case CutoffCharge::cutoff:
        break;
    }
    switch (wanted.truncation) {
      case ElectrostaticsTruncation::shifted:
        return CutoffCharges::reaction_field(cutoff, 1.0, 1.0);
      case ElectrostaticsTruncation::force_shifted:
        return CutoffCharges::force_shifted(cutoff);
      case ElectrostaticsTruncation::cubic_force_switched:
        return CutoffCharges::cubic_force_switched(cutoff, wanted.switch_start);
      case ElectrostaticsTruncation::truncated:
        break;
    }
    return CutoffCharges{cutoff, 0.0, 0.0, {}};
  }();
  const double unit = charge_factor * std::sqrt(input.units.coulomb());
  for (const Input::Type& type : input.types) charges.of_types.push_back(unit * type.charge);
  charges.of_types.resize(particle_kinds(input), 0.0);
  return charges;
}

/// Rigid molecules are few, so that rows are built around them, if for each there are this many
/// particles. With more of them, one pass over all cells finds their neighbors faster.
constexpr std::int64_t particles_beside_few = 20;

bool is_single_site(const Component& component) {
  return component.is_single_lennard_jones() && component.rotational_degrees_of_freedom() == 0;
}

/// Returns nothing unless all components are single sites that one table of pairs describes.
std::optional<LennardJones> potential_of_components(const MoleculeModel& model) {
  const auto& components = model.components;
  const bool single = std::ranges::all_of(components, is_single_site);
  const bool alike = std::all_of(model.shifted.begin(), model.shifted.end(),
                                 [&](char shifted) { return shifted == model.shifted[0]; });
  if (!single || !alike || model.lennard_jones_cutoff != model.cutoff) return std::nullopt;
  const std::size_t count = components.size();
  std::vector<LennardJones::PairParameters> pairs(count * count);
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < count; ++b) {
      const auto& first = components[a].lennard_jones[0];
      const auto& second = components[b].lennard_jones[0];
      pairs[a * count + b] = model.mixed(a, first, b, second);
    }
  }
  return LennardJones(pairs, static_cast<int>(count), model.cutoff,
                      model.shifted[0] ? Truncation::shifted : Truncation::truncated);
}

}  // namespace

Interaction::Interaction(const Input& input, const ParameterTexts& texts)
    : tail_correction_(input.interaction.tail_correction),
      tail_normal_(index_of(input.interaction.tail_normal)),
      tail_slabs_(input.interaction.tail_slabs),
      components_(components_of_types(input)),
      type_count_(input.types.size()) {
  const Precision precision = input.run.precision;
  const std::string& kernel = input.interaction.kernel;
  bool has_molecular_forces = !input.components.empty();
  if (!input.components.empty()) {
    model_ = molecule_model_from_input(input);
    components_.insert(components_.end(),
                       model_->components.begin() + static_cast<std::ptrdiff_t>(type_count_),
                       model_->components.end());
    leave_out_alchemical_sites(input, *model_);
    if (type_count_ == 0) {
      potential_ = potential_of_components(*model_);
      has_molecular_forces = !potential_;
      rotating_ = has_molecular_forces;
    } else {
      rotating_ = !std::ranges::all_of(std::span(components_).subspan(type_count_), is_single_site);
    }
  }
  for (std::size_t type = 0; type < type_count_; ++type) {
    components_[type].mass = mass_in_run(input, type);
  }
  if (type_count_ > 0) act_of_atoms(input, texts);
  if (potential_) {
    take_pairs(input, std::make_unique<PairForces>(*potential_, precision, kernel));
  } else if (!functions_.empty()) {
    take_pairs(input, std::make_unique<PairForces>(
                          functions_, static_cast<int>(particle_kinds(input)),
                          ending_from_input(input), precision, kernel, added_layers(input)));
  }
  if (has_molecular_forces) {
    using Pairs = MolecularForces::Pairs;
    const auto [large, others] = MolecularForces::kinds_of_pairs(*model_);
    const auto add = [&](Pairs pairs) {
      auto forces = std::make_unique<MolecularForces>(*model_, precision, kernel, pairs);
      if (pairs != Pairs::with_large_bodies && type_count_ > 0) molecules_ = forces.get();
      forces_.push_back(std::move(forces));
    };
    // Terms of their own let other pairs have short rows.
    if (!large) {
      add(Pairs::all);
    } else {
      if (others) add(Pairs::without_large_bodies);
      add(Pairs::with_large_bodies);
    }
  }
  for (const auto& forces : forces_) range_ = std::max(range_, forces->range());
}

bool Interaction::are_few(const Topology& topology) const {
  std::int64_t few = 0;
  for (const Topology::Run& run : topology.runs()) {
    for (const Topology::Atom& atom : topology.molecules()[run.molecule].atoms) {
      if (static_cast<std::size_t>(atom.type) >= type_count_) few += run.count;
    }
  }
  return few > 0 && few * particles_beside_few <= topology.atom_count();
}

std::vector<char> Interaction::turning_types() const {
  std::vector<char> turn(components_.size(), rotating_ ? 1 : 0);
  // Where there are no types, the components share one kind of term, and all have orientations.
  for (std::size_t k = 0; k < turn.size() && rotating_ && type_count_ > 0; ++k) {
    turn[k] = k >= type_count_ && !is_single_site(components_[k]) ? 1 : 0;
  }
  return turn;
}

void Interaction::act_of_atoms(const Input& input, const ParameterTexts& texts) {
  const Precision precision = input.run.precision;
  const std::string& kernel = input.interaction.kernel;
  if (has_pairs_besides(input)) pairs_of_types(input);
  const auto types_with = [&](ManyBodyKind kind) {
    std::vector<char> have;
    for (std::size_t n = 0; n < input.types.size(); ++n) {
      have.push_back(many_body_kind(input, n) == kind);
    }
    have.resize(particle_kinds(input), 0);
    return have;
  };
  const std::span<const ManyBodyRow> rows = many_body_rows();
  for (std::size_t n = 0; n < rows.size(); ++n) {
    if (!uses(input, rows[n].kind)) continue;
    many_body_.push_back(rows[n].potential(input, texts.empty() ? std::string() : texts[n]));
    forces_.push_back(many_body_.back()->forces(types_with(rows[n].kind), precision, kernel));
  }
}

void Interaction::pairs_of_types(const Input& input) {
  const Truncation truncation = input.interaction.truncation;
  const bool is_general = has_pair_potentials(input) || !LennardJones::ends_by(truncation);
  const std::vector<PairFunction> functions =
      is_general || is_switched(truncation)
          ? with_components(input, pair_functions_from_input(input))
          : std::vector<PairFunction>();
  for (const PairFunction& function : functions) tails_.push_back(function.tail());
  if (is_general) {
    const std::size_t kinds = particle_kinds(input);
    for (std::size_t k = 0; k < functions.size(); ++k) {
      if (std::max(k / kinds, k % kinds) < type_count_) scales_.push_back(functions[k].scale());
    }
    for (const auto& layer : added_layers(input)) {
      for (std::size_t k = 0; k < layer.size(); ++k) {
        if (layer[k].is_nothing()) continue;
        const PairFunction::Tail tail = layer[k].tail();
        tails_[k].energy += tail.energy;
        tails_[k].virial += tail.virial;
        tails_[k].near_energy += tail.near_energy;
        scales_.push_back(layer[k].scale());
      }
    }
    functions_ = functions;
  } else {
    potential_ = potential_of_types(input);
  }
}

void Interaction::take_pairs(const Input& input, std::unique_ptr<PairForces> pairs) {
  if (input.electrostatics.ends_at_cutoff()) {
    charged_ = pairs.get();
    charge_factor_ = 1.0 / std::sqrt(input.electrostatics.permittivity);
    cutoff_charges_ = charges_from_input(input, charge_factor_);
    pairs->add_charges(cutoff_charges_);
  }
  forces_.push_back(std::move(pairs));
}

std::vector<std::unique_ptr<ShortRangeForces>> Interaction::take_forces(const Topology& topology) {
  if (charged_ != nullptr && !topology.empty()) charged_->set_topology(topology, charge_factor_);
  if (molecules_ != nullptr && forces_.size() > 1 && are_few(topology) &&
      molecules_->can_act_around_few(turning_types())) {
    molecules_->act_around_few();
  }
  return std::move(forces_);
}

std::vector<std::string> Interaction::names() const {
  std::vector<std::string> names;
  for (const Component& component : components_) names.push_back(component.name);
  return names;
}

std::vector<double> Interaction::masses() const {
  std::vector<double> masses;
  for (const Component& component : components_) masses.push_back(component.mass);
  return masses;
}

std::vector<Vec3> Interaction::inertia() const {
  std::vector<Vec3> inertia;
  for (const Component& component : components_) inertia.push_back(component.inertia);
  return inertia;
}

LennardJones::TailCorrection Interaction::tail_correction(std::span<const double> counts,
                                                          double volume) const {
  if (tail_correction_ == TailCorrection::none || !has_pairs()) return {0.0, 0.0};
  const bool is_planar = tail_correction_ == TailCorrection::planar;
  const LennardJones::TailCorrection atoms =
      is_planar ? LennardJones::TailCorrection{0.0, 0.0} : tail_of_atoms(counts, volume);
  // Components of single sites may have a table of pairs as atoms have it.
  if (!model_ || (type_count_ == 0 && potential_)) return atoms;
  const HomogeneousCorrection correction(*model_);
  const auto molecules =
      is_planar ? correction.in_reaction_field(counts) : correction(counts, volume);
  return {atoms.energy + molecules.energy, atoms.virial + molecules.virial};
}

LennardJones::TailCorrection Interaction::tail_of_atoms(std::span<const double> counts,
                                                        double volume) const {
  if (!tails_.empty()) return tail_of_functions(counts, volume);
  return potential_ ? potential_->tail_correction(counts, volume)
                    : LennardJones::TailCorrection{0.0, 0.0};
}

LennardJones::TailCorrection Interaction::tail_of_functions(std::span<const double> counts,
                                                            double volume) const {
  LennardJones::TailCorrection correction{0.0, 0.0};
  for (std::size_t a = 0; a < counts.size(); ++a) {
    for (std::size_t b = 0; b < counts.size(); ++b) {
      const PairFunction::Tail& tail = tails_[a * counts.size() + b];
      const double pairs_density = 2.0 * std::numbers::pi * counts[a] * counts[b] / volume;
      correction.energy += pairs_density * tail.energy;
      correction.virial += pairs_density * tail.virial;
      // A particle is no neighbor of itself.
      if (a == b) correction.energy -= 0.5 * counts[a] * tail.near_energy;
    }
  }
  return correction;
}

std::vector<AveragedPotential> Interaction::beyond_cutoff() const {
  const std::vector<AveragedPotential> of_atoms =
      potential_ ? averaged_potentials(*potential_) : std::vector<AveragedPotential>();
  if (!model_ || (type_count_ == 0 && potential_)) return of_atoms;
  // A shift changes no force: those beyond the cutoff are missing all the same.
  MoleculeModel unshifted = *model_;
  std::fill(unshifted.shifted.begin(), unshifted.shifted.end(), char{0});
  std::vector<AveragedPotential> pairs = averaged_potentials(unshifted);
  const std::size_t count = components_.size();
  for (std::size_t a = 0; potential_ && a < type_count_; ++a) {
    for (std::size_t b = 0; b < type_count_; ++b) pairs[a * count + b] = of_atoms[a * count + b];
  }
  return pairs;
}

Interaction::PlanarLayers Interaction::planar_layers(const Box& box) const {
  if (tail_correction_ != TailCorrection::planar || !has_pairs()) return {};
  std::size_t slabs = static_cast<std::size_t>(tail_slabs_);
  if (slabs == 0) {
    // Finer ones say nothing more, and the correction takes their square.
    const double fine = std::ceil(4.0 * box.length[tail_normal_] / smallest_sigma());
    slabs = static_cast<std::size_t>(std::clamp(fine, 1.0, 1000.0));
  }
  return {tail_normal_, slabs};
}

double Interaction::usual_skin() const {
  if (!has_pairs()) return many_body_.front()->usual_skin();
  double sigma = 0.0;
  for (const Component& component : components_) {
    for (const auto& site : component.lennard_jones) sigma = std::max(sigma, site.sigma);
  }
  // A repulsion alone, c12 / r^12, may be given by a size that is far beyond the cutoff.
  return 0.3 * std::min(sigma, range_);
}

double Interaction::smallest_sigma() const {
  double sigma = std::numeric_limits<double>::max();
  for (const auto& potential : many_body_) sigma = std::min(sigma, potential->shortest_dimer());
  if (!has_pairs()) return sigma;
  for (const PairScale& scale : scales_) sigma = std::min(sigma, scale.size);
  for (const Component& component : components_) {
    for (const auto& site : component.lennard_jones) sigma = std::min(sigma, site.sigma);
  }
  return std::min(sigma, range_);
}

double Interaction::largest_epsilon() const {
  double epsilon = 0.0;
  for (const auto& potential : many_body_) epsilon = std::max(epsilon, potential->deepest_dimer());
  if (!has_pairs()) return epsilon;
  for (const PairScale& scale : scales_) epsilon = std::max(epsilon, scale.energy);
  for (const Component& component : components_) {
    for (const auto& site : component.lennard_jones) epsilon = std::max(epsilon, site.epsilon);
  }
  return epsilon;
}

}  // namespace sterna::md
