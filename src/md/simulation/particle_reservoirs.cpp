// Idea:    trials are drawn from random numbers of step and number alone, and evaluated several at a
//          time as if none of them were accepted. The first that is accepted changes the system, and
//          those behind it are evaluated again. So all ranks decide alike, in one chain.
// Source:  Frenkel and Smit, Understanding Molecular Simulation, 2nd edition, section 5.6; exchange
//          of identity: Kofke and Glandt, Mol. Phys. 64, 1105 (1988).
// Cost:    the pairs of the molecules of trials; a reduction for each batch of trials.
// Hazards: in dense liquids nearly all insertions overlap.
// Others:  sub-volumes out of reach of each other, whose moves need no messages.

#include "md/simulation/particle_reservoirs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "md/core/agreement.hpp"
#include "md/ensemble/grand_canonical_section.hpp"
#include "md/neighbors/pair_list.hpp"
#include "md/observe/check_inserted.hpp"
#include "md/output/checkpoint_file.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

constexpr std::size_t most_trials_together = 64;

std::vector<std::size_t> kinds_of_reservoirs(const Input& input) {
  const std::vector<std::string> all = inserted_kind_names(input);
  std::vector<std::size_t> kinds;
  for (const std::string& name : ParticleReservoirs::names(input)) {
    kinds.push_back(static_cast<std::size_t>(std::ranges::find(all, name) - all.begin()));
  }
  return kinds;
}

}  // namespace

