#include "md/forces/alchemy/alchemical_charges.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "md/forces/alchemy/pair_virial.hpp"

namespace sterna::md {

AlchemicalCharges::AlchemicalCharges(const AlchemicalAtoms& atoms, const Topology& topology,
                                     bool keeps_molecules, Options options)
    : atoms_(atoms),
      topology_(topology),
      keeps_molecules_(keeps_molecules),
      options_(std::move(options)) {}

void AlchemicalCharges::take_other(const ParticleStore& particles, std::uint32_t i) {
  if (options_.cutoff && topology_.atom_of(particles.id[i]).charge != 0.0) others_.push_back(i);
}

std::optional<AlchemicalPairs::Value> AlchemicalCharges::kept(double r_squared) const {
  const double r = std::sqrt(r_squared);
  if (!options_.cutoff) return Value{1.0 / r, 1.0 / (r * r_squared)};
  if (r >= options_.cutoff->cutoff) return std::nullopt;
  return options_.cutoff->within_molecule(r);
}

std::vector<double> AlchemicalCharges::charges_of(bool b) const {
  std::vector<double> charges;
  for (const AlchemicalAtoms::Atom& atom : atoms_.all())
    charges.push_back(b ? atom.charge_of_b : atom.charge);
  return charges;
}

std::vector<double> AlchemicalCharges::changes() const {
  std::vector<double> changes;
  for (const AlchemicalAtoms::Atom& atom : atoms_.all())
    changes.push_back(atom.charge_of_b - atom.charge);
  return changes;
}

AlchemicalCharges::Energies AlchemicalCharges::energies(const ParticleStore& particles) const {
  Energies sums;
  const std::vector<double> at_a = charges_of(false), at_b = charges_of(true);
  const auto is_charged = [](const std::vector<double>& charges) {
    return std::ranges::any_of(charges, [](double charge) { return charge != 0.0; });
  };
  const bool has_a = is_charged(at_a), has_b = is_charged(at_b);
  if (!has_a && !has_b) return sums;
  if (!options_.cutoff && !options_.solved) return sums;
  if (options_.cutoff) {
    const Cutoff& charges = *options_.cutoff;
    atoms_.for_each_surrounding(
        particles, others_, charges.cutoff, [&](std::size_t a, std::uint32_t i, const Vec3& d) {
          const double charge = options_.charge_factor * topology_.atom_of(particles.id[i]).charge;
          if (charge == 0.0 || (at_a[a] == 0.0 && at_b[a] == 0.0)) return;
          const double energy = charge * charges.value(std::sqrt(dot(d, d))).energy;
          sums.at_a += at_a[a] * energy;
          sums.at_b += at_b[a] * energy;
        });
  } else {
    const std::vector<double> potentials =
        options_.solved->potentials_of_others(particles, atoms_.places());
    for (std::size_t k = 0; k < atoms_.slots().size(); ++k) {
      sums.at_a += at_a[atoms_.slots()[k]] * potentials[k];
      sums.at_b += at_b[atoms_.slots()[k]] * potentials[k];
    }
  }
  const double of_a = has_a ? energy_of_own(at_a) : 0.0;
  sums.at_a += of_a;
  if (has_b) sums.at_b += energy_of_own(at_b);
  if (!options_.interpolates_energies) {
    sums.of_change += has_b ? energy_of_own(changes()) : of_a;
  }
  return sums;
}

double AlchemicalCharges::energy_of_own(std::span<const double> charges) const {
  double energy = 0.0;
  if (options_.solved) {
    energy += with_images(charges).sums.energy;
    if (keeps_molecules_) return energy;
    atoms_.for_each_inner(
        [&](std::size_t a, std::size_t b, const AlchemicalAtoms::Inner& inner, const Vec3& d) {
          if (!inner.is_excluded) energy += charges[a] * charges[b] / std::sqrt(dot(d, d));
        });
    return energy;
  }
  const Cutoff& ended = *options_.cutoff;
  const auto add = [&](std::size_t a, std::size_t b, double r, auto&& value) {
    const double product = charges[a] * charges[b];
    if (product != 0.0 && r < ended.cutoff) energy += product * value(r);
  };
  atoms_.for_each_outer([&](std::size_t a, std::size_t b, const Vec3& d) {
    add(a, b, std::sqrt(dot(d, d)), [&](double r) { return ended.value(r).energy; });
  });
  atoms_.for_each_inner(
      [&](std::size_t a, std::size_t b, const AlchemicalAtoms::Inner& inner, const Vec3& d) {
        const bool is_whole = !keeps_molecules_ && !inner.is_excluded;
        add(a, b, std::sqrt(dot(d, d)), [&](double r) {
          return ended.value(r).energy - (is_whole ? 0.0 : ended.within_molecule(r).energy);
        });
      });
  for (std::size_t a = 0; a < atoms_.size(); ++a) {
    if (atoms_.is_own(a)) energy -= 0.5 * ended.shift * charges[a] * charges[a];
  }
  return energy;
}

AlchemicalCharges::Solved::WithImages AlchemicalCharges::with_images(
    std::span<const double> charges) const {
  std::vector<std::int32_t> molecules;
  for (const AlchemicalAtoms::Atom& atom : atoms_.all())
    molecules.push_back(static_cast<std::int32_t>(atom.molecule));
  return options_.solved->with_images(atoms_.positions(), charges, molecules);
}

void AlchemicalCharges::add_own(double factor,
                                const std::function<void(std::size_t, const Vec3&)>& push,
                                EnergyAndVirial& sums) const {
  if (factor == 0.0) return;
  const std::vector<double> charges = changes();
  if (std::ranges::none_of(charges, [](double charge) { return charge != 0.0; })) return;
  const auto add_force = [&](std::size_t a, const Vec3& force) { push(a, factor * force); };
  const auto add_pair = [&](std::size_t a, std::size_t b, const Vec3& d, const Value& value) {
    const double product = charges[a] * charges[b];
    const Vec3 force = product * value.force_over_r * d;
    add_force(b, force);
    add_force(a, -1.0 * force);
    sums.energy += factor * product * value.energy;
    add_pair_virial(sums, d, factor * force);
  };
  if (options_.solved) {
    const Solved::WithImages images = with_images(charges);
    sums.energy += factor * images.sums.energy;
    for (int k = 0; k < 6; ++k) sums.virial[k] += factor * images.sums.virial[k];
    for (std::size_t a = 0; a < atoms_.size(); ++a) add_force(a, images.forces[a]);
    if (keeps_molecules_) return;
    atoms_.for_each_inner(
        [&](std::size_t a, std::size_t b, const AlchemicalAtoms::Inner& inner, const Vec3& d) {
          if (inner.is_excluded) return;
          const double r_squared = dot(d, d), r = std::sqrt(r_squared);
          add_pair(a, b, d, {1.0 / r, 1.0 / (r * r_squared)});
        });
    return;
  }
  if (!options_.cutoff) return;
  const Cutoff& ended = *options_.cutoff;
  atoms_.for_each_outer([&](std::size_t a, std::size_t b, const Vec3& d) {
    const double r = std::sqrt(dot(d, d));
    if (r < ended.cutoff) add_pair(a, b, d, ended.value(r));
  });
  atoms_.for_each_inner(
      [&](std::size_t a, std::size_t b, const AlchemicalAtoms::Inner& inner, const Vec3& d) {
        const double r = std::sqrt(dot(d, d));
        if (r >= ended.cutoff) return;
        Value value = ended.value(r);
        if (keeps_molecules_ || inner.is_excluded) {
          const Value within = ended.within_molecule(r);
          value = {value.energy - within.energy, value.force_over_r - within.force_over_r};
        }
        add_pair(a, b, d, value);
      });
  for (std::size_t a = 0; a < atoms_.size(); ++a) {
    if (!atoms_.is_own(a)) continue;
    sums.energy -= factor * 0.5 * ended.shift * charges[a] * charges[a];
  }
}

}  // namespace sterna::md
