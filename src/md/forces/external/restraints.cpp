#include "md/forces/external/restraints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "md/core/agreement.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

/// Limits the number of held atoms, because a checkpoint has the reference positions as one array
/// that all ranks read.
constexpr std::int64_t most_held = 4'000'000;
/// The first number of a state in the present format. States of the first format begin with a
/// count.
constexpr double state_format = -2.0;
constexpr std::size_t head_of_state = 8;  // format, number of restraints, center, middle of the box
constexpr std::size_t per_reference = 8;

Vec3 in_edges(const Vec3& position, const Box& box) {
  const Shear shear = box.shear();
  Vec3 fraction;
  for (int axis = 0; axis < 3; ++axis) {
    fraction[axis] = (position[axis] - shear.offset(position, axis)) / box.length[axis];
  }
  return fraction;
}

Vec3 from_edges(const Vec3& fraction, const Box& box) {
  return box.translation(fraction.x, fraction.y, fraction.z);
}

/// Moves the reference position by lattice vectors to the image nearest to `target`, and records
/// the image.
void go_near(ReferencePosition& reference, const Vec3& target, const Box& box) {
  const Vec3 away = target - reference.place;
  const Vec3 boxes = in_edges(away - box.nearest_image(away), box);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    reference.image[axis] = static_cast<std::int32_t>(std::lround(boxes[static_cast<int>(axis)]));
  }
}

Vec3 middle_of(const Box& box) {
  return box.translation(0.5, 0.5, 0.5);
}

Vec3 translation_of(const ReferencePosition& reference, const Box& box) {
  return box.translation(reference.image[0], reference.image[1], reference.image[2]);
}

void put_in_box(ReferencePosition& reference, const Vec3& place, const Box& box) {
  int image[3];
  reference.place = box.wrap(place, image);
  for (std::size_t axis = 0; axis < 3; ++axis) reference.image[axis] = image[axis];
}

}  // namespace

Restraints::Restraints(const comm::Context& context, const Box& box,
                       std::vector<Restraint> restraints, std::vector<double> masses)
    : context_(context),
      box_(box),
      restraints_(std::move(restraints)),
      masses_(std::move(masses)),
      references_(context),
      middle_(middle_of(box)) {}

Vec3 Restraints::path(const ParticleStore& particles, std::size_t i) const {
  const Image& image = particles.image[i];
  return particles.position[i].vector() + box_.translation(image.x, image.y, image.z);
}

bool Restraints::may_hold(const Restraint& restraint, std::int64_t id, std::int64_t type) const {
  if (!restraint.where.contains_type(type)) return false;
  return restraint.groups.empty() ||
         std::ranges::any_of(restraint.groups, [&](const AtomGroup& group) {
           return group.depends_on_position() || group.contains(id, type);
         });
}

bool Restraints::holds(const Restraint& restraint, const ParticleStore& particles,
                       std::size_t i) const {
  const Position& position = particles.position[i];
  if (!restraint.where.contains(position, box_)) return false;
  return restraint.groups.empty() ||
         std::ranges::any_of(restraint.groups, [&](const AtomGroup& group) {
           return group.contains(particles.id[i], position, box_);
         });
}

void Restraints::find_all(const ParticleStore& particles) {
  std::vector<ReferencePosition> all;
  for (std::size_t k = 0; k < restraints_.size(); ++k) {
    const Restraint& restraint = restraints_[k];
    std::vector<ReferencePosition> held;
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      if (!holds(restraint, particles, i)) continue;
      ReferencePosition& made = held.emplace_back();
      made.id = particles.id[i];
      made.restraint = static_cast<std::int32_t>(k);
      put_in_box(made, path(particles, i), box_);
    }
    std::int64_t count = static_cast<std::int64_t>(held.size());
    comm::ReductionBatch(context_, "held atoms").sum(count).run();
    if (count > most_held) {
      throw std::runtime_error(
          fmt::format("[[restraint]] {} holds {} atoms or molecules; at most {} can be held. "
                      "[[freeze]] has no such bound",
                      k + 1, count, most_held));
    }
    if (restraint.read_places) {
      std::ranges::sort(held, {}, &ReferencePosition::id);
      read_places(restraint, held);
    } else if (restraint.place) {
      for (ReferencePosition& reference : held) reference.place = *restraint.place;
    }
    all.insert(all.end(), held.begin(), held.end());
  }
  place_about_center(particles, all);
  for (ReferencePosition& reference : all) {
    const Restraint& restraint = restraints_[static_cast<std::size_t>(reference.restraint)];
    if (restraint.scaling == ReferenceScaling::all ||
        (restraint.scaling == ReferenceScaling::center && restraint.place)) {
      reference.place = in_edges(reference.place, box_);
    }
  }
  references_.set(all);
  known_ = true;
}