std::vector<std::string> ParticleReservoirs::names(const Input& input) {
  std::vector<std::string> names;
  for (const GrandCanonicalSection& reservoir : input.tables<GrandCanonicalSection>()) {
    for (const std::string& name : reservoir.components) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

ParticleReservoirs::ParticleReservoirs(const comm::Context& context, const Input& input,
                                       const SimulatedSystem& system,
                                       std::vector<const HasEnergyOfOne*> alone)
    : context_(context),
      system_(system),
      alone_(std::move(alone)),
      heat_(input.units.boltzmann() * insertion_temperature(input)),
      units_(input.units),
      stream_(input.run.seed, RandomPurpose::reservoir),
      molecule_(context, input, system.topology, kinds_of_reservoirs(input),
                insertion_hard * heat_) {
  const std::vector<std::string> all = inserted_kind_names(input);
  for (const GrandCanonicalSection& wanted : input.tables<GrandCanonicalSection>()) {
    const ReservoirRegion region = region_of(wanted, system.box);
    Reservoir& made =
        reservoirs_.emplace_back(Reservoir{.number = reservoirs_.size(),
                                           .interval = wanted.interval,
                                           .moves = wanted.moves,
                                           .exchanges = wanted.exchanges,
                                           .is_everywhere = !wanted.lower && !wanted.upper,
                                           .lower = region.lower,
                                           .upper = region.upper});
    for (std::size_t k = 0; k < wanted.components.size(); ++k) {
      const auto kind =
          static_cast<std::size_t>(std::ranges::find(all, wanted.components[k]) - all.begin());
      made.populations.push_back(
          {.kind = kind, .activity = activity_of(input, wanted, k, system.masses[kind])});
    }
  }
}

bool ParticleReservoirs::are_due(std::int64_t step) const {
  return std::ranges::any_of(
      reservoirs_, [&](const Reservoir& reservoir) { return step % reservoir.interval == 0; });
}

bool ParticleReservoirs::Reservoir::contains(const Position& position) const {
  if (is_everywhere) return true;
  const Vec3 at = position.vector();
  for (int axis = 0; axis < 3; ++axis) {
    if (at[axis] < lower[axis] || at[axis] >= upper[axis]) return false;
  }
  return true;
}

double ParticleReservoirs::Reservoir::volume(const Box& box) const {
  if (is_everywhere) return box.volume();
  const Vec3 edges = upper - lower;
  return edges.x * edges.y * edges.z;
}

bool ParticleReservoirs::turns(std::size_t kind) const {
  return system_.particles.type_turns(static_cast<std::int64_t>(kind));
}

void ParticleReservoirs::check_box(const Box& box) const {
  std::string failure;
  if (box.least_height() < molecule_.range()) {
    failure = fmt::format(
        "[[grand_canonical]] needs a box that is wider than the range of the forces, {}: an "
        "inserted molecule would meet its own images; the box is {} wide",
        units_.text(molecule_.range(), Dimension::length),
        units_.text(box.least_height(), Dimension::length));
  }
  agree(context_, failure);
}

std::int64_t ParticleReservoirs::highest_id(const ParticleStore& particles) const {
  std::int64_t highest = 0;
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    highest = std::max(highest, particles.id[i]);
  }
  comm::ReductionBatch(context_, "highest id").max(highest).run();
  return highest;
}

ParticleReservoirs::Changes ParticleReservoirs::move(const Frame& frame) {
  if (next_id_ == 0) {
    check_box(frame.box);
    next_id_ = highest_id(frame.particles) + 1;
  }
  molecule_.prepare(frame);
  counts_.assign(system_.type_counts.begin(), system_.type_counts.end());
  added_.clear();
  changes_ = {};
  // Two reservoirs have no molecule in common, so that one does not change the other's.
  for (Reservoir& reservoir : reservoirs_) {
    if (frame.step % reservoir.interval != 0) continue;
    take_particles(frame, reservoir);
    run(reservoir, frame);
  }
  for (const Added& added : added_) {
    if (!added.is_gone) changes_.added.push_back(added.record);
  }
  std::ranges::sort(changes_.removed);
  return std::exchange(changes_, {});
}

void ParticleReservoirs::take_particles(const Frame& frame, Reservoir& reservoir) {
  const auto ranks = static_cast<std::size_t>(context_.size());
  const auto me = static_cast<std::size_t>(context_.rank());
  std::vector<std::int64_t> counts(reservoir.populations.size() * ranks, 0);
  for (std::size_t k = 0; k < reservoir.populations.size(); ++k) {
    Population& population = reservoir.populations[k];
    population.mine.clear();
    for (std::size_t i = 0; i < frame.particles.local_count(); ++i) {
      const Position& position = frame.particles.position[i];
      if (static_cast<std::size_t>(position.type) != population.kind) continue;
      if (reservoir.contains(position)) population.mine.push_back(static_cast<std::int64_t>(i));
    }
    counts[k * ranks + me] = static_cast<std::int64_t>(population.mine.size());
  }
  comm::ReductionBatch(context_, "reservoirs").sum(counts.data(), counts.size()).run();
  for (std::size_t k = 0; k < reservoir.populations.size(); ++k) {
    Population& population = reservoir.populations[k];
    const auto begin = counts.begin() + static_cast<std::ptrdiff_t>(k * ranks);
    population.by_rank.assign(begin, begin + static_cast<std::ptrdiff_t>(ranks));
    population.count =
        std::accumulate(population.by_rank.begin(), population.by_rank.end(), std::int64_t{0});
  }
}

ParticleReservoirs::Trial ParticleReservoirs::draw(const Reservoir& reservoir, std::int64_t number,
                                                   const Frame& frame) const {
  RandomSequence numbers = stream_.sequence(
      (static_cast<std::uint64_t>(reservoir.number) << 32) + static_cast<std::uint64_t>(number),
      static_cast<std::uint64_t>(frame.step));
  const std::uint64_t populations = reservoir.populations.size();
  const std::size_t population = numbers.below(populations);
  Kind kind = Kind::exchange;
  std::size_t other = population;
  if (number < reservoir.moves) {
    kind = numbers.uniform() < 0.5 ? Kind::insertion : Kind::deletion;
  } else {
    other = (population + 1 + numbers.below(populations - 1)) % populations;
  }
  const double selected = numbers.uniform(), accepted = numbers.uniform();
  Vec3 at;
  for (int axis = 0; axis < 3; ++axis) {
    const double low = reservoir.is_everywhere ? 0.0 : reservoir.lower[axis];
    const double high = reservoir.is_everywhere ? frame.box.length[axis] : reservoir.upper[axis];
    at[axis] = std::min(low + numbers.uniform() * (high - low), std::nextafter(high, low));
  }
  const Quaternion orientation = random_orientation(numbers);
  return {kind, population, other, selected, accepted, at, orientation, numbers};
}

ParticleReservoirs::Choice ParticleReservoirs::choice(const Population& from, double selected) {
  std::int64_t number = std::min(
      static_cast<std::int64_t>(selected * static_cast<double>(from.count)), from.count - 1);
  int rank = 0;
  for (const std::int64_t here : from.by_rank) {
    if (number < here) break;
    number -= here;
    ++rank;
  }
  return {rank, static_cast<std::size_t>(number)};
}

std::optional<double> ParticleReservoirs::energy(std::size_t kind, const Vec3& center,
                                                 const Quaternion& orientation,
                                                 std::int64_t except) {
  if (!molecule_.place(kind, center, except)) return std::nullopt;
  const std::optional<double> pairs = molecule_.energy(orientation);
  if (!pairs) return std::nullopt;
  double energy = *pairs;
  const Position position{center.x, center.y, center.z, static_cast<std::int64_t>(kind)};
  for (const HasEnergyOfOne* term : alone_) energy += term->energy_of_one(position, orientation);
  return energy;
}

const ParticleRecord& ParticleReservoirs::record_of(std::int64_t member,
                                                    const ParticleStore& particles,
                                                    ParticleRecord& space) const {
  if (member < 0) return added_[static_cast<std::size_t>(~member)].record;
  space = particle(particles, static_cast<std::size_t>(member));
  return space;
}

void ParticleReservoirs::evaluate(const Reservoir& reservoir, const Trial& trial,
                                  const Frame& frame, double* told) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const Population& population = reservoir.populations[trial.population];
  const auto tell = [&](std::int64_t known_id, const Vec3& center, const Quaternion& orientation) {
    told[told_owner] = context_.rank() + 1;
    told[told_id] = static_cast<double>(known_id);
    for (int axis = 0; axis < 3; ++axis)
      told[told_center + static_cast<std::size_t>(axis)] = center[axis];
    const double turn[] = {orientation.w, orientation.x, orientation.y, orientation.z};
    std::ranges::copy(turn, told + told_orientation);
  };
  if (trial.kind == Kind::insertion) {
    const CellGrid& grid = frame.list.grid();
    for (int axis = 0; axis < 3; ++axis) {
      if (trial.center[axis] < grid.low()[axis] || trial.center[axis] >= grid.high()[axis]) return;
    }
    const Vec3 center = frame.box.shear().position(trial.center);
    const Quaternion orientation = turns(population.kind) ? trial.orientation : Quaternion{};
    tell(0, center, orientation);
    told[told_in] = energy(population.kind, center, orientation, InsertedMolecule::no_particle)
                        .value_or(infinite);
    return;
  }
  if (population.count == 0) return;
  const Choice chosen = choice(population, trial.selected);
  if (chosen.rank != context_.rank()) return;
  ParticleRecord space;
  const ParticleRecord& leaving = record_of(population.mine[chosen.number], frame.particles, space);
  const Vec3 center = leaving.position.vector();
  told[told_out] =
      energy(population.kind, center, leaving.orientation, leaving.id).value_or(infinite);
  Quaternion orientation = leaving.orientation;
  if (trial.kind == Kind::exchange) {
    const std::size_t coming = reservoir.populations[trial.other].kind;
    if (!turns(coming)) orientation = {};
    if (turns(coming) && !turns(population.kind)) orientation = trial.orientation;
    told[told_in] = energy(coming, center, orientation, leaving.id).value_or(infinite);
  }
  tell(leaving.id, center, orientation);
}

