#include "md/forces/external/restraints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "sterna/comm/collective.hpp"

namespace sterna::md {
namespace {

constexpr std::size_t most_held = 1'000'000;
constexpr std::size_t per_molecule = 4;  // id and place, in a state

}  // namespace

Restraints::Restraints(const comm::Context& context, const Box& box,
                       std::vector<Restraint> restraints)
    : context_(context), box_(box), restraints_(std::move(restraints)) {}

Vec3 Restraints::path(const ParticleStore& particles, std::size_t i) const {
  const Image& image = particles.image[i];
  return particles.position[i].vector() + box_.translation(image.x, image.y, image.z);
}

void Restraints::find_all(const ParticleStore& particles) {
  held_.assign(restraints_.size(), {});
  for (std::size_t k = 0; k < restraints_.size(); ++k) {
    std::vector<Held> mine;
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      if (!restraints_[k].where.contains(particles.position[i], box_)) continue;
      mine.push_back({particles.id[i], path(particles, i)});
    }
    std::string bytes(reinterpret_cast<const char*>(mine.data()), mine.size() * sizeof(Held));
    std::string all;
    for (const std::string& part : comm::gather(context_, 0, bytes)) all += part;
    comm::broadcast(context_, 0, all);
    std::vector<Held>& held = held_[k];
    held.resize(all.size() / sizeof(Held));
    if (held.size() > most_held) {
      throw std::runtime_error(
          fmt::format("[[restraint]] {} holds {} molecules; at most {} can be held. [[freeze]] "
                      "has no such bound",
                      k + 1, held.size(), most_held));
    }
    if (!held.empty()) std::memcpy(held.data(), all.data(), all.size());
    std::ranges::sort(held, {}, &Held::id);
  }
  known_ = true;
}

void Restraints::rebuild(const ParticleStore& particles) {
  if (!known_) find_all(particles);
  here_.assign(restraints_.size(), {});
  for (std::size_t k = 0; k < restraints_.size(); ++k) {
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      const auto found = std::ranges::lower_bound(held_[k], particles.id[i], {}, &Held::id);
      if (found == held_[k].end() || found->id != particles.id[i]) continue;
      here_[k].push_back({i, found->place});
    }
  }
}

void Restraints::finish(ParticleStore& particles, EnergyAndVirial* sums) {
  double energy = 0.0;
  const Vec3 half = box_.translation(0.5, 0.5, 0.5);
  for (std::size_t k = 0; k < restraints_.size(); ++k) {
    const Restraint& restraint = restraints_[k];
    for (const HeldHere& held : here_[k]) {
      int image[3];
      Vec3 away = restraint.place
                      ? box_.wrap(particles.position[held.index].vector() - *restraint.place + half,
                                  image) -
                            half
                      : path(particles, held.index) - held.place;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!restraint.axes[axis]) away[static_cast<int>(axis)] = 0.0;
      }
      particles.force[held.index] -= restraint.stiffness * away;
      energy += 0.5 * restraint.stiffness * dot(away, away);
    }
  }
  if (sums != nullptr) sums->energy += energy;
}

std::vector<double> Restraints::state() const {
  std::vector<double> state;
  for (const std::vector<Held>& held : held_) {
    state.push_back(static_cast<double>(held.size()));
    for (const Held& one : held) {
      state.insert(state.end(),
                   {static_cast<double>(one.id), one.place.x, one.place.y, one.place.z});
    }
  }
  return state;
}

void Restraints::restore(std::span<const double> state) {
  held_.assign(restraints_.size(), {});
  std::size_t at = 0;
  for (std::vector<Held>& held : held_) {
    if (at >= state.size()) throw std::invalid_argument("the restraints are of another input");
    const auto count = static_cast<std::size_t>(state[at++]);
    if (count > (state.size() - at) / per_molecule) {
      throw std::invalid_argument("the restraints are of another input");
    }
    for (std::size_t n = 0; n < count; ++n, at += per_molecule) {
      held.push_back(
          {static_cast<std::int64_t>(state[at]), {state[at + 1], state[at + 2], state[at + 3]}});
    }
  }
  if (at != state.size()) throw std::invalid_argument("the restraints are of another input");
  known_ = true;
}

}  // namespace sterna::md
