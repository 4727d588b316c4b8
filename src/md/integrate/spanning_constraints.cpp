// The part of `Constraints` for groups longer than a halo, which all ranks solve together. See
// constraints.cpp.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "md/integrate/constraints.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

/// Each step of Newton's method gains at least one digit.
constexpr int most_newton_steps = 100;

}  // namespace

void Constraints::add_spanning(const ParticleStore& particles, std::uint32_t particle,
                               const Topology::Place& place, std::string& missing) {
  const Topology& topology = places_->topology();
  const ConstraintGroup& group = *kinds_.of(place);
  for (const std::uint32_t k : topology.constraints_of(place)) {
    const auto& [pair, distance] = topology.molecules()[place.molecule].constraints[k];
    const auto [first, second] = pair;
    const std::int32_t other = first == place.atom ? second : first;
    const auto local = places_->local(place.first_id + other);
    // A constraint between two local atoms is added once, when the loop reaches its first atom.
    if (local && second == place.atom) continue;
    const auto found =
        places_->nearest(place.first_id + other, particles.position[particle].vector());
    if (!found) {
      missing =
          places_->missing(place.first_id + place.atom, place.first_id + other, context_.rank());
      return;
    }
    ConstraintSet::Atom atoms[] = {
        {particle, particle, weight_of(particles.position[particle])},
        {*found, local.value_or(*found), weight_of(particles.position[*found])}};
    if (second == place.atom) std::swap(atoms[0], atoms[1]);
    // Constraints between two frozen atoms are skipped.
    if (atoms[0].weight + atoms[1].weight == 0.0) continue;
    if (!local) ghosts_.push_back(*found);
    const auto at = static_cast<std::uint32_t>(set_.atoms.size());
    set_.atoms.insert(set_.atoms.end(), std::begin(atoms), std::end(atoms));
    if (const double change = group.change_of(pair); change != 0.0) {
      const bool is_own = set_.atoms[at].vector < particles.local_count();
      changing_.push_back({set_.constraints.size(), is_own ? distance * change : 0.0});
    }
    set_.constraints.push_back({at, at + 1, distance * distance, Vec3{}});
  }
}

void Constraints::correct_spanning(const GhostedVectors& velocity, double timestep,
                                   const ParticleStore& particles, std::int64_t step) {
  // Newton's method with the matrix at the begin of the step. The smaller the angle by which the
  // step turns a connection, the more digits each round gains.
  const std::size_t local = particles.local_count(), count = spanning().size();
  along_.resize(count);
  solution_.resize(count);
  for (int round = 0; round < most_newton_steps; ++round) {
    double largest = 0.0;
    for (std::size_t k = 0; k < count; ++k) {
      const Constraint& constraint = spanning()[k];
      const Vec3 next = constraint.connection + timestep * set_.difference(constraint, velocity);
      const double excess = dot(next, next) - constraint.squared_distance;
      along_[k] = excess / (2.0 * timestep);
      largest = largest_of(largest, std::abs(excess) / constraint.squared_distance);
    }
    comm::ReductionBatch(context_, "constraints").max(largest).run();
    if (largest <= 2.0 * tolerance_) return;
    const double goal = std::max(0.01 * largest, 0.5 * tolerance_) / (2.0 * timestep);
    if (!matrix_.solve(set_, spanning(), along_, goal, local, particles.total_count(), solution_)) {
      break;
    }
    for (std::size_t k = 0; k < count; ++k) set_.push(spanning()[k], solution_[k], velocity);
    ghost_vectors_(velocity.local(), velocity.ghosts());
  }
  note_spanning_failure(fmt::format("{} rounds", most_newton_steps), particles, step);
}

void Constraints::note_spanning_failure(std::string_view unfinished, const ParticleStore& particles,
                                        std::int64_t step) {
  const auto rest = [this](const Constraint& constraint) {
    const auto k = static_cast<std::size_t>(&constraint - spanning().data());
    return std::abs(along_[k]) / constraint.squared_distance;
  };
  const auto worst = std::ranges::max_element(spanning(), {}, rest);
  const bool none = worst == spanning().end();
  const double own = none ? -1.0 : rest(*worst);
  double largest = own;
  comm::ReductionBatch(context_, "constraints").max(largest).run();
  // The rank with the worst constraint reports it; if the deviation is NaN, all ranks do.
  if (!none && !(own < largest)) note_failure(*worst, unfinished, particles, step);
}

}  // namespace sterna::md
