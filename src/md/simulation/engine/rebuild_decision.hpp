#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

#include "md/simulation/engine/phase_timer.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

/// Decides in which steps the list is rebuilt, with the same result on all ranks: before any
/// particle has moved farther than half the skin, unless the ranks find that the list still holds.
/// The motion of a rank's particles is reduced while forces are computed, and the result tells the
/// next step whether the list still holds. The ranks wait for the reduction only if the forecast is
/// too close to the limit, or if a particle has moved beyond it.
class RebuildDecision {
 public:
  RebuildDecision(const comm::Context& context, double half_skin, int maximum_interval,
                  PhaseTimer& timer);

  /// Bounds of the motion of this rank's particles; lengths.
  struct Motion {
    double displacement = 0.0;  ///< largest since the list was built
    double step = 0.0;          ///< longest path of a particle in a step
    double growth = 0.0;        ///< of `step` from each step to the next, at most
    /// Bounds of the largest displacement after the next step.
    double next_least = 0.0;
    double next_most = std::numeric_limits<double>::max();
    /// Whether the list is lost, if pairs were checked. If not, it is lost if the displacement
    /// exceeds half the skin.
    std::optional<bool> lost = std::nullopt;
    double rounding = 0.0;  ///< largest rounding error of `displacement`
  };

  /// Collective. Is called in each step after positions have moved and before forces are computed.
  /// `look` measures the motion; it is called only if needed. `asked` is reduced along:
  /// `others_asked` is the largest value of all ranks in the last completed check.
  bool must_rebuild(std::int64_t step, const std::function<Motion()>& look, std::int64_t asked);
  /// Whether `must_rebuild` is likely to call `look`. This is a hint, which can be wrong either
  /// way.
  bool may_look(std::int64_t step) const { return under_way_ || step >= next_look_; }
  std::int64_t others_asked() const { return asked_; }

  /// Tells that the list was built in this step.
  void list_was_built(std::int64_t step);
  /// Tells that something other than forces has changed the speeds, so that the next step waits for
  /// the check of all ranks.
  void look_closely() { closely_ = true; }
  /// Lets the reduction under way advance.
  void progress();
  /// Completes the reduction under way; is called before the last exchange of the ranks.
  void complete();

  /// Number of rebuilds that came after a particle had unnoticed moved more than a step too far.
  std::int64_t late_rebuilds() const { return late_rebuilds_; }

  /// Speeds of the particles at the last check, by which the first step after a rebuild decides. A
  /// checkpoint keeps them, so that a resumed run waits in the same steps.
  struct Pace {
    double step = 0.0, growth = 0.0;
  };
  Pace pace() const { return {known_.step, known_.growth}; }
  /// An upper bound of the path of any particle of any rank in a step, as far as it is known.
  double longest_path() const;
  /// An upper bound of the displacement of any particle of any rank since the list was built, as
  /// far as it is known.
  double longest_displacement(std::int64_t step) const;
  void set_pace(const Pace& pace) { known_.step = pace.step, known_.growth = pace.growth; }

 private:
  void start(std::int64_t step, const std::function<Motion()>& look, std::int64_t asked);
  bool list_is_over();

  double half_skin_;
  std::int64_t maximum_interval_;
  PhaseTimer& timer_;
  /// The values that are reduced; results after `complete`.
  Motion travelling_;
  std::int64_t travelling_over_ = 0;  ///< 1 if the list does not hold any more
  std::int64_t travelling_asked_ = 0;
  comm::ReductionBatch agreement_;
  bool under_way_ = false;

  Motion known_;  ///< result of all ranks in step `looked_at_`
  bool over_ = false;
  double seen_ = 0.0;  ///< displacement known before `known_`
  std::int64_t asked_ = 0;
  std::int64_t built_at_ = 0;
  std::int64_t looked_at_ = -1;
  std::int64_t next_look_ = 0;
  std::int64_t safe_until_ = 0;  ///< no check can find the list lost before
  bool closely_ = false;
  std::int64_t late_rebuilds_ = 0;
};

}  // namespace sterna::md
