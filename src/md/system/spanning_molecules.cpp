// Idea:    of the ranks that have atoms of a molecule, the one computes it in whose half shell all the
//          others' atoms are. Half shells go by the places of regions, one after the other, so there
//          is exactly one such rank, and each rank finds out by itself whether it is that one. The
//          atoms are copied side by side in each step; what acts on them is added to the forces on
//          particles and ghosts, before the latter return.
// Source:  general.
// Cost:    a copy of these atoms in each step. The forces travel with those of pairs.
// Hazards: a rank that does not see all of a molecule cannot tell who computes it. If that happens
//          to a rank with one molecule, no rank shares out molecules of that kind.
// Others:  each rank computes the terms of its own atoms, where molecules are long, or where no
//          forces return.

#include "md/system/spanning_molecules.hpp"

#include <algorithm>
#include <numeric>
#include <variant>

#include "md/system/molecule_places.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

/// Longer ones are hardly ever seen as a whole by all ranks that have atoms of them.
constexpr std::size_t most_atoms = 64;

bool may_span(const Topology::Molecule& molecule, std::span<const char> without_return) {
  return molecule.atoms.size() > 1 && molecule.atoms.size() <= most_atoms &&
         std::ranges::none_of(molecule.atoms, [&](const Topology::Atom& atom) {
           return !without_return.empty() && without_return[static_cast<std::size_t>(atom.type)];
         });
}

}  // namespace

/// What one rank sees.
class SpanningMolecules::Finder {
 public:
  Finder(const MoleculePlaces& places, const ParticleStore& particles,
         std::span<const char> half_shell)
      : places_(places), particles_(particles), half_shell_(half_shell) {}

  enum class Finding { not_seen, of_this_rank, computed_here, computed_elsewhere };
  /// Of the molecule of a local particle. `all`: the places of its atoms.
  Finding look(std::uint32_t particle, const Topology::Place& place,
               std::vector<std::uint32_t>& all) const {
    if (!follow_from(particle, place.atom, place.first_id, all)) return Finding::not_seen;
    // Of the images of the molecule that have atoms of this rank, the one whose others are all in
    // its half shell. Each look at another image goes on to a region further down, so it ends.
    const auto is_first = [&](std::uint32_t at) { return is_image(at) && !in_half_shell(at); };
    for (;;) {
      const auto first = std::ranges::find_if(all, is_first);
      if (first == all.end()) break;
      if (!follow_from(original(*first), static_cast<std::int32_t>(first - all.begin()),
                       place.first_id, all)) {
        return Finding::not_seen;
      }
    }
    const auto is_others = [&](std::uint32_t at) { return original(at) == none; };
    if (std::ranges::none_of(all, is_others)) return Finding::of_this_rank;
    return std::ranges::all_of(all, [&](std::uint32_t at) {
      return !is_others(at) || in_half_shell(at);
    }) ? Finding::computed_here : Finding::computed_elsewhere;
  }

  /// The local particle at a place or, of an image, its original; `none` for others' particles.
  std::uint32_t original(std::uint32_t place) const {
    const std::size_t local = particles_.local_count();
    return place < local ? place : places_.local_of_ghosts()[place - local];
  }

 private:
  bool is_image(std::uint32_t place) const {
    return place >= particles_.local_count() && original(place) != none;
  }
  bool in_half_shell(std::uint32_t ghost) const {
    return half_shell_[ghost - particles_.local_count()] != 0;
  }

  /// The places of all atoms of the molecule of which `particle` is atom number `own`.
  bool follow_from(std::uint32_t particle, std::int32_t own, std::int64_t first_id,
                   std::vector<std::uint32_t>& all) const {
    const Vec3 start = particles_.position[particle].vector();
    const auto follow = [&](std::size_t from, std::size_t to) {
      const auto found = places_.nearest(first_id + static_cast<std::int64_t>(to),
                                         particles_.position[all[from]].vector());
      if (!found) return false;
      all[to] = *found;
      return places_.is_near(particles_.position[*found].vector() - start);
    };
    const auto first = static_cast<std::size_t>(own);
    all[first] = particle;
    for (std::size_t k = first; k-- > 0;) {
      if (!follow(k + 1, k)) return false;
    }
    for (std::size_t k = first + 1; k < all.size(); ++k) {
      if (!follow(k - 1, k)) return false;
    }
    return true;
  }

