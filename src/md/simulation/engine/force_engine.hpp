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
#include "md/forces/other_terms.hpp"
#include "md/forces/short_range_set.hpp"
#include "md/neighbors/pair_list.hpp"
#include "md/simulation/engine/multiple_time_steps.hpp"
#include "md/simulation/engine/phase_timer.hpp"
#include "md/simulation/engine/rebuild_decision.hpp"
#include "md/system/molecule_places.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// Computes forces from positions on all ranks: migration, halo, pair list, the force terms of the
/// run, and the decision when the list is rebuilt.
class ForceEngine {
 public:
  struct Options {
    std::string kernels = "auto";  ///< instruction set of the list builder
    double skin = 0.0;             ///< length
    int maximum_interval = 100;
    /// Lists are kept for `maximum_interval` steps, however far particles move.
    bool may_miss_pairs = false;
    bool rotating = false;          ///< whether particles have orientations
    bool only_some_rotate = false;  ///< whether only some of them have
    int type_count = 0;
    /// Average number of particles on a rank, the same in a resumed run; lists are sized for it.
    double particles_per_rank = std::numeric_limits<double>::infinity();
    /// Whether an observer reads pairs from the list that have no forces.
    bool lists_all_pairs = false;
    /// Whether an observer needs all neighbors of each local particle in its row.
    bool lists_full_shell = false;
    HaloOptions halo;
    /// Atoms of flexible molecules by id; null: there are none. If it is set, ghosts have ids.
    std::shared_ptr<MoleculePlaces> places = nullptr;
    double molecule_extent = 0.0;  ///< length; ghosts come from at least this far
    /// Whether no atom shares a term or an exclusion with an atom farther away than
    /// `molecule_extent`.
    bool molecule_extent_is_certain = true;
    MultipleTimeSteps time_steps{1, 1};
    std::string migration_method = "auto";
    AddedFields* fields = nullptr;  ///< of the particles, which follow them; null: none
  };
  /// The decomposition must live as long as it is in use here. `short_range`: the terms that
  /// compute from rows of the list, at least one; `terms`: the others. Throws std::invalid_argument
  /// if two short-range terms act between the same types.
  ForceEngine(const comm::Context& context, const Decomposition& decomposition,
              std::vector<std::unique_ptr<ShortRangeForces>> short_range,
              std::vector<std::unique_ptr<ForceTerm>> terms, const Options& options,
              PhaseTimer& timer);

  /// Adds a term; `rebuild` must follow. Throws std::invalid_argument if a term has this name
  /// already.
  void add(std::unique_ptr<ForceTerm> term);
  /// All terms in the order in which they act: the short-range terms first.
  std::vector<const ForceTerm*> terms() const;
  std::vector<ForceTerm*> terms();
  bool keeps_momentum() const {
    return std::ranges::all_of(terms(),
                               [](const ForceTerm* term) { return term->keeps_momentum(); });
  }

  /// Tells terms that write files of their own that a checkpoint follows the next forces.
  void announce_checkpoint();
  /// Why a term asks to end the run; empty: none does. The same on all ranks.
  std::string reason_to_stop() const;

  /// Collective. Changes the regions. Particles must be at their new owners already, and `rebuild`
  /// must follow.
  void set_decomposition(const Decomposition& decomposition);

  /// Brings particles to their owners, sorts them, and rebuilds halo and list.
  void rebuild(ParticleStore& particles, std::int64_t step);

  /// Releases the lookup tables of atoms. Is called after a rebuild, when all parts have found
  /// their atoms.
  void release_lookup_tables() {
    if (options_.places) options_.places->forget();
  }

  /// Bounds of the motion in one time step. (Lists are rebuilt only in steps that compute all
  /// forces.)
  struct LargestStep {
    double length;  ///< upper bound of a particle's path
    double growth;  ///< of `length`, from each step to the next
    /// The time step and the masses by type, if positions follow from velocities and forces alone.
    double timestep = 0.0;
    std::span<const double> masses = {};
  };
  /// Collective. Is called in each step after positions have moved and before forces are computed.
  /// True on all ranks if the list may no longer hold. `largest_step` returns the bounds of the
  /// motion on this rank; it is called only if they are needed. `asked` is reduced along:
  /// `others_asked()` is the largest value of all ranks, of this step or an earlier one.
  bool must_rebuild(const ParticleStore& particles, std::int64_t step,
                    const std::function<LargestStep()>& largest_step, std::int64_t asked);
  std::int64_t others_asked() const { return decision_.others_asked(); }
  /// Collective. Tells that something other than forces has changed the speeds in this step, so
  /// that the next step measures them.
  void check_next_step_closely() { decision_.look_closely(); }
  /// Collective. Completes the reduction under way; is called after the last step.
  void complete() { decision_.complete(); }
  /// The pace of the last check, which checkpoints keep so that a resumed run has the same bits.
  RebuildDecision::Pace pace() const { return decision_.pace(); }
  void set_pace(const RebuildDecision::Pace& pace) { decision_.set_pace(pace); }

