#include "md/forces/pair/scaled_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sterna::md {

ScaledPairs::ScaledPairs(std::shared_ptr<const MoleculePlaces> places,
                         const std::vector<std::vector<Pair>>& pairs,
                         const std::vector<std::vector<PairFunction>>& functions,
                         CutoffCharges charges, double charge_factor)
    : places_(std::move(places)),
      functions_(functions.front().size()),
      type_count_(
          static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(functions_.size()))))),
      charges_(std::move(charges)),
      charge_factor_(charge_factor) {
  for (const std::vector<PairFunction>& table : functions) {
    for (std::size_t k = 0; k < table.size(); ++k) {
      if (!table[k].is_nothing()) functions_[k].push_back(table[k]);
    }
  }
  const auto& molecules = places_->topology().molecules();
  for (std::size_t kind = 0; kind < molecules.size(); ++kind) {
    auto& of_atoms = partners_.emplace_back(molecules[kind].atoms.size());
    for (const Pair& pair : pairs[kind]) {
      if (pair.charge_share != 0.0) parts_ = {{"potentials", 0.0}, {"charges", 0.0}};
      for (const int first : {0, 1}) {
        const auto from = static_cast<std::size_t>(pair.atoms[first]);
        of_atoms[from].push_back(
            {static_cast<std::uint32_t>(pair.atoms[1 - first]), pair.share, pair.charge_share});
      }
    }
  }
}

void ScaledPairs::rebuild(const ParticleStore& particles) {
  local_.clear();
  const Topology& topology = places_->topology();
  for (std::uint32_t i = 0; i < particles.local_count(); ++i) {
    const Topology::Place place = topology.place_of(particles.id[i]);
    const auto& partners = partners_[place.molecule][static_cast<std::size_t>(place.atom)];
    if (partners.empty()) continue;
    const auto excluded = topology.exclusions_of(place);
    const auto& atoms = topology.molecules()[place.molecule].atoms;
    const auto places = places_->excluded_of(i);
    const auto type = static_cast<std::size_t>(particles.position[i].type);
    for (const Partner& partner : partners) {
      const auto found = std::ranges::lower_bound(excluded, partner.atom);
      const std::uint32_t other = places[static_cast<std::size_t>(found - excluded.begin())];
      if (other == MoleculePlaces::none) continue;
      const auto other_type = static_cast<std::size_t>(particles.position[other].type);
      const auto charge = [&](std::size_t atom) { return charge_factor_ * atoms[atom].charge; };
      // The order of the factors is the same for both atoms, so that both have equal forces.
      const auto [low, high] = std::minmax(
          {static_cast<std::size_t>(place.atom), static_cast<std::size_t>(partner.atom)});
      local_.push_back({i, other, static_cast<std::uint32_t>(type * type_count_ + other_type),
                        partner.share, partner.charge_share * charge(low) * charge(high)});
    }
  }
}

void ScaledPairs::finish(ParticleStore& particles, EnergyAndVirial* sums) {
  EnergyAndVirial own;
  double of_charges = 0.0;
  for (const Local& pair : local_) {
    const Vec3 d =
        particles.position[pair.particle].vector() - particles.position[pair.other].vector();
    const double distance = std::sqrt(dot(d, d));
    double energy = 0.0, force_over_r = 0.0, charged = 0.0;
    for (const PairFunction& function : functions_[pair.types]) {
      if (pair.share == 0.0 || distance >= function.cutoff()) continue;
      const PairValue<double> value = function.ended_value(distance);
      energy += pair.share * value.energy;
      force_over_r += pair.share * value.force_over_r;
    }
    if (pair.charge_product != 0.0 && distance < charges_.cutoff) {
      const CutoffCharges::Value value = charges_.lacking_of_excluded(distance);
      charged = pair.charge_product * value.energy;
      force_over_r += pair.charge_product * value.force_over_r;
    }
    const Vec3 force = force_over_r * d;
    particles.force[pair.particle] += force;
    if (sums == nullptr) continue;
    // The rank of the other atom takes the other half.
    own.energy += 0.5 * (energy + charged);
    of_charges += 0.5 * charged;
    own.virial[0] += 0.5 * d.x * force.x;
    own.virial[1] += 0.5 * d.y * force.y;
    own.virial[2] += 0.5 * d.z * force.z;
    own.virial[3] += 0.5 * d.x * force.y;
    own.virial[4] += 0.5 * d.x * force.z;
    own.virial[5] += 0.5 * d.y * force.z;
  }
  if (sums == nullptr) return;
  *sums += own;
  if (parts_.empty()) return;
  parts_[0].energy = own.energy - of_charges;
  parts_[1].energy = of_charges;
}

ForceTerm::Settings ScaledPairs::settings() const {
  const Topology& topology = places_->topology();
  std::int64_t count = 0;
  for (const Topology::Run& run : topology.runs()) {
    std::int64_t entries = 0;
    for (const auto& partners : partners_[run.molecule]) {
      entries += static_cast<std::int64_t>(partners.size());
    }
    count += run.count * entries / 2;
  }
  return {{"pairs", count}};
}

}  // namespace sterna::md