  const MoleculePlaces& places_;
  const ParticleStore& particles_;
  std::span<const char> half_shell_;
};

void SpanningMolecules::clear() {
  kinds_.clear();
  kind_of_.clear();
  targets_.clear();
}

void SpanningMolecules::find(const comm::Context& context, const MoleculePlaces& places,
                             const ParticleStore& particles, std::span<const char> half_shell,
                             std::span<const char> without_return) {
  clear();
  const Topology& topology = places.topology();
  std::vector<char> may;
  for (const Topology::Molecule& molecule : topology.molecules()) {
    may.push_back(may_span(molecule, without_return));
    kinds_.emplace_back().atoms = molecule.atoms.size();
  }
  if (context.size() == 1 || std::ranges::count(may, 1) == 0) return;

  const Finder finder(places, particles, half_shell);
  std::vector<std::int64_t> not_seen(kinds_.size());
  std::vector<std::uint32_t> all;
  kind_of_.assign(particles.local_count(), none);
  for (std::uint32_t i = 0; i < particles.local_count(); ++i) {
    if (places.in_whole(i) || kind_of_[i] != none) continue;
    const Topology::Place place = topology.place_of(particles.id[i]);
    Kind& kind = kinds_[place.molecule];
    if (!may[place.molecule] || not_seen[place.molecule] > 0) continue;
    all.resize(kind.atoms);
    const Finder::Finding finding = finder.look(i, place, all);
    if (finding == Finder::Finding::not_seen) not_seen[place.molecule] = 1;
    if (finding == Finder::Finding::not_seen || finding == Finder::Finding::of_this_rank) continue;
    for (const std::uint32_t at : all) {
      if (finder.original(at) != none) kind_of_[finder.original(at)] = place.molecule;
    }
    if (finding == Finder::Finding::computed_here) {
      kind.places.insert(kind.places.end(), all.begin(), all.end());
    }
  }
  comm::ReductionBatch(context, "molecules that a rank does not see")
      .sum(not_seen.data(), not_seen.size())
      .run();
  for (std::uint32_t& kind : kind_of_) {
    if (kind != none && not_seen[kind] > 0) kind = none;
  }
  std::size_t most = 0;
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    Kind& kind = kinds_[k];
    if (not_seen[k] > 0) kind.places.clear();
    kind.begin = targets_.size();
    most = std::max(most, kind.places.size());
    for (const std::uint32_t at : kind.places) {
      const std::uint32_t original = finder.original(at);
      targets_.push_back(original == none ? at : original);
    }
  }
  numbers_.resize(most);
  std::iota(numbers_.begin(), numbers_.end(), 0u);
}

void SpanningMolecules::take_positions(const ParticleStore& particles) {
  position_.renew(targets_.size());
  force_.renew(targets_.size());
  std::ranges::fill(force_, Vec3{});
  for (const Kind& kind : kinds_) {
    for (std::size_t k = 0; k < kind.places.size(); ++k) {
      position_[kind.begin + k] = particles.position[kind.places[k]];
    }
  }
}

MoleculeBatch SpanningMolecules::of_kind(std::uint32_t molecule, double* room) {
  if (molecule >= kinds_.size()) return {};
  const Kind& kind = kinds_[molecule];
  return {kind.places.size() / kind.atoms,
          kind.atoms,
          numbers_.data(),
          position_.data() + kind.begin,
          nullptr,
          kind.places.size(),
          force_.data() + kind.begin,
          room};
}

void SpanningMolecules::add_forces(const CollectedForces& collected) const {
  std::visit(
      [&](const auto& forces) {
        for (std::size_t k = 0; k < targets_.size(); ++k) {
          auto& force = forces[targets_[k]];
          using Real = decltype(force.x);
          const Vec3 added = (1.0 / collected.unit) * force_[k];
          force.x += static_cast<Real>(added.x);
          force.y += static_cast<Real>(added.y);
          force.z += static_cast<Real>(added.z);
        }
      },
      collected.forces);
}

}  // namespace sterna::md
