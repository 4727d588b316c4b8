#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "md/core/step_context.hpp"
#include "md/domain/halo.hpp"
#include "md/domain/migration.hpp"
#include "md/forces/force_term.hpp"
#include "md/forces/short_range_set.hpp"
#include "md/neighbors/pair_list.hpp"
#include "md/simulation/engine/multiple_time_steps.hpp"
#include "md/simulation/engine/phase_timer.hpp"
#include "md/simulation/engine/rebuild_decision.hpp"
#include "md/system/molecule_places.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// From positions to forces on all ranks: migration, halo, pair list and the force terms of the
/// run, and the decision when the list is rebuilt.
class ForceEngine {
 public:
  struct Options {
    std::string kernels = "auto";  ///< of the list builder
    double skin = 0.0;             ///< length
    int maximum_interval = 100;
    /// Lists are kept for that many steps, however far particles move.
    bool may_miss_pairs = false;
    bool rotating = false;  ///< as the stores that come
    int type_count = 0;
    /// On a rank, on average; the same in a resumed run. Lists are made for about so many.
    double particles_per_rank = std::numeric_limits<double>::infinity();
    /// Whether somebody reads pairs from the list that have no forces.
    bool lists_all_pairs = false;
    /// Whether somebody needs each local particle's row with all its neighbors.
    bool lists_full_shell = false;
    HaloOptions halo;
    /// Of flexible molecules, whose atoms ghosts are looked up by; null: there are none. The
    /// particles' ghosts have ids then.
    std::shared_ptr<MoleculePlaces> places = nullptr;
    double molecule_extent = 0.0;  ///< length; ghosts come from at least so far
    /// Whether no atom has a term or an exclusion in common with one that is farther away.
    bool molecule_extent_is_certain = true;
    MultipleTimeSteps time_steps{1, 1};
    std::string migration_method = "auto";
  };
  /// The decomposition must live as long as it is in use here. `short_range`: the terms that compute
  /// from rows of the list, at least one; `terms`: the others. Throws std::invalid_argument where two
  /// short-range terms act between the same types.
  ForceEngine(const comm::Context& context, const Decomposition& decomposition,
              std::vector<std::unique_ptr<ShortRangeForces>> short_range,
              std::vector<std::unique_ptr<ForceTerm>> terms, const Options& options,
              PhaseTimer& timer);

  /// One more term; `rebuild` must follow. Throws std::invalid_argument where a term has this name.
  void add(std::unique_ptr<ForceTerm> term);
  /// All of them, in the order in which they act: the short-range ones first.
  std::vector<const ForceTerm*> terms() const;
  std::vector<ForceTerm*> terms();
  bool keeps_momentum() const {
    return std::ranges::all_of(terms(),
                               [](const ForceTerm* term) { return term->keeps_momentum(); });
  }

  /// Collective. Other regions from now on: particles must be at their new owners already, and
  /// `rebuild` must follow.
  void set_decomposition(const Decomposition& decomposition);

  /// Brings particles to their owners, sorts them, and rebuilds halo and list.
  void rebuild(ParticleStore& particles, std::int64_t step);

  /// After a rebuild, when all who look for atoms of molecules have found them.
  void release_lookup_tables() {
    if (options_.places) options_.places->forget();
  }

  /// Of one time step; lists are rebuilt in steps that compute all forces only.
  struct LargestStep {
    double length;  ///< of the path of a particle
    double growth;  ///< from each step to the next
    /// Where positions follow from velocities and forces alone: by which step, and the masses by
    /// type.
    double timestep = 0.0;
    std::span<const double> masses = {};
  };
  /// Collective; in each step after positions moved, before forces. True on all ranks where the
  /// list may no longer hold. `largest_step`: how far a particle of this rank moves in a step at
  /// most, asked only where it matters. `asked` travels along: `others_asked()` holds the largest
  /// of all ranks, of this step or an earlier one.
  bool must_rebuild(const ParticleStore& particles, std::int64_t step,
                    const std::function<LargestStep()>& largest_step, std::int64_t asked);
  std::int64_t others_asked() const { return decision_.others_asked(); }
  /// The next step looks at the speeds, which something else than forces has changed in this one.
  /// Collective.
  void check_next_step_closely() { decision_.look_closely(); }
  /// After the last step, collective: nothing is under way any more.
  void complete() { decision_.complete(); }
  /// For checkpoints, so that a resumed run has the same bits.
  RebuildDecision::Pace pace() const { return decision_.pace(); }
  void set_pace(const RebuildDecision::Pace& pace) { decision_.set_pace(pace); }

