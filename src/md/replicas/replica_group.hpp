#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "md/ensemble/exchange.hpp"
#include "md/ensemble/run_state.hpp"
#include "md/forces/alchemy/alchemical_state.hpp"
#include "md/input/input.hpp"
#include "md/simulation/simulation.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// Where a run with replicas goes on.
struct ReplicaPlace {
  std::optional<int> turn;  ///< of the checkpoints to continue from; nothing: a new start
  std::int64_t step = 0;
};

/// What rank 0 knows of all replicas at a step; other ranks have nothing.
struct MeetingData {
  ReducedEnergies reduced;                          ///< by replica and state
  std::vector<double> potential_energies, volumes;  ///< by replica, in internal units
  /// By replica, if states are alchemical: the derivatives of its energy by each part of its state.
  std::vector<std::array<double, alchemical_parts.size()>> derivatives;
};

/// A group of ranks and the replicas that it runs, by turns. Functions are collective over all ranks
/// of the job. Failures of a group are thrown on all ranks.
class ReplicaGroup {
 public:
  /// The arguments must outlive this object.
  ReplicaGroup(const comm::Context& world, const Input& input, const SimulationOptions& options,
               const ReplicaPlace& place);

  std::size_t count() const { return count_; }  ///< of groups
  double time() const;                          ///< local: simulated time, in internal units

  void run_to(std::int64_t step);
  /// Local: warnings of the replicas of this group since the last call.
  std::vector<std::string> take_warnings();
  MeetingData gather();
  /// Gives each replica its state, and renews its lists.
  void set_states(std::span<const std::size_t> state_of);
  /// Writes a checkpoint of each replica.
  void save(int turn);
  void finish();

 private:
  /// Does the work for each replica of this group, one after the other. An error of one of them is
  /// thrown on all ranks of the job.
  void for_each(const std::function<void(std::size_t replica, Simulation& simulation)>& work);
  void agree_on(const std::function<void()>& work, const std::function<std::string()>& whose);

  const comm::Context& world_;
  std::string stem_;
  std::size_t count_, replicas_;
  comm::Context context_;  ///< of this group
  std::vector<RunState> states_;
  std::vector<double> thermal_energies_;  ///< by state
  bool is_alchemical_;
  std::size_t first_ = 0;  ///< replica of this group
  std::vector<std::unique_ptr<Simulation>> simulations_;
};

}  // namespace sterna::md