bool ParticleReservoirs::is_accepted(const Reservoir& reservoir, const Trial& trial, const Box& box,
                                     const double* told) {
  const Population& population = reservoir.populations[trial.population];
  const auto number = static_cast<double>(population.count);
  const double weight = population.activity * reservoir.volume(box);  // z V
  std::vector<double> without = counts_;
  double logarithm = 0.0;
  // What comes with such an energy fell into a charge or a multipole that no repulsion covers.
  const auto is_possible = [this](double energy) {
    return std::isfinite(energy) && energy > -insertion_hard * heat_;
  };
  if (trial.kind == Kind::insertion) {
    if (told[told_owner] == 0.0) return false;
    const double added =
        told[told_in] + molecule_.correction(population.kind, without, box.volume());
    if (!is_possible(added)) return false;
    logarithm = std::log(weight / (number + 1.0)) - added / heat_;
  } else {
    if (population.count == 0) return false;
    without[population.kind] -= 1.0;
    const double taken =
        told[told_out] + molecule_.correction(population.kind, without, box.volume());
    if (trial.kind == Kind::deletion) {
      logarithm = std::log(number / weight) + taken / heat_;
    } else {
      const Population& other = reservoir.populations[trial.other];
      const double added = told[told_in] + molecule_.correction(other.kind, without, box.volume());
      if (!is_possible(added)) return false;
      logarithm = std::log(other.activity * number /
                           (population.activity * (static_cast<double>(other.count) + 1.0))) -
                  (added - taken) / heat_;
    }
  }
  return logarithm >= 0.0 || trial.accepted < std::exp(logarithm);
}

