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
#include "md/simulation/engine/load_measurement.hpp"
#include "md/simulation/engine/phase_timer.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// Keeps the regions of the ranks, measures the computing time of each rank, and cuts the regions
/// again if that pays. All functions are collective. With one rank nothing is done.
class Balancer {
 public:
  /// Begins with the regular grid, by which the particles of the start are distributed. `fields`
  /// follow the particles. Throws std::invalid_argument if the input asks for a combination that is
  /// impossible.
  Balancer(const comm::Context& context, const Input& input, const Box& box, double list_radius,
           PhaseTimer& timer, AddedFields& fields);

  const Decomposition& decomposition() const { return *decomposition_; }
  /// Null if the regions are not a regular grid.
  const RegularGrid* grid() const { return dynamic_cast<const RegularGrid*>(decomposition_.get()); }
  /// The decomposition for the user, such as "2 x 2 x 1" or "bisection".
  std::string description() const;

  /// Is called before the engine is made, with the particles at their owners. If the input names a
  /// method that weighs particles, the regions are cut by estimated cost; otherwise the most even
  /// of the grids that `RegularGrid` may choose is taken. Brings the particles to their new owners.
  void cut_at_start(ParticleStore& particles, std::int64_t step);
  /// Takes the regions of a checkpoint that equally many ranks wrote. Returns false, and keeps the
  /// present regions, if the checkpoint has none that the input allows.
  bool restore(const Json& state);
  bool restore(const std::array<int, 3>& grid);
  /// The regions as a checkpoint keeps them; empty for a regular grid.
  Json state() const;

  /// Is called when the loop begins. `cost`: seconds that this rank needed to make the engine, used
  /// as the first estimate of the cost of new regions.
  void start(std::int64_t step, double cost);
  void begin_step(std::int64_t step);
  /// Sets the box and keeps the number of ranks per axis. The particles must have moved with the
  /// box already, and `rebuild` of the engine must follow. For a regular grid only.
  void set_box(const Box& box, ForceEngine& engine);
  /// True on all ranks if the regions must be cut in this step, even if the list still holds.
  bool must_cut(std::int64_t step) const;
  /// Is called before lists are rebuilt. Decides whether the regions must change; if they do, the
  /// particles and the engine are moved to the new regions. Returns an event for the log, if there
  /// is one.
  std::optional<Json> before_rebuild(ParticleStore& particles, ForceEngine& engine,
                                     std::int64_t step, std::int64_t steps_left);

  /// Collective. Load balance at the end of a run: lines for the user, and the same as JSON.
  struct Summary {
    std::vector<std::string> lines;
    Json values;
  };
  Summary summary(std::int64_t step);
  /// Traffic of the particles that changed their rank with their region; nothing if none did.
  std::optional<comm::Verdict> verdict() const;

 private:
  using Costs = LoadMeasurement::Costs;
  /// What the input asks for.
  struct Settings {
    explicit Settings(const Input& input, int ranks);

    std::string method;  ///< of decomposition_methods(), for the next cut
    bool starts_with_grid = true;
    bool balances = false;
    bool measures_time;  ///< whether weights are measured times
    CostModel model;
    std::array<int, 3> grid;  ///< ranks per axis; 0: free
    std::int64_t forced_interval;
    std::string migration_method;
  };
  ParticleCosts particle_costs(const ParticleStore& particles) const;
  std::unique_ptr<Decomposition> make(const ParticleCosts& costs, double* predicted_most,
                                      double* mean) const;
  void take(std::unique_ptr<Decomposition> next, ParticleStore& particles, ForceEngine* engine,
            std::int64_t step);
  double longest(double seconds) const;
  void take_most_even_grid(ParticleStore& particles, std::int64_t step);
  /// Compares the lengths of the ranks' neighbor lists, without the clock.
  bool work_is_even(const ParticleStore& particles, const PairList& list) const;
  /// Whether the balance policy decides when to cut; otherwise the input's interval or the static
  /// weights decide.
  bool by_gain() const {
    return settings_.balances && settings_.measures_time && settings_.forced_interval == 0;
  }
  void decide_by_weights(ParticleStore& particles, ForceEngine& engine, std::int64_t step,
                         Json& event);
  void decide_by_gain(const Costs& costs, ParticleStore& particles, ForceEngine& engine,
                      std::int64_t step, std::int64_t steps_left, Json& event);

  comm::Context context_;
  Box box_;
  double list_radius_;
  PhaseTimer& timer_;
  AddedFields& fields_;
  Settings settings_;

  std::unique_ptr<Decomposition> decomposition_, former_;
  std::optional<BalancePolicy> policy_;
  std::optional<Migration> move_;

  LoadMeasurement measurement_;
  std::int64_t looked_at_ = 0;  ///< step of the last check by static weights
  std::int64_t cut_at_ = 0;
  std::int64_t next_measurement_ = 0, measurement_interval_ = 0;  ///< used if no policy decides

  struct {
    std::int64_t cuts = 0, roll_backs = 0, last_cut = 0;
    std::int64_t moved = 0;  ///< particles of this rank
  } record_;                 ///< for the report
};

}  // namespace sterna::md
