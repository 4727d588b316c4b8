// Checks for particles of a start that are at the same position, or so near to each other that the
// forces cannot separate them in an orderly way.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "md/core/agreement.hpp"
#include "md/core/sort_by.hpp"
#include "md/core/unstable_run.hpp"
#include "md/integrate/limit_section.hpp"
#include "md/simulation/simulation_implementation.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

namespace {

/// A particle whose force is not finite or much too large.
struct SuspectParticle {
  std::int64_t id;
  double path;  ///< displacement by the force in one step
  Position position;
  Quaternion orientation;
};

/// The particle nearest to a suspect.
struct NearestParticle {
  std::int64_t id = 0;
  std::int64_t type = 0;
  double distance = std::numeric_limits<double>::infinity();

  bool operator<(const NearestParticle& other) const {
    return distance != other.distance ? distance < other.distance : id < other.id;
  }
};

template <class T>
std::string bytes_of_items(const std::vector<T>& items) {
  return {reinterpret_cast<const char*>(items.data()), items.size() * sizeof(T)};
}

template <class T>
void append_items(std::vector<T>& items, const std::string& bytes) {
  const std::size_t before = items.size();
  items.resize(before + bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(items.data() + before, bytes.data(), bytes.size());
}

/// The positions of the sites of a particle that act on other particles.
std::vector<Vec3> places_of_sites(const Component& component, const Position& position,
                                  const Quaternion* orientation) {
  if (orientation == nullptr) return {position.vector()};
  std::vector<Vec3> places;
  const auto add = [&](const Vec3& site) {
    places.push_back(position.vector() + orientation->to_lab(site));
  };
  for (const auto& site : component.lennard_jones) add(site.position);
  for (const auto& site : component.charges) add(site.position);
  for (const auto& site : component.dipoles) add(site.position);
  for (const auto& site : component.quadrupoles) add(site.position);
  return places;
}

/// Searches for the reason of first forces that are not finite or much too large. All functions that
/// take a context are collective.
class FirstForces {
 public:
  FirstForces(const comm::Context& context, const SimulatedSystem& system, const UnitSystem& units)
      : context_(context), system_(system), units_(units) {}

  /// Local. The particles that a step of this length moves farther than `longest`, or by a path that
  /// is not finite.
  std::vector<SuspectParticle> suspects(double timestep, double longest) const;
  /// The worst of all ranks' suspects, on all ranks.
  std::vector<SuspectParticle> worst_of(std::vector<SuspectParticle> suspects) const;
  /// The suspect with the nearest partner, and this partner.
  struct Pair {
    SuspectParticle suspect{};
    NearestParticle partner;  ///< its id is 0 if there is none
  };
  /// On rank 0.
  Pair nearest_pair(std::span<const SuspectParticle> worst) const;
  std::string description(std::int64_t step, const Pair& pair, bool minimizes) const;

 private:
  NearestParticle nearest_of_rank(const SuspectParticle& suspect) const;
  std::vector<Vec3> places_of(const Position& position, const Quaternion& orientation) const {
    return places_of_sites(component(position.type), position,
                           system_.particles.rotating() ? &orientation : nullptr);
  }
  Quaternion orientation(std::size_t i) const {
    return system_.particles.rotating() ? system_.particles.orientation[i] : Quaternion{};
  }
  const Component& component(std::int64_t type) const {
    return system_.interaction.components()[static_cast<std::size_t>(type)];
  }
  std::string name(std::int64_t id, std::int64_t type) const {
    if (!system_.topology.empty()) return system_.topology.description(id);
    return fmt::format("particle {} ({})", id, component(type).name);
  }

  const comm::Context& context_;
  const SimulatedSystem& system_;
  const UnitSystem& units_;
};

std::vector<SuspectParticle> FirstForces::suspects(double timestep, double longest) const {
  const std::span<const char> frozen = system_.frozen.flags();
  std::vector<SuspectParticle> found;
  for (std::size_t i = 0; i < system_.particles.local_count(); ++i) {
    const Position& position = system_.particles.position[i];
    const auto type = static_cast<std::size_t>(position.type);
    if (!(system_.masses[type] > 0.0) || (!frozen.empty() && frozen[type] != 0)) continue;
    const Vec3& force = system_.particles.force[i];
    const double path = std::sqrt(dot(force, force)) * timestep * timestep / system_.masses[type];
    if (std::isfinite(path) && path <= longest) continue;
    found.push_back({system_.particles.id[i],
                     std::isfinite(path) ? path : std::numeric_limits<double>::infinity(), position,
                     orientation(i)});
  }
  return found;
}

std::vector<SuspectParticle> FirstForces::worst_of(std::vector<SuspectParticle> suspects) const {
  const auto keep_worst = [](std::vector<SuspectParticle>& all) {
    constexpr std::size_t most = 16;
    sort_by(all, [](const SuspectParticle& one) { return std::pair(-one.path, one.id); });
    if (all.size() > most) all.erase(all.begin() + most, all.end());
  };
  keep_worst(suspects);
  std::vector<SuspectParticle> worst;
  for (const std::string& part : comm::gather(context_, 0, bytes_of_items(suspects))) {
    append_items(worst, part);
  }
  keep_worst(worst);
  std::string shared = bytes_of_items(worst);
  comm::broadcast(context_, 0, shared);
  worst.clear();
  append_items(worst, shared);
  return worst;
}

NearestParticle FirstForces::nearest_of_rank(const SuspectParticle& suspect) const {
  // Bonded atoms are close to each other, so an excluded pair counts only if it is much closer than
  // any bond.
  const double nearer_than_bonds = 0.02 * system_.interaction.range();
  const std::vector<Vec3> of_suspect = places_of(suspect.position, suspect.orientation);
  std::optional<Topology::Place> place;
  if (!system_.topology.empty()) place = system_.topology.place_of(suspect.id);
  const auto is_excluded = [&](std::int64_t id) {
    if (!place || id < place->first_id) return false;
    return std::ranges::binary_search(system_.topology.exclusions_of(*place),
                                      static_cast<std::uint64_t>(id - place->first_id));
  };
  NearestParticle nearest;
  for (std::size_t i = 0; i < system_.particles.local_count(); ++i) {
    const std::int64_t id = system_.particles.id[i];
    if (id == suspect.id) continue;
    NearestParticle found{id, system_.particles.position[i].type};
    for (const Vec3& a : places_of(system_.particles.position[i], orientation(i))) {
      for (const Vec3& b : of_suspect) {
        const Vec3 apart = system_.box.nearest_image(a - b);
        found.distance = std::min(found.distance, std::sqrt(dot(apart, apart)));
      }
    }
    if (found.distance > nearer_than_bonds && is_excluded(id)) continue;
    if (found < nearest) nearest = found;
  }
  return nearest;
}

FirstForces::Pair FirstForces::nearest_pair(std::span<const SuspectParticle> worst) const {
  // Each rank searches its own particles.
  std::vector<NearestParticle> nearest;
  for (const SuspectParticle& suspect : worst) nearest.push_back(nearest_of_rank(suspect));
  const auto parts = comm::gather(context_, 0, bytes_of_items(nearest));
  Pair pair{.suspect = worst.front(), .partner = {}};
  for (const std::string& part : parts) {
    std::vector<NearestParticle> of_rank;
    append_items(of_rank, part);
    for (std::size_t s = 0; s < of_rank.size(); ++s) {
      if (of_rank[s].id != 0 && of_rank[s] < pair.partner) pair = {worst[s], of_rank[s]};
    }
  }
  return pair;
}

std::string FirstForces::description(std::int64_t step, const Pair& pair, bool minimizes) const {
  const auto text = [&](double value) { return units_.text(value, Dimension::length); };
  const auto& [suspect, partner] = pair;
  const double range = system_.interaction.range();
  const std::string first = name(suspect.id, suspect.position.type);
  const std::string force =
      std::isfinite(suspect.path)
          ? fmt::format("moves it by {} in the first step, farther than the cutoff of {}",
                        text(suspect.path), text(range))
          : "is not finite";
  if (partner.id == 0) return fmt::format("step {}: the force on {} {}", step, first, force);
  return fmt::format(
      "step {}: {} and {} are {}{} apart{}, and the force on the former {}. {}", step, first,
      name(partner.id, partner.type),
      system_.particles.rotating() ? "with their nearest sites " : "", text(partner.distance),
      partner.distance < 1e-9 * range ? ", at the same place" : "", force,
      minimizes ? "Give one of them another place, or take it out"
                : "Give one of them another place or take it out, minimize first where "
                  "they only overlap, or take a shorter timestep");
}

}  // namespace

void Dynamics::check_constrained_atoms() {
  if (constrained_atoms_checked_) return;
  constrained_atoms_checked_ = true;
  std::string failure;
  if (const auto found = constraints_->find_coincidence(system_.particles)) {
    failure = fmt::format(
        "step {}: {} and {} are at the same place, or almost: they are {} apart, and a constraint "
        "keeps them {} apart. Give them places of their own",
        clock_.step, system_.topology.description(found->first),
        system_.topology.description(found->second),
        input_.units.text(found->distance, Dimension::length),
        input_.units.text(found->constraint, Dimension::length));
  }
  std::int64_t failed = failure.empty() ? 0 : 1;
  comm::ReductionBatch(context_, "constrained atoms").sum(failed).run();
  if (failed > 0) throw UnstableRun(shared_failure(context_, failure));
}

void Simulation::Implementation::check_first_forces() {
  // A minimization limits displacements, so only infinite forces count. A run without steps, or
  // with limits, may begin with overlapping particles, but not with particles at the same position.
  const double range = system_.interaction.range();
  const bool moves_freely = input_.tables<LimitSection>().empty() && clock_.last_step > clock_.step;
  const bool counts_paths = !dynamics_.minimizes() && range > 0.0;
  const double longest =
      counts_paths ? (moves_freely ? range : 1e6 * range) : std::numeric_limits<double>::infinity();
  const FirstForces forces(context_, system_, input_.units);
  std::vector<SuspectParticle> suspects = forces.suspects(input_.run.timestep, longest);
  auto count = static_cast<std::int64_t>(suspects.size());
  comm::ReductionBatch(context_, "first forces").sum(count).run();
  if (count == 0) return;

  const std::vector<SuspectParticle> worst = forces.worst_of(std::move(suspects));
  const FirstForces::Pair pair = forces.nearest_pair(worst);
  std::string message;
  if (context_.rank() == 0) {
    message = forces.description(clock_.step, pair, dynamics_.minimizes());
  }
  comm::broadcast(context_, 0, message);
  if (messages_.log) messages_.log->warning(clock_.step, message);
  throw UnstableRun(message);
}

}  // namespace sterna::md