void ParticleReservoirs::run(Reservoir& reservoir, const Frame& frame) {
  const std::int64_t all = reservoir.moves + reservoir.exchanges;
  std::size_t together = 1;
  std::vector<Trial> trials;
  std::vector<double> told;
  for (std::int64_t next = 0; next < all;) {
    trials.clear();
    const std::int64_t end = std::min(all, next + static_cast<std::int64_t>(together));
    for (std::int64_t number = next; number < end; ++number) {
      trials.push_back(draw(reservoir, number, frame));
    }
    told.assign(trials.size() * told_numbers, 0.0);
    for (std::size_t k = 0; k < trials.size(); ++k) {
      evaluate(reservoir, trials[k], frame, told.data() + k * told_numbers);
    }
    comm::ReductionBatch(context_, "reservoirs").sum(told.data(), told.size()).run();
    bool accepted = false;
    for (std::size_t k = 0; k < trials.size() && !accepted; ++k, ++next) {
      const double* const of_trial = told.data() + k * told_numbers;
      accepted = is_accepted(reservoir, trials[k], frame.box, of_trial);
      Population& population = reservoir.populations[trials[k].population];
      Tally& tally = trials[k].kind == Kind::insertion  ? population.insertions
                     : trials[k].kind == Kind::deletion ? population.deletions
                                                        : population.exchanges;
      ++tally.tried;
      if (!accepted) continue;
      ++tally.accepted;
      carry_out(reservoir, trials[k], of_trial);
    }
    together = accepted ? std::max<std::size_t>(1, together / 2)
                        : std::min(most_trials_together, 2 * together);
  }
}

void ParticleReservoirs::carry_out(Reservoir& reservoir, const Trial& trial, const double* told) {
  changes_.any = true;
  const Vec3 center{told[told_center], told[told_center + 1], told[told_center + 2]};
  const Quaternion orientation{told[told_orientation], told[told_orientation + 1],
                               told[told_orientation + 2], told[told_orientation + 3]};
  Population& population = reservoir.populations[trial.population];
  const int of_rank = static_cast<int>(told[told_owner]) - 1;
  if (trial.kind != Kind::insertion) {
    remove(population, trial.selected, static_cast<std::int64_t>(told[told_id]));
  }
  if (trial.kind == Kind::deletion) return;
  Population& into =
      trial.kind == Kind::insertion ? population : reservoir.populations[trial.other];
  insert(into, center, orientation, of_rank, trial.rest);
}

void ParticleReservoirs::remove(Population& from, double selected, std::int64_t id) {
  const Choice chosen = choice(from, selected);
  molecule_.remove(id);
  counts_[from.kind] -= 1.0;
  --from.by_rank[static_cast<std::size_t>(chosen.rank)];
  --from.count;
  --changes_.more;
  if (chosen.rank != context_.rank()) return;
  const std::int64_t member = from.mine[chosen.number];
  from.mine[chosen.number] = from.mine.back();
  from.mine.pop_back();
  if (member < 0) {
    added_[static_cast<std::size_t>(~member)].is_gone = true;
  } else {
    changes_.removed.push_back(static_cast<std::size_t>(member));
  }
}

