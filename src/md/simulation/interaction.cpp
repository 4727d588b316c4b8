#include "md/simulation/interaction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "md/forces/longrange/homogeneous_correction.hpp"
#include "md/forces/manybody/embedded_atom_forces.hpp"
#include "md/forces/manybody/tersoff_forces.hpp"
#include "md/forces/molecular/molecular_forces.hpp"
#include "md/forces/pair/pair_forces.hpp"
#include "md/input/cutoffs.hpp"
#include "md/input/embedded_atom_input.hpp"
#include "md/input/many_body_input.hpp"
#include "md/input/molecule_model_from_input.hpp"
#include "md/input/pair_potential_input.hpp"
#include "md/input/tersoff_input.hpp"
#include "md/input/type_pair_from_input.hpp"

namespace sterna::md {

namespace {

std::vector<Component> components_of_types(const Input& input) {
  std::vector<Component> components;
  for (const auto& type : input.types) {
    Component component;
    component.name = type.name;
    component.mass = type.mass;
    if (input.interaction.potential == InteractionPotential::lennard_jones) {
      // Of another potential the size and the energy stand for it.
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

LennardJones potential_of_types(const Input& input) {
  const std::size_t count = input.types.size();
  std::vector<LennardJones::PairParameters> pairs(count * count);
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < count; ++b) {
      const TypePair pair = mixed_type_pair(input, a, b);
      pairs[a * count + b] = {pair.epsilon, pair.sigma};
    }
  }
  return LennardJones(pairs, static_cast<int>(count), input.interaction.cutoff,
                      input.interaction.truncation, input.interaction.switch_start);
}

/// Of [[type]]s; atoms of molecules have their own charges.
CutoffCharges charges_from_input(const Input& input, double charge_factor) {
  const Input::Electrostatics& wanted = input.electrostatics;
  const double cutoff = electrostatics_cutoff(input);
  CutoffCharges charges = [&] {
    switch (wanted.kind) {
      case ElectrostaticsKind::reaction_field: {
        const double outside = wanted.reaction_field_permittivity;
        return CutoffCharges::reaction_field(
            cutoff, wanted.permittivity,
            outside > 0.0 ? outside : std::numeric_limits<double>::infinity());
      }
      case ElectrostaticsKind::damped_shifted_force:
        return CutoffCharges::damped(cutoff, wanted.damping, true);
      case ElectrostaticsKind::wolf:
        return CutoffCharges::damped(cutoff, wanted.damping, false);
      case ElectrostaticsKind::screened:
        return CutoffCharges::screened(cutoff, wanted.kappa);
      default:
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
  return charges;
}

/// Nothing where the components are more than single sites that one table of pairs describes.
std::optional<LennardJones> potential_of_components(const MoleculeModel& model) {
  const auto& components = model.components;
  const bool single = std::all_of(components.begin(), components.end(), [](const Component& c) {
    return c.is_single_lennard_jones() && c.rotational_degrees_of_freedom() == 0;
  });
  const bool alike = std::all_of(model.shifted.begin(), model.shifted.end(),
                                 [&](char shifted) { return shifted == model.shifted[0]; });
  if (!single || !alike || model.lennard_jones_cutoff != model.cutoff) return std::nullopt;
  const std::size_t count = components.size();
  std::vector<LennardJones::PairParameters> pairs(count * count);
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < count; ++b) {
      const auto& first = components[a].lennard_jones[0];
      const auto& second = components[b].lennard_jones[0];
      auto& pair = pairs[a * count + b];
      pair = mix(Mixing::lorentz_berthelot, {first.epsilon, first.sigma},
                 {second.epsilon, second.sigma});
      if (a == b) continue;
      pair.epsilon *= model.mix(a, b).xi;
      pair.sigma *= model.mix(a, b).eta;
    }
  }
  return LennardJones(pairs, static_cast<int>(count), model.cutoff,
                      model.shifted[0] ? Truncation::shifted : Truncation::truncated);
}

}  // namespace

Interaction::Interaction(const Input& input, const ParameterTexts& texts)
    : tail_correction_(input.interaction.tail_correction),
      tail_normal_(index_of(input.interaction.tail_normal)),
      tail_slabs_(input.interaction.tail_slabs) {
  const Precision precision = input.run.precision;
  const std::string& kernel = input.interaction.kernel;
  const int type_count = static_cast<int>(input.types.size());
  if (!input.components.empty()) {
    model_ = molecule_model_from_input(input);
    components_ = model_->components;
    potential_ = potential_of_components(*model_);
  } else {
    components_ = components_of_types(input);
    if (has_pairs_besides(input)) pairs_of_types(input);
    const auto types_with = [&](ManyBodyKind kind) {
      std::vector<char> have;
      for (std::size_t n = 0; n < input.types.size(); ++n) {
        have.push_back(many_body_kind(input, n) == kind);
      }
      return have;
    };
    if (uses(input, ManyBodyKind::tersoff)) {
      tersoff_ = tersoff_potential(input, texts.tersoff);
      forces_.push_back(std::make_unique<TersoffForces>(
          *tersoff_, types_with(ManyBodyKind::tersoff), precision, kernel));
    }
    if (uses(input, ManyBodyKind::embedded_atom)) {
      embedded_atom_ = embedded_atom_potential(input, texts.embedded_atom);
      forces_.push_back(std::make_unique<EmbeddedAtomForces>(
          *embedded_atom_, types_with(ManyBodyKind::embedded_atom), precision, kernel));
    }
  }
  if (potential_) {
    take_pairs(input, std::make_unique<PairForces>(*potential_, precision, kernel));
  } else if (!functions_.empty()) {
    take_pairs(input,
               std::make_unique<PairForces>(functions_, type_count, ending_from_input(input),
                                            precision, kernel, added_layers_from_input(input)));
  } else if (model_) {
    forces_.push_back(std::make_unique<MolecularForces>(*model_, precision, kernel));
  }
  for (const auto& forces : forces_) range_ = std::max(range_, forces->range());
}

void Interaction::pairs_of_types(const Input& input) {
  const Truncation truncation = input.interaction.truncation;
  const bool is_general = has_pair_potentials(input) || !LennardJones::ends_by(truncation);
  const std::vector<PairFunction> functions = is_general || is_switched(truncation)
                                                  ? pair_functions_from_input(input)
                                                  : std::vector<PairFunction>();
  for (const PairFunction& function : functions) tails_.push_back(function.tail());
  if (is_general) {
    for (const PairFunction& function : functions) scales_.push_back(function.scale());
    for (const auto& layer : added_layers_from_input(input)) {
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
  if (tail_correction_ == TailCorrection::homogeneous && !tails_.empty()) {
    return tail_of_functions(counts, volume);
  }
  if (tail_correction_ == TailCorrection::planar) {
    if (potential_) return {0.0, 0.0};
    const auto self = HomogeneousCorrection(*model_).in_reaction_field(counts);
    return {self.energy, self.virial};
  }
  if (potential_) return potential_->tail_correction(counts, volume);
  const auto correction = HomogeneousCorrection(*model_)(counts, volume);
  return {correction.energy, correction.virial};
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
  if (potential_) return averaged_potentials(*potential_);
  // A shift changes no force: those beyond the cutoff are missing all the same.
  MoleculeModel unshifted = *model_;
  std::fill(unshifted.shifted.begin(), unshifted.shifted.end(), char{0});
  return averaged_potentials(unshifted);
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
  if (!has_pairs() && tersoff_) return 0.2 * tersoff_->cutoff();  // fastest for silicon at 500 K
  if (!has_pairs()) return 0.15 * embedded_atom_->cutoff();
  double sigma = 0.0;
  for (const Component& component : components_) {
    for (const auto& site : component.lennard_jones) sigma = std::max(sigma, site.sigma);
  }
  // A repulsion alone, c12 / r^12, may be given by a size that is far beyond the cutoff.
  return 0.3 * std::min(sigma, range_);
}

double Interaction::smallest_sigma() const {
  double sigma = std::numeric_limits<double>::max();
  if (tersoff_) sigma = std::min(sigma, tersoff_->strongest_dimer().length);
  if (embedded_atom_) sigma = std::min(sigma, embedded_atom_->strongest_dimer().length);
  if (!has_pairs()) return sigma;
  for (const PairScale& scale : scales_) sigma = std::min(sigma, scale.size);
  for (const Component& component : components_) {
    for (const auto& site : component.lennard_jones) sigma = std::min(sigma, site.sigma);
  }
  return std::min(sigma, range_);
}

double Interaction::largest_epsilon() const {
  double epsilon = 0.0;
  if (tersoff_) epsilon = std::max(epsilon, tersoff_->strongest_dimer().energy);
  if (embedded_atom_) epsilon = std::max(epsilon, embedded_atom_->strongest_dimer().energy);
  if (!has_pairs()) return epsilon;
  for (const PairScale& scale : scales_) epsilon = std::max(epsilon, scale.energy);
  for (const Component& component : components_) {
    for (const auto& site : component.lennard_jones) epsilon = std::max(epsilon, site.epsilon);
  }
  return epsilon;
}

}  // namespace sterna::md
