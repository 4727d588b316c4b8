#include "md/integrate/centers.hpp"

#include <algorithm>
#include <utility>

#include "md/core/agreement.hpp"
#include "md/system/joined_atoms.hpp"

namespace sterna::md {
namespace {

constexpr int first_axis[] = {0, 1, 2, 0, 0, 1};
constexpr int second_axis[] = {0, 1, 2, 1, 2, 2};

void add_product(Tensor& sum, const Vec3& a, const Vec3& b, double factor) {
  for (std::size_t k = 0; k < 6; ++k) sum[k] += factor * a[first_axis[k]] * b[second_axis[k]];
}

}  // namespace

Centers::Centers(const comm::Context& context, std::shared_ptr<const MoleculePlaces> places,
                 std::span<const double> masses, GhostVectors ghost_vectors)
    : context_(context),
      places_(std::move(places)),
      masses_(masses.begin(), masses.end()),
      ghost_vectors_(std::move(ghost_vectors)) {
  if (places_ == nullptr || places_->topology().constraint_count() == 0) return;
  for (const Topology::Molecule& molecule : places_->topology().molecules()) {
    kinds_.push_back(kind_of(molecule));
  }
}

Centers::Kind Centers::kind_of(const Topology::Molecule& molecule) {
  JoinedGroups joined = joined_by_constraints(molecule);
  Kind kind{.groups = {}, .group_of = std::move(joined.group_of)};
  for (JoinedAtoms& group : joined.groups) {
    const std::size_t count = group.atoms.size();
    kind.groups.push_back({std::move(group.atoms), std::move(group.parent), count});
  }
  // A virtual site whose atoms are all in one group moves with this group.
  for (const VirtualSite& site : molecule.virtual_sites) {
    const auto group_of = [&](std::int32_t atom) {
      return kind.group_of[static_cast<std::size_t>(atom)];
    };
    const std::int32_t number = group_of(site.atoms[0]);
    const auto is_of_group = [&](std::int32_t atom) { return group_of(atom) == number; };
    if (number < 0 || !std::ranges::all_of(site.made_of(), is_of_group)) continue;
    KindGroup& group = kind.groups[static_cast<std::size_t>(number)];
    const auto first = std::ranges::find(group.atoms, site.atoms[0]) - group.atoms.begin();
    kind.group_of[static_cast<std::size_t>(site.atom)] = number;
    group.atoms.push_back(site.atom);
    group.parent.push_back(static_cast<std::int32_t>(first));
  }
  return kind;
}

std::int64_t Centers::joined_atoms(const Topology& topology) {
  std::vector<std::int64_t> of_kind;
  for (const Topology::Molecule& molecule : topology.molecules()) {
    std::int64_t joined = 0;
    for (const KindGroup& group : kind_of(molecule).groups) {
      joined += static_cast<std::int64_t>(group.with_mass) - 1;
    }
    of_kind.push_back(joined);
  }
  std::int64_t joined = 0;
  for (const Topology::Run& run : topology.runs()) joined += of_kind[run.molecule] * run.count;
  return joined;
}

void Centers::rebuild(const ParticleStore& particles) {
  if (!are_groups()) return;
  groups_.clear();
  atoms_.clear();
  is_joined_.assign(particles.local_count(), 0);
  std::string missing;
  for (std::uint32_t i = 0; i < particles.local_count() && missing.empty(); ++i) {
    const Topology::Place place = places_->topology().place_of(particles.id[i]);
    const Kind& kind = kinds_[place.molecule];
    const std::int32_t group = kind.group_of[static_cast<std::size_t>(place.atom)];
    if (group < 0) continue;
    is_joined_[i] = 1;
    add(particles, i, place, kind.groups[static_cast<std::size_t>(group)], missing);
  }
  agree(context_, missing);
}

void Centers::add(const ParticleStore& particles, std::uint32_t particle,
                  const Topology::Place& place, const KindGroup& group, std::string& missing) {
  const std::size_t size = group.atoms.size(), first = atoms_.size();
  const auto id = [&](std::size_t k) { return place.first_id + group.atoms[k]; };
  std::size_t own = size, locals = 0;
  for (std::size_t k = 0; k < size; ++k) {
    const auto local = places_->local(id(k));
    // Only the group's first local atom adds the group.
    if (locals == 0 && local && *local != particle) {
      atoms_.resize(first);
      return;
    }
    if (own == size && local) own = k;
    locals += local ? 1 : 0;
    atoms_.push_back({MoleculePlaces::none, local.value_or(MoleculePlaces::none), 0.0});
  }
  // First follow the parents from the first local atom to the root, then go from parents to
  // children.
  const auto follow = [&](std::size_t from, std::size_t to) {
    Atom& atom = atoms_[first + to];
    if (atom.place != MoleculePlaces::none) return;
    const std::uint32_t before = atoms_[first + from].place;
    const auto found = places_->nearest(id(to), particles.position[before].vector());
    if (!found && missing.empty()) missing = places_->missing(id(from), id(to), context_.rank());
    atom.place = found.value_or(before);
  };
  atoms_[first + own].place = particle;
  for (std::size_t k = own; group.parent[k] >= 0; k = static_cast<std::size_t>(group.parent[k])) {
    follow(k, static_cast<std::size_t>(group.parent[k]));
  }
  for (std::size_t k = 1; k < size; ++k) follow(static_cast<std::size_t>(group.parent[k]), k);
  double mass = 0.0;
  for (std::size_t k = 0; k < size; ++k) {
    Atom& atom = atoms_[first + k];
    if (atom.particle == MoleculePlaces::none) atom.particle = atom.place;
    atom.mass = masses_[static_cast<std::size_t>(particles.position[atom.place].type)];
    mass += atom.mass;
  }
  groups_.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(size), mass,
                     static_cast<double>(locals) / static_cast<double>(size)});
}