  /// Whether forces of a step that rebuilds lists must be computed twice: by the old lists, which
  /// still hold, to end the step, and by the new ones to begin the next.
  bool ends_steps_before_rebuild() const;

  /// Sets the forces of the local particles, with multiple time steps those that are due in this
  /// step. Where sums are asked for, adds energy and virial of this rank, of all forces.
  void compute_forces(ParticleStore& particles, const StepContext& now, EnergyAndVirial* sums);
  /// What goes with the forces computed last.
  Impulses impulses() const { return time_steps_.impulses(); }
  std::span<Vec3> impulse_forces() { return time_steps_.impulse_forces(); }
  /// The same on all ranks, also where one has no particles.
  bool gives_impulses(std::int64_t step) const { return time_steps_.gives_impulses(step); }
  /// This rank's part of each of `terms()`, of the last step that asked for sums.
  std::span<const EnergyAndVirial> sums_by_term() const { return sums_by_term_; }
  /// Whether particles can be moved while the forces of others are still put together.
  bool can_move() const {
    return short_range_.can_move() && terms_.empty() && !time_steps_.are_used();
  }
  /// compute_forces, and calls `move` for all local particles, part by part, each as soon as its
  /// forces are there. The next step's `must_rebuild` follows.
  void compute_forces_and_move(ParticleStore& particles, const StepContext& now, const Mover& move);
  /// Particles are about to move to where they are in step `step`.
  void begin_move(std::int64_t step) {
    short_range_.list().forget_displacements();
    measures_ = !options_.may_miss_pairs && looks_in(step) && decision_.may_look(look_number(step));
  }
  /// [begin, end) have moved, and are still in the near caches: what `must_rebuild` will ask for
  /// is measured now.
  void measure_displacements(const ParticleStore& particles, std::size_t begin, std::size_t end) {
    if (measures_) short_range_.list().measure_displacements(particles, begin, end);
  }

  /// Collective. Ghosts move to where the particles are that they are copies of, before the next
  /// forces do the same.
  void move_ghosts(ParticleStore& particles);
  /// Collective. The vectors of ghosts become those of the particles that they are copies of.
  void exchange_vectors(std::span<const Vec3> local, std::span<Vec3> ghosts) {
    halo_.exchange_vectors(local, ghosts);
  }
  /// The same of the ghosts that `select_ghosts` named since the last rebuild.
  void start_selected_vectors(std::span<const Vec3> local, std::span<Vec3> ghosts) {
    halo_.start_selected_vectors(local, ghosts);
  }
  void finish_selected_vectors(std::span<const Vec3> local, std::span<Vec3> ghosts) {
    halo_.finish_selected_vectors(local, ghosts);
  }
  void select_ghosts(const ParticleStore& particles, std::span<const std::uint32_t> places) {
    halo_.select_ghosts(particles, places);
  }

  std::int64_t rebuilds() const { return rebuilds_; }
  /// Rebuilds that came after a particle had moved farther than the skin allows.
  std::int64_t late_rebuilds() const { return decision_.late_rebuilds(); }
  /// Of all particles that a short-range term needs, with the rows of the first such term.
  const PairList& list() const { return short_range_.list(); }
  /// The instruction set of the short-range forces.
  std::string_view kernels() const { return short_range_.term(0).kernels(); }
  const Halo& halo() const { return halo_; }
  /// Of all regions that there were: counts are summed, times are those of the present ones.
  std::vector<comm::Verdict> verdicts() const;
  double halo_width() const { return halo_width_; }

 private:
  MigrationOptions migration_options() const {
    return {.exchange_method = options_.migration_method, .rotating = options_.rotating};
  }

  /// Of the others, which come behind the short-range ones.
  Phase phase_of_term(std::size_t k) const { return phases_[short_range_.size() + k]; }