/// Reads reference positions from a file. `held`: the atoms of this rank, by id, with the position
/// of each atom's path.
void Restraints::read_places(const Restraint& restraint,
                             std::vector<ReferencePosition>& held) const {
  std::vector<char> found(held.size(), 0);
  restraint.read_places([&](std::span<const PlaceOfAtom> some, const Box& box) {
    const bool stretched = restraint.scaling == ReferenceScaling::all && !(box == box_);
    for (const PlaceOfAtom& given : some) {
      const auto one = std::ranges::lower_bound(held, given.id, {}, &ReferencePosition::id);
      if (one == held.end() || one->id != given.id) continue;
      const Vec3 path_of_atom = one->place + translation_of(*one, box_);
      put_in_box(*one, stretched ? from_edges(in_edges(given.place, box), box_) : given.place,
                 box_);
      go_near(*one, path_of_atom, box_);
      found[static_cast<std::size_t>(one - held.begin())] = 1;
    }
  });
  if (restraint.groups.empty() && restraint.where.is_everything()) {
    // Without a selection, the file decides which atoms are held.
    std::size_t next = 0;
    std::erase_if(held, [&](const ReferencePosition&) { return found[next++] == 0; });
    std::int64_t count = static_cast<std::int64_t>(held.size());
    comm::ReductionBatch(context_, "held atoms").sum(count).run();
    if (count == 0) {
      throw std::runtime_error(
          fmt::format("the file {} of a [[restraint]] has none of the atoms", restraint.file));
    }
    return;
  }
  const auto lacking = std::ranges::find(found, 0);
  agree(context_, lacking == found.end()
                      ? std::string()
                      : fmt::format("the file {} of a [[restraint]] lacks the atom with the id {}, "
                                    "which is held",
                                    restraint.file,
                                    held[static_cast<std::size_t>(lacking - found.begin())].id));
}

/// Makes reference positions that scale with the center of mass relative to it. An atom held by
/// several restraints counts once.
void Restraints::place_about_center(const ParticleStore& particles,
                                    std::vector<ReferencePosition>& held) {
  std::vector<ReferencePosition*> scaled;
  for (ReferencePosition& reference : held) {
    const Restraint& restraint = restraints_[static_cast<std::size_t>(reference.restraint)];
    if (restraint.scaling == ReferenceScaling::center && !restraint.place) {
      scaled.push_back(&reference);
    }
  }
  std::ranges::stable_sort(scaled, {}, &ReferencePosition::id);
  std::vector<std::pair<std::int64_t, std::int64_t>> types;
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    types.emplace_back(particles.id[i], particles.position[i].type);
  }
  std::ranges::sort(types);
  double sums[4] = {};
  auto type = types.begin();
  for (std::size_t k = 0; k < scaled.size(); ++k) {
    const ReferencePosition& reference = *scaled[k];
    if (k > 0 && scaled[k - 1]->id == reference.id) continue;
    while (type->first != reference.id) ++type;
    const double mass = masses_[static_cast<std::size_t>(type->second)];
    const Vec3 place = reference.place + translation_of(reference, box_);
    for (int axis = 0; axis < 3; ++axis) sums[axis] += mass * place[axis];
    sums[3] += mass;
  }
  comm::ReductionBatch(context_, "center of reference positions", comm::ReductionOrder::fixed)
      .sum(sums, 4)
      .run();
  if (!(sums[3] > 0.0)) return;
  const Vec3 center = (1.0 / sums[3]) * Vec3{sums[0], sums[1], sums[2]};
  center_ = in_edges(center, box_);
  for (ReferencePosition* reference : scaled) {
    const Vec3 from_center = reference->place + translation_of(*reference, box_) - center;
    reference->place = box_.nearest_image(from_center);
    go_near(*reference, from_center, box_);
  }
}

void Restraints::rebuild(const ParticleStore& particles) {
  if (!known_) find_all(particles);
  std::vector<std::int64_t> ids;
  std::vector<std::pair<std::int64_t, std::size_t>> places;
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    if (std::ranges::any_of(restraints_, [&](const Restraint& restraint) {
          return may_hold(restraint, particles.id[i], particles.position[i].type);
        })) {
      places.emplace_back(particles.id[i], i);
    }
  }
  std::ranges::sort(places);
  for (const auto& [id, index] : places) ids.push_back(id);
  of_here_ = references_.of(std::move(ids));
  here_.clear();
  auto place = places.begin();
  for (std::size_t k = 0; k < of_here_.size(); ++k) {
    while (place->first != of_here_[k].id) ++place;
    here_.push_back({place->second, k});
  }
}

