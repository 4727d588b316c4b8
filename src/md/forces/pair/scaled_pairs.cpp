#include "md/forces/pair/scaled_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sterna::md {

ScaledPairs::ScaledPairs(std::shared_ptr<const MoleculePlaces> places,
                         const std::vector<std::vector<Pair>>& pairs,
                         std::vector<PairFunction> functions)
    : places_(std::move(places)),
      functions_(std::move(functions)),
      type_count_(static_cast<std::size_t>(
          std::lround(std::sqrt(static_cast<double>(functions_.size()))))) {
  const auto& molecules = places_->topology().molecules();
  for (std::size_t kind = 0; kind < molecules.size(); ++kind) {
    auto& of_atoms = partners_.emplace_back(molecules[kind].atoms.size());
    for (const Pair& pair : pairs[kind]) {
      for (const int first : {0, 1}) {
        const auto from = static_cast<std::size_t>(pair.atoms[first]);
        of_atoms[from].push_back({static_cast<std::uint32_t>(pair.atoms[1 - first]), pair.share});
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
    const auto places = places_->excluded_of(i);
    const auto type = static_cast<std::size_t>(particles.position[i].type);
    for (const Partner& partner : partners) {
      const auto found = std::ranges::lower_bound(excluded, partner.atom);
      const std::uint32_t other = places[static_cast<std::size_t>(found - excluded.begin())];
      if (other == MoleculePlaces::none) continue;
      const auto other_type = static_cast<std::size_t>(particles.position[other].type);
      local_.push_back(
          {i, other, static_cast<std::uint32_t>(type * type_count_ + other_type), partner.share});
    }
  }
}

void ScaledPairs::finish(ParticleStore& particles, EnergyAndVirial* sums) {
  EnergyAndVirial own;
  for (const Local& pair : local_) {
    const Vec3 d =
        particles.position[pair.particle].vector() - particles.position[pair.other].vector();
    const PairFunction& function = functions_[pair.function];
    const double squared = dot(d, d);
    if (squared >= function.cutoff() * function.cutoff()) continue;
    const PairValue<double> value = function.ended_value(std::sqrt(squared));
    const Vec3 force = (pair.share * value.force_over_r) * d;
    particles.force[pair.particle] += force;
    if (sums == nullptr) continue;
    // The other atom of the pair adds the other half.
    own.energy += 0.5 * pair.share * value.energy;
    own.virial[0] += 0.5 * d.x * force.x;
    own.virial[1] += 0.5 * d.y * force.y;
    own.virial[2] += 0.5 * d.z * force.z;
    own.virial[3] += 0.5 * d.x * force.y;
    own.virial[4] += 0.5 * d.x * force.z;
    own.virial[5] += 0.5 * d.y * force.z;
  }
  if (sums != nullptr) *sums += own;
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