  HaloOptions halo_options() const;
  double width_of_halo() const;
  /// Whether pairs are all that needs ghosts from the whole width of the halo, and have those of the
  /// half shell. Others come then from as far as the atoms of molecules need each other.
  bool narrows_other_half() const {
    return short_range_.ghost_forces() == GhostForces::half_shell &&
           options_.molecule_extent_is_certain &&
           std::ranges::none_of(terms_, [](const auto& term) { return term->needs_all_ghosts(); });
  }
  /// Whether one rank may compute a molecule for all that have atoms of it. With multiple time steps
  /// bonded forces are due where no forces return.
  bool shares_spanning_molecules() const {
    return options_.places && short_range_.ghost_forces() == GhostForces::half_shell &&
           !time_steps_.are_used();
  }
  bool some_need_early_rebuild() const;
  /// Migration and halo for these regions. Collective.
  void connect(const Decomposition& decomposition);

  /// `all`: also what is not due.
  void compute_forces(ParticleStore& particles, const StepContext& now, bool all,
                      EnergyAndVirial* sums, const Mover* move);
  /// Of all short-range terms.
  void compute_short_range(ParticleStore& particles, PairList::Cells cells, EnergyAndVirial* sums);
  /// Of the short-range terms that have some.
  void compute_further_passes(ParticleStore& particles, EnergyAndVirial* sums);
  void compute_boundary(ParticleStore& particles, EnergyAndVirial* sums, const Mover* move);
  void compute_spanning(const ParticleStore& particles, const CollectedForces& collected,
                        bool with_sums);
  void place_ghosts(ParticleStore& particles);
  void add_impulses(const ParticleStore& particles, std::int64_t step);
  static void clear_forces(ParticleStore& particles);
  /// Whether the list may be rebuilt in this step, and which of these steps it is.
  bool looks_in(std::int64_t step) const { return time_steps_.all_are_due(step); }
  std::int64_t look_number(std::int64_t step) const { return step / time_steps_.longest(); }
  void set_region(const Decomposition& decomposition);
  RebuildDecision::Motion motion(const ParticleStore& particles, std::int64_t step,
                                 const LargestStep& largest);
  /// Bounds of the largest displacement after the next step; `far`: who may leave half the skin.
  void forecast(const ParticleStore& particles, std::span<const std::uint32_t> far,
                const LargestStep& largest, RebuildDecision::Motion& motion) const;
  /// Whether the list holds until a pair that it lacks comes within the range of the forces, not
  /// only as long as no particle has moved by half the skin.
  bool list_is_lost_by_pairs() const { return borders_show_pairs_ && !needs_early_rebuild_; }
  EnergyAndVirial* sums_of(std::size_t term, const EnergyAndVirial* wanted) {
    return wanted == nullptr ? nullptr : &sums_by_term_[term];
  }
  /// `far`: all local particles that have moved by more than half the skin, and others.
  bool holds_beyond_half_skin(const ParticleStore& particles, std::span<const std::uint32_t> far,
                              double longest_path);

  comm::Context context_;
  Options options_;
  const Decomposition* decomposition_;
  PhaseTimer& timer_;
  ShortRangeSet short_range_;
  double list_radius_;
  std::vector<std::unique_ptr<ForceTerm>> terms_;  ///< besides `short_range_`
  MultipleTimeSteps time_steps_;
  bool needs_early_rebuild_;   ///< one of the terms does
  bool lacks_ghosts_ = false;  ///< until the next rebuild: a term came that may look at all
  double halo_width_;
  Migration migration_;
  Halo halo_;
  std::vector<Phase> phases_;  ///< of `short_range_` and the others
  std::vector<EnergyAndVirial> sums_by_term_;
  std::vector<std::uint32_t> ghost_slots_;
  bool measures_ = false;            ///< displacements, as particles move
  bool borders_show_pairs_ = false;  ///< every pair that a list lacks, to one of two ranks
  std::vector<std::uint32_t> beyond_half_skin_;  ///< scratch of holds_beyond_half_skin

  RebuildDecision decision_;
  std::int64_t rebuilds_ = 0;
  std::vector<comm::Verdict> earlier_;  ///< of regions that are no more
};

}  // namespace sterna::md
