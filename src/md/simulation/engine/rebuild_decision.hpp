#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

#include "md/simulation/engine/phase_timer.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

/// Decides in which steps the list is rebuilt, alike on all ranks: before a particle, anywhere,
/// has moved farther than half the skin, unless the ranks find that the list holds even so.
/// What a rank sees of its particles in a step travels in a reduction while forces are computed,
/// and tells in the next step whether the list still holds; only where the forecast is too close to
/// call, and where somebody has moved farther than that, do the ranks wait for each other.
class RebuildDecision {
 public:
  RebuildDecision(const comm::Context& context, double half_skin, int maximum_interval,
                  PhaseTimer& timer);

  /// Lengths, of the particles of this rank.
  struct Motion {
    double displacement = 0.0;  ///< the largest since the list was built
    double step = 0.0;          ///< the longest path in a step
    double growth = 0.0;        ///< of that from each step to the next, at most
    /// The largest displacement after the next step is expected between these.
    double next_least = 0.0;
    double next_most = std::numeric_limits<double>::max();
    /// Whether the list is lost, where that was looked at; otherwise it is where the displacement
    /// is beyond half the skin.
    std::optional<bool> lost = std::nullopt;
    double rounding = 0.0;  ///< of `displacement`, at most
  };

  /// Collective, in each step after positions have moved and before forces. `look` is called where
  /// it matters only. `asked` travels along: `others_asked` is the largest of all ranks, of the
  /// last look that is complete.
  bool must_rebuild(std::int64_t step, const std::function<Motion()>& look, std::int64_t asked);
  /// Whether that may call `look`: a hint, which can be wrong either way.
  bool may_look(std::int64_t step) const { return under_way_ || step >= next_look_; }
  std::int64_t others_asked() const { return asked_; }

  /// The list was built in this step.
  void list_was_built(std::int64_t step);
  /// Something else than forces has changed the speeds: the next step waits for all to look.
  void look_closely() { closely_ = true; }
  /// Lets what is under way advance.
  void progress();
  /// Completes what is under way: before the last of the ranks' exchanges.
  void complete();

  /// Rebuilds that came after a particle had moved more than a step too far, unseen.
  std::int64_t late_rebuilds() const { return late_rebuilds_; }

  /// How fast particles were at the last look, which the first step after a rebuild goes by: a
  /// resumed run is told, so that it waits where the other did.
  struct Pace {
    double step = 0.0, growth = 0.0;
  };
  Pace pace() const { return {known_.step, known_.growth}; }
  /// What no particle of any rank moves by in a step, as far as it is known.
  double longest_path() const;
  /// What no particle of any rank has moved by since the list was built, as far as it is known.
  double longest_displacement(std::int64_t step) const;
  void set_pace(const Pace& pace) { known_.step = pace.step, known_.growth = pace.growth; }

 private:
  void start(std::int64_t step, const std::function<Motion()>& look, std::int64_t asked);
  bool list_is_over();

  double half_skin_;
  std::int64_t maximum_interval_;
  PhaseTimer& timer_;
  /// What travels; results after `complete`.
  Motion travelling_;
  std::int64_t travelling_over_ = 0;  ///< 1 where the list does not hold any more
  std::int64_t travelling_asked_ = 0;
  comm::ReductionBatch agreement_;
  bool under_way_ = false;

  Motion known_;  ///< of all ranks, in step `looked_at_`
  bool over_ = false;
  double seen_ = 0.0;  ///< the displacement that was known before, since the list was built
  std::int64_t asked_ = 0;
  std::int64_t built_at_ = 0;
  std::int64_t looked_at_ = -1;
  std::int64_t next_look_ = 0;
  std::int64_t safe_until_ = 0;  ///< whatever the next look says
  bool closely_ = false;
  std::int64_t late_rebuilds_ = 0;
};

}  // namespace sterna::md