  /// Whether a step that rebuilds lists computes its forces twice: with the old lists, which still
  /// hold, to end the step, and with the new lists to begin the next step.
  bool ends_steps_before_rebuild() const;

  /// Sets the forces of the local particles; with multiple time steps, only the forces due in this
  /// step. If `sums` is given, adds energy and virial of all forces of this rank.
  void compute_forces(ParticleStore& particles, const StepContext& now, EnergyAndVirial* sums);
  /// Impulses that belong to the forces computed last.
  Impulses impulses() const { return time_steps_.impulses(); }
  std::span<Vec3> impulse_forces() { return time_steps_.impulse_forces(); }
  /// Whether a step has impulses; the same on all ranks, even if one has no particles.
  bool gives_impulses(std::int64_t step) const { return time_steps_.gives_impulses(step); }
  /// This rank's part of the sums of each of `terms()`, from the last step that computed sums.
  std::span<const EnergyAndVirial> sums_by_term() const { return sums_by_term_; }
  /// Whether particles can move while the forces of other particles are still being computed.
  bool can_move() const {
    return short_range_.can_move() && terms_.empty() && !time_steps_.are_used();
  }
  /// As compute_forces; calls `move` for all local particles, block by block, as soon as the forces
  /// of a block are complete. The next step's `must_rebuild` follows.
  void compute_forces_and_move(ParticleStore& particles, const StepContext& now, const Mover& move);
  /// Tells that particles are about to move to their positions in step `step`.
  void begin_move(std::int64_t step) {
    short_range_.list().forget_displacements();
    measures_ = !options_.may_miss_pairs && looks_in(step) && decision_.may_look(look_number(step));
  }
  /// Tells that the particles [begin, end) have moved. Their displacements, which `must_rebuild`
  /// needs, are measured now because the particles are still in the cache.
  void measure_displacements(const ParticleStore& particles, std::size_t begin, std::size_t end) {
    if (measures_) short_range_.list().measure_displacements(particles, begin, end);
  }

  /// Collective. Moves ghosts to the positions of their originals. The next computation of forces
  /// does the same.
  void move_ghosts(ParticleStore& particles);
  /// Collective. Sets the vectors of ghosts to the vectors of their originals.
  void exchange_vectors(std::span<const Vec3> local, std::span<Vec3> ghosts) {
    halo_.exchange_vectors(local, ghosts);
  }
  /// As `exchange_vectors`, for the ghosts that `select_ghosts` named since the last rebuild only.
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
  /// The list of all particles that a short-range term needs, with the rows of the first such term.
  const PairList& list() const { return short_range_.list(); }
  /// The name of the instruction set that the short-range forces use.
  std::string_view kernels() const { return short_range_.term(0).kernels(); }
  const Halo& halo() const { return halo_; }
  /// Traffic over all decompositions of the run: counts are summed, times belong to the present
  /// one.
  std::vector<comm::Verdict> verdicts() const;
  double halo_width() const { return halo_width_; }

 private:
  MigrationOptions migration_options() const {
    return {.exchange_method = options_.migration_method,
            .rotating = options_.rotating,
            .only_some_rotate = options_.only_some_rotate,
            .fields = options_.fields};
  }

  /// The timer's phase of term k of `terms_`; the short-range terms come before these.
  Phase phase_of_term(std::size_t k) const { return phases_[short_range_.size() + k]; }