void ParticleReservoirs::insert(Population& into, const Vec3& center, const Quaternion& orientation,
                                int owner, RandomSequence numbers) {
  const std::int64_t id = next_id_++;
  molecule_.add(into.kind, center, orientation, id);
  counts_[into.kind] += 1.0;
  ++into.by_rank[static_cast<std::size_t>(owner)];
  ++into.count;
  ++changes_.more;
  if (owner != context_.rank()) return;
  ParticleRecord record{};
  record.position = {center.x, center.y, center.z, static_cast<std::int64_t>(into.kind)};
  record.id = id;
  record.orientation = orientation;
  // The distribution of Maxwell and Boltzmann.
  const double speed = std::sqrt(heat_ / system_.masses[into.kind]);
  for (int axis = 0; axis < 3; ++axis) record.velocity[axis] = speed * numbers.normal();
  if (turns(into.kind)) {
    const Vec3& inertia = system_.bodies[into.kind].inertia();
    Vec3 momentum;
    for (int axis = 0; axis < 3; ++axis) {
      momentum[axis] = std::sqrt(heat_ * inertia[axis]) * numbers.normal();
    }
    record.angular_momentum = orientation.to_lab(momentum);
  }
  into.mine.push_back(~static_cast<std::int64_t>(added_.size()));
  added_.push_back({record});
}

std::vector<double> ParticleReservoirs::counts() const {
  std::vector<double> counts;
  std::vector<std::size_t> seen;
  for (const Reservoir& reservoir : reservoirs_) {
    for (const Population& population : reservoir.populations) {
      if (std::ranges::find(seen, population.kind) != seen.end()) continue;
      seen.push_back(population.kind);
      counts.push_back(static_cast<double>(system_.type_counts[population.kind]));
    }
  }
  return counts;
}

std::vector<LoggedScalar> ParticleReservoirs::logged() const {
  std::vector<LoggedScalar> columns;
  std::vector<std::size_t> seen;
  const std::vector<std::string> names = system_.interaction.names();
  for (const Reservoir& reservoir : reservoirs_) {
    for (const Population& first : reservoir.populations) {
      if (std::ranges::find(seen, first.kind) != seen.end()) continue;
      seen.push_back(first.kind);
      Tally insertions, deletions, exchanges;
      bool has_exchanges = false;
      const auto add = [](Tally& sum, const Tally& part) {
        sum.tried += part.tried;
        sum.accepted += part.accepted;
      };
      for (const Reservoir& one : reservoirs_) {
        for (const Population& population : one.populations) {
          if (population.kind != first.kind) continue;
          add(insertions, population.insertions);
          add(deletions, population.deletions);
          add(exchanges, population.exchanges);
          has_exchanges = has_exchanges || one.exchanges > 0;
        }
      }
      const std::string& name = names[first.kind];
      columns.push_back(
          {"molecules_" + name, static_cast<double>(system_.type_counts[first.kind])});
      columns.push_back({"insertion_acceptance_" + name, insertions.rate()});
      columns.push_back({"deletion_acceptance_" + name, deletions.rate()});
      if (has_exchanges) columns.push_back({"exchange_acceptance_" + name, exchanges.rate()});
    }
  }
  return columns;
}

Json ParticleReservoirs::state() const {
  std::vector<std::int64_t> tallies;
  for (const Reservoir& reservoir : reservoirs_) {
    for (const Population& population : reservoir.populations) {
      for (const Tally* tally :
           {&population.insertions, &population.deletions, &population.exchanges}) {
        tallies.push_back(tally->tried);
        tallies.push_back(tally->accepted);
      }
    }
  }
  return {{"next_id", next_id_}, {"given", exact_text(given_)}, {"tallies", tallies}};
}

void ParticleReservoirs::set_state(const Json& saved) {
  next_id_ = saved.at("next_id").get<std::int64_t>();
  given_ = exact_value(saved.at("given"));
  const auto tallies = saved.at("tallies").get<std::vector<std::int64_t>>();
  std::size_t k = 0;
  for (Reservoir& reservoir : reservoirs_) {
    for (Population& population : reservoir.populations) {
      for (Tally* tally : {&population.insertions, &population.deletions, &population.exchanges}) {
        // Other reservoirs begin anew.
        if (k + 1 >= tallies.size()) return;
        tally->tried = tallies[k++];
        tally->accepted = tallies[k++];
      }
    }
  }
}

}  // namespace sterna::md