void Restraints::finish(ParticleStore& particles, EnergyAndVirial* sums) {
  EnergyAndVirial all;
  const Vec3 center = from_edges(center_, box_);
  const Vec3 shift = middle_of(box_) - middle_;
  for (const HeldHere& held : here_) {
    const ReferencePosition& reference = of_here_[held.reference];
    const Restraint& restraint = restraints_[static_cast<std::size_t>(reference.restraint)];
    const bool is_kept = restraint.scaling == ReferenceScaling::none;
    const bool is_scaled = restraint.scaling == ReferenceScaling::all || restraint.place;
    Vec3 place = center + reference.place;
    if (is_kept) {
      place = reference.place + shift;
    } else if (is_scaled) {
      place = from_edges(reference.place, box_);
    }
    Vec3 away = particles.position[held.index].vector() - place;
    if (restraint.place) {
      away = box_.nearest_image(away);
    } else {
      const Image& image = particles.image[held.index];
      away += box_.translation(image.x - reference.image[0], image.y - reference.image[1],
                               image.z - reference.image[2]);
    }
    // The vector that is stretched by a strain of the box.
    Vec3 stretched = away;
    if (is_kept) {
      stretched += reference.place - middle_;
    } else if (!is_scaled) {
      stretched += reference.place;
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (!restraint.axes[axis]) away[static_cast<int>(axis)] = 0.0;
    }
    const Vec3 force = -restraint.stiffness * away;
    particles.force[held.index] += force;
    all.energy += 0.5 * restraint.stiffness * dot(away, away);
    if (!restraint.has_virial) continue;
    const auto part = [&](int a, int b) {
      return 0.5 * (stretched[a] * force[b] + stretched[b] * force[a]);
    };
    const double virial[6] = {part(0, 0), part(1, 1), part(2, 2),
                              part(0, 1), part(0, 2), part(1, 2)};
    for (std::size_t k = 0; k < 6; ++k) all.virial[k] += virial[k];
  }
  if (sums != nullptr) *sums += all;
}

std::vector<double> Restraints::state() const {
  const std::vector<ReferencePosition> all = references_.gather();
  if (context_.rank() != 0) return {};
  std::vector<double> state{state_format, static_cast<double>(restraints_.size()),
                            center_.x,    center_.y,
                            center_.z,    middle_.x,
                            middle_.y,    middle_.z};
  state.reserve(head_of_state + per_reference * all.size());
  for (const ReferencePosition& one : all) {
    state.insert(state.end(),
                 {static_cast<double>(one.id), static_cast<double>(one.restraint),
                  static_cast<double>(one.image[0]), static_cast<double>(one.image[1]),
                  static_cast<double>(one.image[2]), one.place.x, one.place.y, one.place.z});
  }
  return state;
}

void Restraints::restore(std::span<const double> state) {
  known_ = true;
  if (state.empty() || state[0] != state_format) {
    restore_first_format(state);
    return;
  }
  if (state.size() < head_of_state || (state.size() - head_of_state) % per_reference != 0 ||
      state[1] != static_cast<double>(restraints_.size())) {
    throw std::invalid_argument("the restraints are of another input");
  }
  center_ = {state[2], state[3], state[4]};
  middle_ = {state[5], state[6], state[7]};
  std::vector<ReferencePosition> all;
  for (std::size_t at = head_of_state; at < state.size(); at += per_reference) {
    ReferencePosition& one = all.emplace_back();
    one.id = static_cast<std::int64_t>(state[at]);
    one.restraint = static_cast<std::int32_t>(state[at + 1]);
    if (one.restraint < 0 || one.restraint >= static_cast<std::int32_t>(restraints_.size())) {
      throw std::invalid_argument("the restraints are of another input");
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      one.image[axis] = static_cast<std::int32_t>(state[at + 2 + axis]);
    }
    one.place = {state[at + 5], state[at + 6], state[at + 7]};
  }
  references_.take_share(all);
}

/// For each restraint the number of atoms it holds, then ids and unwrapped positions.
void Restraints::restore_first_format(std::span<const double> state) {
  constexpr std::size_t numbers = 4;
  std::vector<ReferencePosition> all;
  std::size_t at = 0;
  for (std::size_t k = 0; k < restraints_.size(); ++k) {
    if (at >= state.size()) throw std::invalid_argument("the restraints are of another input");
    const auto count = static_cast<std::size_t>(state[at++]);
    if (count > (state.size() - at) / numbers) {
      throw std::invalid_argument("the restraints are of another input");
    }
    for (std::size_t n = 0; n < count; ++n, at += numbers) {
      ReferencePosition& one = all.emplace_back();
      one.id = static_cast<std::int64_t>(state[at]);
      one.restraint = static_cast<std::int32_t>(k);
      put_in_box(one,
                 restraints_[k].place.value_or(Vec3{state[at + 1], state[at + 2], state[at + 3]}),
                 box_);
    }
  }
  if (at != state.size()) throw std::invalid_argument("the restraints are of another input");
  references_.take_share(all);
}

}  // namespace sterna::md
