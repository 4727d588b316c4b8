#include "md/forces/coulomb/excluded_charges.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "md/core/agreement.hpp"
#include "md/simd/instruction_set.hpp"

namespace sterna::md {

ExcludedCharges::ExcludedCharges(const comm::Context& context,
                                 std::shared_ptr<const MoleculePlaces> places, double factor)
    : context_(context),
      places_(std::move(places)),
      factor_(factor),
      kernels_(select_kernels(
          available_kernels<ExcludedKernels>(STERNA_KERNEL_FAMILY(excluded_kernels)), "auto")) {
  list_pairs();
}

void ExcludedCharges::list_pairs() {
  pairs_.clear();
  charge_changes_ = places_->topology().charge_changes();
  for (const Topology::Molecule& molecule : places_->topology().molecules()) {
    auto& pairs = pairs_.emplace_back();
    for (const auto& [first, second] : molecule.exclusions) {
      const auto a = static_cast<std::uint32_t>(first), b = static_cast<std::uint32_t>(second);
      const double product =
          factor_ * factor_ * molecule.atoms[a].charge * molecule.atoms[b].charge;
      if (product != 0.0) pairs.push_back({a, b, product});
    }
  }
}

void ExcludedCharges::rebuild(const ParticleStore& particles, bool of_spanning) {
  local_.clear();
  of_ghosts_.clear();
  const Topology& topology = places_->topology();
  if (charge_changes_ != topology.charge_changes()) list_pairs();
  std::string missing;
  for (std::uint32_t i = 0; i < particles.local_count() && missing.empty(); ++i) {
    if (places_->in_whole(i) || (!of_spanning && places_->spanning().has(i))) continue;
    const Topology::Place place = topology.place_of(particles.id[i]);
    const auto& atoms = topology.molecules()[place.molecule].atoms;
    const double charge = factor_ * factor_ * atoms[static_cast<std::size_t>(place.atom)].charge;
    if (charge == 0.0) continue;
    const auto excluded = topology.exclusions_of(place);
    const auto places = places_->excluded_of(i);
    for (std::size_t k = 0; k < excluded.size(); ++k) {
      const double product = charge * atoms[excluded[k]].charge;
      if (product == 0.0) continue;
      if (places[k] == MoleculePlaces::none) {
        if (missing.empty()) {
          missing =
              places_->missing(particles.id[i], place.first_id + excluded[k], context_.rank());
        }
      } else if (places[k] >= particles.local_count()) {
        of_ghosts_.push_back({i, places[k], product});
      } else if (i < places[k]) {
        local_.push_back({i, places[k], product});
      }
    }
  }
  // Unused capacity is released, because growing vectors reserve up to twice their size.
  local_.shrink_to_fit();
  of_ghosts_.shrink_to_fit();
  agree(context_, missing);
}

void ExcludedCharges::subtract_of_spanning(SpanningMolecules& molecules, bool with_sums) {
  for (std::uint32_t molecule = 0; molecule < pairs_.size(); ++molecule) {
    subtract_of_whole(molecule, molecules.of_kind(molecule, room_), with_sums);
  }
}

void ExcludedCharges::subtract(const ParticleStore& particles, std::span<Vec3> forces,
                               EnergyAndVirial* sums) {
  for (std::uint32_t molecule = 0; molecule < pairs_.size(); ++molecule) {
    subtract_of_whole(molecule, places_->whole_batch(molecule, forces.data(), room_),
                      sums != nullptr);
  }
  const auto subtract_pairs = [&](std::span<const Pair> pairs, bool of_ghosts) {
    // If the other atom is a ghost, its rank counts the other half of the pair.
    const double share = of_ghosts ? 0.5 : 1.0;
    for (const Pair& pair : pairs) {
      const Vec3 d =
          particles.position[pair.particle].vector() - particles.position[pair.other].vector();
      const double inverse_squared = 1.0 / dot(d, d);
      const double energy = pair.product * std::sqrt(inverse_squared);
      const Vec3 force = (energy * inverse_squared) * d;
      forces[pair.particle] -= force;
      if (!of_ghosts) forces[pair.other] += force;
      if (sums == nullptr) continue;
      sums_.energy -= share * energy;
      sums_.virial[0] -= share * d.x * force.x;
      sums_.virial[1] -= share * d.y * force.y;
      sums_.virial[2] -= share * d.z * force.z;
      sums_.virial[3] -= share * d.x * force.y;
      sums_.virial[4] -= share * d.x * force.z;
      sums_.virial[5] -= share * d.y * force.z;
    }
  };
  subtract_pairs(local_, false);
  subtract_pairs(of_ghosts_, true);
  if (sums == nullptr) return;
  *sums += sums_;
  sums_ = {};
}

void ExcludedCharges::subtract_of_whole(std::uint32_t molecule, const MoleculeBatch& molecules,
                                        bool with_sums) {
  const std::vector<ExcludedWork::Pair>& pairs = pairs_[molecule];
  if (pairs.empty() || molecules.count == 0) return;
  ExcludedWork work{molecules, pairs.data(), pairs.size(), with_sums, 0.0, {}};
  kernels_.subtract(work);
  sums_.energy += work.energy;
  for (int k = 0; k < 6; ++k) sums_.virial[k] += work.virial[k];
}

}  // namespace sterna::md
