// Idea:    the rank that computes a molecule is the rank whose half shell contains all atoms that
//          other ranks own. Half shells follow a total order of the regions, so there is exactly
//          one such rank, and each rank finds out by itself whether it is the one. In each step the
//          atoms are copied side by side. Their forces are added to those of local particles and
//          ghosts before the ghosts' forces return.
// Source:  general.
// Cost:    a copy of these atoms in each step. The forces travel with those of pairs.
// Hazards: no rank may see the whole of a long molecule. Ranks count the molecules that they
//          compute; if one of a kind is left over, none of this kind is treated this way.
// Others:  each rank computes the terms of its own atoms, if molecules are long or if forces on
//          ghosts do not return.

#include "md/system/spanning_molecules.hpp"

#include <algorithm>
#include <numeric>
#include <variant>

#include "md/system/molecule_places.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

/// A longer molecule seldom lies completely within the halo of a rank.
constexpr std::size_t most_atoms = 64;

bool may_span(const Topology::Molecule& molecule, std::span<const char> without_return) {
  return molecule.atoms.size() > 1 && molecule.atoms.size() <= most_atoms &&
         std::ranges::none_of(molecule.atoms, [&](const Topology::Atom& atom) {
           return !without_return.empty() && without_return[static_cast<std::size_t>(atom.type)];
         });
}

}  // namespace

/// Decides on one rank which molecules the rank computes.
class SpanningMolecules::Finder {
 public:
  Finder(const MoleculePlaces& places, const ParticleStore& particles,
         std::span<const char> half_shell)
      : places_(places), particles_(particles), half_shell_(half_shell) {}

  /// Whether this rank computes the molecule of a local particle. `all` gets the places of the
  /// atoms of the molecule; atoms that this rank does not see get `none`.
  bool computes(std::uint32_t particle, const Topology::Place& place,
                std::vector<std::uint32_t>& all) const {
    bool sees_all = follow_from(particle, place.atom, place.first_id, all);
    // Several images of the molecule may have atoms of this rank. Find the image whose other atoms
    // are all in the half shell. Each turn goes on to an image in a lower region, so the loop ends.
    const auto is_first = [&](std::uint32_t at) { return is_image(at) && !in_half_shell(at); };
    for (;;) {
      const auto first = std::ranges::find_if(all, is_first);
      if (first == all.end()) break;
      sees_all = follow_from(original(*first), static_cast<std::int32_t>(first - all.begin()),
                             place.first_id, all);
    }
    return sees_all && std::ranges::all_of(all, [&](std::uint32_t at) {
             return original(at) != none || in_half_shell(at);
           });
  }

  /// For a local particle its place, for an image the place of its original, otherwise `none`.
  std::uint32_t original(std::uint32_t place) const {
    const std::size_t local = particles_.local_count();
    return place == none || place < local ? place : places_.local_of_ghosts()[place - local];
  }

 private:
  bool is_image(std::uint32_t place) const {
    return place >= particles_.local_count() && original(place) != none;
  }
  bool in_half_shell(std::uint32_t ghost) const {
    return half_shell_[ghost - particles_.local_count()] != 0;
  }

  /// Finds the places of the molecule's atoms, starting at `particle`, which is atom number `own`,
  /// and going to both ends as far as this rank sees them. Returns whether it found all.
  bool follow_from(std::uint32_t particle, std::int32_t own, std::int64_t first_id,
                   std::vector<std::uint32_t>& all) const {
    const Vec3 start = particles_.position[particle].vector();
    const auto follow = [&](std::size_t from, std::size_t to) {
      const auto found = places_.nearest(first_id + static_cast<std::int64_t>(to),
                                         particles_.position[all[from]].vector());
      if (!found || !places_.is_near(particles_.position[*found].vector() - start)) return false;
      all[to] = *found;
      return true;
    };
    std::ranges::fill(all, none);
    std::size_t first = static_cast<std::size_t>(own), last = first;
    all[first] = particle;
    while (first > 0 && follow(first, first - 1)) --first;
    while (last + 1 < all.size() && follow(last, last + 1)) ++last;
    return first == 0 && last + 1 == all.size();
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
  if (std::ranges::count(may, 1) == 0) return;

  const Finder finder(places, particles, half_shell);
  std::vector<std::uint32_t> all;
  kind_of_.assign(particles.local_count(), none);
  for (std::uint32_t i = 0; i < particles.local_count(); ++i) {
    if (places.in_whole(i) || kind_of_[i] != none) continue;
    const Topology::Place place = topology.place_of(particles.id[i]);
    if (may[place.molecule] == 0) continue;
    Kind& kind = kinds_[place.molecule];
    all.resize(kind.atoms);
    const bool computes = finder.computes(i, place, all);
    for (const std::uint32_t at : all) {
      if (finder.original(at) != none) kind_of_[finder.original(at)] = place.molecule;
    }
    if (computes) kind.places.insert(kind.places.end(), all.begin(), all.end());
  }
  // No molecule is computed by two ranks, so all are computed if the counts add up to the total.
  std::vector<std::int64_t> left(kinds_.size());
  for (const Topology::Run& run : topology.runs()) {
    if (context.rank() == 0) left[run.molecule] += run.count;
  }
  for (std::uint32_t k = 0; k < kinds_.size(); ++k) {
    const std::size_t atoms = kinds_[k].places.size() + places.whole(k).size();
    left[k] -= static_cast<std::int64_t>(atoms / kinds_[k].atoms);
  }
  comm::ReductionBatch(context, "molecules that no rank sees").sum(left.data(), left.size()).run();
  for (std::uint32_t& kind : kind_of_) {
    if (kind != none && left[kind] != 0) kind = none;
  }
  std::size_t most = 0;
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    Kind& kind = kinds_[k];
    if (left[k] != 0) kind.places.clear();
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

MoleculeBatch SpanningMolecules::of_kind(std::uint32_t molecule, AlignedBuffer<double>& room) {
  if (molecule >= kinds_.size()) return {};
  const Kind& kind = kinds_[molecule];
  room.resize(kind.atoms * MoleculeBatch::room_per_atom);
  return {kind.places.size() / kind.atoms, kind.atoms, numbers_.data(),
          position_.data() + kind.begin,   nullptr,    kind.places.size(),
          force_.data() + kind.begin,      room.data()};
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