Vec3 Centers::center(const Group& group, const ParticleStore& particles) const {
  Vec3 sum;
  for (const Atom& atom : of(group)) sum += atom.mass * particles.position[atom.place].vector();
  return (1.0 / group.mass) * sum;
}

Vec3 Centers::velocity(const Group& group) const {
  Vec3 sum;
  for (const Atom& atom : of(group)) sum += atom.mass * velocity_[atom.particle];
  return (1.0 / group.mass) * sum;
}

void Centers::take_velocities(const ParticleStore& particles) {
  velocity_.resize(particles.total_count());
  std::copy_n(particles.velocity.data(), particles.local_count(), velocity_.begin());
  const std::span<Vec3> all(velocity_);
  ghost_vectors_(all.first(particles.local_count()), all.subspan(particles.local_count()));
}

void Centers::move_positions(ParticleStore& particles, const Deformation& by) const {
  const std::size_t count = particles.local_count();
  for (const Group& group : groups_) {
    const Vec3 center = this->center(group, particles);
    const Vec3 shift = by(center) - center;
    for (const Atom& atom : of(group)) {
      if (atom.particle >= count) continue;
      Position& position = particles.position[atom.particle];
      // The group may use another image of this atom. The distance to this image scales with the
      // box.
      const Vec3 image = position.vector() - particles.position[atom.place].vector();
      const Vec3 moved = position.vector() + shift + (by(image) - image);
      position.x = moved.x;
      position.y = moved.y;
      position.z = moved.z;
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_joined_.empty() && is_joined_[i] != 0) continue;
    Position& position = particles.position[i];
    const Vec3 moved = by(position.vector());
    position.x = moved.x;
    position.y = moved.y;
    position.z = moved.z;
  }
}

void Centers::change_velocities(ParticleStore& particles, const Deformation& by) {
  const std::size_t count = particles.local_count();
  if (are_groups()) take_velocities(particles);
  for (const Group& group : groups_) {
    const Vec3 velocity = this->velocity(group);
    const Vec3 change = by(velocity) - velocity;
    for (const Atom& atom : of(group)) {
      if (atom.particle < count) particles.velocity[atom.particle] += change;
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (is_joined_.empty() || is_joined_[i] == 0) particles.velocity[i] = by(particles.velocity[i]);
  }
}

Tensor Centers::kinetic(const ParticleStore& particles) {
  Tensor sum{};
  if (are_groups()) take_velocities(particles);
  for (const Group& group : groups_) {
    const Vec3 velocity = this->velocity(group);
    add_product(sum, velocity, velocity, group.share * group.mass);
  }
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    if (!is_joined_.empty() && is_joined_[i] != 0) continue;
    const Vec3& velocity = particles.velocity[i];
    add_product(sum, velocity, velocity,
                masses_[static_cast<std::size_t>(particles.position[i].type)]);
  }
  return sum;
}

Tensor Centers::inner_virial(const ParticleStore& particles) const {
  Tensor sum{};
  for (const Group& group : groups_) {
    const Vec3 center = this->center(group, particles);
    for (const Atom& atom : of(group)) {
      if (atom.particle >= particles.local_count()) continue;
      const Vec3 arm = particles.position[atom.place].vector() - center;
      add_product(sum, particles.force[atom.particle], arm, 1.0);
    }
  }
  return sum;
}

}  // namespace sterna::md