  HaloOptions halo_options() const;
  double width_of_halo() const;
  /// Whether only pairs need ghosts from the whole width of the halo, and need the half shell only.
  /// Other ghosts then come from a smaller distance, at which atoms of molecules need each other.
  bool narrows_other_half() const {
    return short_range_.ghost_forces() == GhostForces::half_shell &&
           options_.molecule_extent_is_certain &&
           std::ranges::none_of(terms_, [](const auto& term) { return term->needs_all_ghosts(); });
  }
  /// Whether one rank may compute a molecule for all ranks that own atoms of it. With multiple time
  /// steps this is impossible, because bonded forces are due in steps in which no forces are
  /// returned.
  bool shares_spanning_molecules() const {
    return options_.places && short_range_.ghost_forces() == GhostForces::half_shell &&
           !time_steps_.are_used();
  }
  bool some_need_early_rebuild() const;
  /// Collective. Makes migration and halo for these regions.
  void connect(const Decomposition& decomposition);

  /// `all`: whether forces that are not due are computed as well.
  void compute_forces(ParticleStore& particles, const StepContext& now, bool all,
                      EnergyAndVirial* sums, const Mover* move);
  /// Computes all short-range terms over these cells.
  void compute_short_range(ParticleStore& particles, PairList::Cells cells, EnergyAndVirial* sums);
  /// Computes the second and further passes of the short-range terms that have them.
  void compute_further_passes(ParticleStore& particles, EnergyAndVirial* sums);
  void compute_boundary(ParticleStore& particles, EnergyAndVirial* sums, const Mover* move);
  void compute_spanning(const ParticleStore& particles, const CollectedForces& collected,
                        bool with_sums);
  void place_ghosts(ParticleStore& particles);
  void add_impulses(const ParticleStore& particles, std::int64_t step);
  /// Finds the term that acts on all others.
  void find_term_on_others();
  /// Lets that term add its forces, after all others.
  void finish_term_on_others(ParticleStore& particles, EnergyAndVirial* sums);
  static void clear_forces(ParticleStore& particles);
  /// Whether the list may be rebuilt in this step, and the number of such a step.
  bool looks_in(std::int64_t step) const { return time_steps_.all_are_due(step); }
  std::int64_t look_number(std::int64_t step) const { return step / time_steps_.longest(); }
  void set_region(const Decomposition& decomposition);
  RebuildDecision::Motion motion(const ParticleStore& particles, std::int64_t step,
                                 const LargestStep& largest);
  /// Bounds the largest displacement after the next step. `far`: the particles that may exceed half
  /// the skin. `of_few`: half the largest displacement of those around which rows are wide.
  void forecast(const ParticleStore& particles, std::span<const std::uint32_t> far, double of_few,
                const LargestStep& largest, RebuildDecision::Motion& motion) const;
  /// Whether the list is rebuilt only if a pair that it lacks comes within the range of the forces,
  /// instead of as soon as a particle has moved by half the skin.
  bool list_is_lost_by_pairs() const { return borders_show_pairs_ && !needs_early_rebuild_; }
  EnergyAndVirial* sums_of(std::size_t term, const EnergyAndVirial* wanted) {
    return wanted == nullptr ? nullptr : &sums_by_term_[term];
  }
  /// Whether the list misses no pair. `far`: a list with at least all local particles that have
  /// moved by more than half the skin.
  bool holds_beyond_half_skin(const ParticleStore& particles, std::span<const std::uint32_t> far,
                              double longest_path);

  comm::Context context_;
  Options options_;
  const Decomposition* decomposition_;
  PhaseTimer& timer_;
  ShortRangeSet short_range_;
  double list_radius_;
  std::vector<std::unique_ptr<ForceTerm>> terms_;  ///< besides `short_range_`
  ActsOnOtherTerms* on_others_ = nullptr;          ///< one of `terms_`, and its index
  std::size_t term_on_others_ = 0;
  MultipleTimeSteps time_steps_;
  bool needs_early_rebuild_;   ///< whether one of the terms does
  bool lacks_ghosts_ = false;  ///< a new term needs ghosts that the halo lacks
  double halo_width_;
  Migration migration_;
  Halo halo_;
  std::vector<Phase> phases_;  ///< of `short_range_`, then of `terms_`
  std::vector<EnergyAndVirial> sums_by_term_;
  std::vector<std::uint32_t> ghost_slots_;
  bool measures_ = false;                        ///< whether moving measures displacements
  bool borders_show_pairs_ = false;              ///< each missed pair is seen by one of its ranks
  std::vector<std::uint32_t> beyond_half_skin_;  ///< scratch of holds_beyond_half_skin

  RebuildDecision decision_;
  std::int64_t rebuilds_ = 0;
  std::vector<comm::Verdict> earlier_;  ///< traffic of former decompositions
};

}  // namespace sterna::md
