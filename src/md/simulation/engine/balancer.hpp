#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "md/core/json.hpp"
#include "md/domain/balance_policy.hpp"
#include "md/domain/decomposition_method.hpp"
#include "md/domain/migration.hpp"
#include "md/domain/particle_cost.hpp"
#include "md/domain/regular_grid.hpp"
#include "md/input/input.hpp"
#include "md/simulation/engine/force_engine.hpp"
#include "md/simulation/engine/phase_timer.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// Keeps the regions of the ranks, measures what the ranks compute, and cuts the regions again
/// where that pays. Everything is collective. With one rank it does nothing.
class Balancer {
 public:
  /// Begins with the regular grid, by which the start is dealt out. Throws std::invalid_argument
  /// where the input asks for what cannot be.
  Balancer(const comm::Context& context, const Input& input, const Box& box, double list_radius,
           PhaseTimer& timer);

  const Decomposition& decomposition() const { return *decomposition_; }
  /// Nothing where the regions are not a regular grid.
  const RegularGrid* grid() const { return dynamic_cast<const RegularGrid*>(decomposition_.get()); }
  /// "2 x 2 x 1", "bisection".
  std::string description() const;

  /// Before the engine is made, with the particles at their owners: cuts by estimated cost where
  /// the input names a method that weighs, and otherwise takes the grid that shares particles out
  /// most evenly, of those that `RegularGrid` may choose. Brings the particles to their new owners.
  void cut_at_start(ParticleStore& particles, std::int64_t step);
  /// The regions of a checkpoint that as many ranks wrote; false where it has none that the input
  /// allows, and then the present ones stay.
  bool restore(const Json& state);
  bool restore(const std::array<int, 3>& grid);
  /// Empty for a regular grid.
  Json state() const;

  /// When the loop begins. `cost`: seconds that this rank needed to make the engine, the first
  /// guess of what a change costs.
  void start(std::int64_t step, double cost);
  void begin_step(std::int64_t step);
  /// The box is `box` from now on, with as many ranks per axis; the particles have gone along, and
  /// `rebuild` of the engine must follow. For a regular grid only.
  void set_box(const Box& box, ForceEngine& engine);
  /// True on all ranks where the regions are to be cut in this step, whether the list holds or not.
  bool must_cut(std::int64_t step) const;
  /// Where lists are about to be rebuilt, looks whether the regions are still right; afterwards the
  /// engine and the particles are those of the new ones. Returns what there is to log.
  std::optional<Json> before_rebuild(ParticleStore& particles, ForceEngine& engine,
                                     std::int64_t step, std::int64_t steps_left);

  /// At the end of a run: lines for a person and the same as JSON. Collective.
  struct Summary {
    std::vector<std::string> lines;
    Json values;
  };
  Summary summary(std::int64_t step);
  /// Of the particles that changed their rank with their region; nothing where none did.
  std::optional<comm::Verdict> verdict() const;

 private:
  /// Seconds per step since the last call, of all ranks; nothing where they are too few to tell.
  struct Costs {
    double most, mean, whole;
  };
  std::optional<Costs> measure(std::int64_t step);
  void forget_measurements(std::int64_t step);
  ParticleCosts particle_costs(const ParticleStore& particles) const;
  std::unique_ptr<Decomposition> make(const ParticleCosts& costs, double* predicted_most,
                                      double* mean) const;
  void take(std::unique_ptr<Decomposition> next, ParticleStore& particles, ForceEngine* engine,
            std::int64_t step);
  double longest(double seconds) const;
  void take_most_even_grid(ParticleStore& particles, std::int64_t step);
  /// By the lists of the ranks, not by the clock.
  bool work_is_even(const ParticleStore& particles, const PairList& list) const;
  /// Whether the policy decides; otherwise the input's interval or static weights do.
  bool by_gain() const { return balances_ && measures_time_ && forced_interval_ == 0; }
  void decide_by_weights(ParticleStore& particles, ForceEngine& engine, std::int64_t step,
                         Json& event);
  void decide_by_gain(const Costs& costs, ParticleStore& particles, ForceEngine& engine,
                      std::int64_t step, std::int64_t steps_left, Json& event);

  comm::Context context_;
  Box box_;
  double list_radius_;
  PhaseTimer& timer_;
  std::string method_;  ///< of decomposition_methods(); the one to go over to
  bool balances_ = false;
  bool starts_with_grid_ = true;
  bool measures_time_ = true;  ///< weights by time
  CostModel model_ = CostModel::neighbors;
  std::array<int, 3> asked_grid_{};  ///< 0: as it is best
  std::int64_t forced_interval_ = 0;
  std::string migration_method_;
  bool shares_cores_ = false;  ///< more ranks than cores: the time of a step says nothing
  double resolution_ = 0.0;

  std::unique_ptr<Decomposition> decomposition_, former_;
  std::optional<BalancePolicy> policy_;
  std::optional<Migration> move_;

  std::int64_t looked_at_ = 0;  ///< by static weights
  std::int64_t cut_at_ = 0;
  bool in_loop_ = false;
  std::int64_t measured_from_ = 0;
  std::int64_t next_measurement_ = 0, measurement_interval_ = 0;  ///< where no policy asks
  std::int64_t sampled_steps_ = 0;
  struct {
    double forces = 0.0, lists = 0.0, whole = 0.0;
  } seconds_at_;                    ///< when the measurement began
  std::optional<double> smoothed_;  ///< computing seconds of this rank in a step

  std::optional<double> first_imbalance_, last_imbalance_;
  std::int64_t cuts_ = 0, roll_backs_ = 0, last_cut_ = 0;
  std::int64_t moved_ = 0;
};

}  // namespace sterna::md
