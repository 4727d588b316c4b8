#include "md/replicas/replica_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include "md/core/agreement.hpp"
#include "md/core/file_error.hpp"
#include "md/core/unstable_run.hpp"
#include "md/ensemble/replica_files.hpp"
#include "md/ensemble/state_sections.hpp"
#include "md/ensemble/states_from_input.hpp"
#include "md/forces/alchemy/alchemical_state.hpp"
#include "md/input/read_input.hpp"
#include "md/output/atomic_file.hpp"
#include "md/output/checkpoint_file.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

/// The group of a replica, or the first replica of a group: both are in the same order.
std::size_t share(std::size_t number, std::size_t parts, std::size_t all) {
  return number * parts / all;
}
std::size_t first_of(std::size_t part, std::size_t parts, std::size_t all) {
  return (part * all + parts - 1) / parts;
}

enum class Failure : std::int64_t { none, file, unstable, interrupted };

std::string checkpoint_of(const std::string& stem, std::size_t replica, int turn) {
  return checkpoint_path(replica_files::of_checkpoint(stem, replica, turn));
}

}  // namespace

ReplicaGroup::ReplicaGroup(const comm::Context& world, const Input& input,
                           const SimulationOptions& options, const ReplicaPlace& place)
    : world_(world),
      stem_(output_stem(input)),
      count_(
          std::min<std::size_t>(static_cast<std::size_t>(world.size()), count_of_replicas(input))),
      replicas_(count_of_replicas(input)),
      context_(world.split(static_cast<int>(share(static_cast<std::size_t>(world.rank()), count_,
                                                  static_cast<std::size_t>(world.size()))))),
      is_alchemical_(states_are_alchemical(input)) {
  for (std::size_t state = 0; state < input.tables<StateSection>().size(); ++state) {
    states_.push_back(run_state(input, state));
    thermal_energies_.push_back(input.units.boltzmann() * temperature_of_state(input, state));
  }
  const std::size_t group =
      share(static_cast<std::size_t>(world.rank()), count_, static_cast<std::size_t>(world.size()));
  first_ = first_of(group, count_, replicas_);
  const std::size_t end = first_of(group + 1, count_, replicas_);
  std::size_t replica = first_;
  agree_on(
      [&] {
        for (; replica < end; ++replica) {
          SimulationOptions own = options;
          own.quiet = true;
          own.progress = Progress::never;
          own.only_runs_to_the_end = false;
          own.leaves_requests_to_caller = true;
          own.resume = place.turn.has_value();
          if (place.turn) own.checkpoint = checkpoint_of(stem_, replica, *place.turn);
          simulations_.push_back(
              std::make_unique<Simulation>(context_, input_of_replica(input, replica), own));
          const std::int64_t step = simulations_.back()->step_number();
          if (place.turn && step != place.step) {
            throw FileError(fmt::format("{}: is of step {}; expected step {}, as {}{} says",
                                        own.checkpoint, step, place.step, stem_,
                                        replica_files::set));
          }
        }
      },
      [&] { return fmt::format("replica {}: ", replica); });
}

double ReplicaGroup::time() const {
  return simulations_.front()->time();
}

void ReplicaGroup::agree_on(const std::function<void()>& work,
                            const std::function<std::string()>& whose) {
  auto failure = Failure::none;
  std::string text;
  try {
    work();
  } catch (const comm::Error&) {
    throw;  // ends the job
  } catch (const UnstableRun& error) {
    failure = Failure::unstable;
    text = error.what();
  } catch (const StartInterrupted& error) {
    failure = Failure::interrupted;
    text = error.what();
  } catch (const std::exception& error) {
    failure = Failure::file;
    text = error.what();
  }
  auto most = static_cast<std::int64_t>(failure);
  comm::ReductionBatch(world_, "failures of replicas").max(most).run();
  if (most == 0) return;
  // Of several kinds the strongest is reported.
  const bool reports = static_cast<std::int64_t>(failure) == most;
  const std::string all = shared_failure(world_, reports ? whose() + text : std::string());
  switch (static_cast<Failure>(most)) {
    case Failure::unstable:
      throw UnstableRun(all);
    case Failure::interrupted:
      throw StartInterrupted();
    default:
      throw FileError(all);
  }
}

void ReplicaGroup::for_each(
    const std::function<void(std::size_t replica, Simulation& simulation)>& work) {
  std::size_t replica = first_;
  agree_on(
      [&] {
        for (const auto& simulation : simulations_) {
          work(replica, *simulation);
          ++replica;
        }
      },
      [&] { return fmt::format("replica {}: ", replica); });
}

void ReplicaGroup::run_to(std::int64_t step) {
  for_each([&](std::size_t, Simulation& simulation) {
    simulation.run(step - simulation.step_number());
  });
}

std::vector<std::string> ReplicaGroup::take_warnings() {
  std::vector<std::string> warnings;
  for (std::size_t k = 0; k < simulations_.size(); ++k) {
    for (const std::string& text : simulations_[k]->take_warnings()) {
      warnings.push_back(fmt::format("warning: replica {}: {}", first_ + k, text));
    }
  }
  return warnings;
}

MeetingData ReplicaGroup::gather() {
  const std::size_t states = states_.size();
  std::vector<double> mine;
  for_each([&](std::size_t, Simulation& simulation) {
    const std::vector<double> energies = simulation.potential_energies(states_);
    const ThermodynamicState& now = simulation.last_state();
    mine.push_back(now.potential_energy);
    mine.push_back(now.volume);
    if (is_alchemical_) {
      const StateParameters slopes = simulation.state_derivatives();
      for (const AlchemicalPart& part : alchemical_parts) {
        // Files lack the parts that a term does not tell.
        const auto slope = slopes.find(part.parameter);
        mine.push_back(slope == slopes.end() ? 0.0 : slope->second);
      }
    }
    for (std::size_t k = 0; k < states; ++k) {
      const double work = states_[k].pressure.value_or(0.0) * now.volume;
      mine.push_back((energies[k] + work) / thermal_energies_[k]);
    }
  });
  // All ranks of a group have the same numbers; the first of them tells its own.
  std::string bytes;
  if (context_.rank() == 0) {
    bytes.assign(reinterpret_cast<const char*>(mine.data()), mine.size() * sizeof(double));
  }
  MeetingData met;
  for (const std::string& part : comm::gather(world_, 0, bytes)) {
    std::vector<double> numbers(part.size() / sizeof(double));
    if (!part.empty()) std::memcpy(numbers.data(), part.data(), part.size());
    for (auto row = numbers.begin(); row != numbers.end();) {
      met.potential_energies.push_back(*row++);
      met.volumes.push_back(*row++);
      if (is_alchemical_) {
        for (double& slope : met.derivatives.emplace_back()) slope = *row++;
      }
      met.reduced.emplace_back(row, row + static_cast<std::ptrdiff_t>(states));
      row += static_cast<std::ptrdiff_t>(states);
    }
  }
  return met;
}

void ReplicaGroup::set_states(std::span<const std::size_t> state_of) {
  for_each([&](std::size_t replica, Simulation& simulation) {
    simulation.set_state(states_[state_of[replica]]);
  });
}

void ReplicaGroup::save(int turn) {
  for_each([&](std::size_t replica, Simulation& simulation) {
    const std::string path = checkpoint_of(stem_, replica, turn);
    // It belongs to no set of checkpoints any more.
    on_first_rank(context_, [&] { remove_file(path); });
    simulation.save(path);
  });
}

void ReplicaGroup::finish() {
  for_each([](std::size_t, Simulation& simulation) { simulation.finish(); });
}

}  // namespace sterna::md
