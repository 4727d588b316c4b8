#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "md/forces/short_range_forces.hpp"
#include "md/neighbors/pair_list.hpp"
#include "md/system/aligned_buffer.hpp"
#include "md/system/molecule_places.hpp"

namespace sterna::md {

/// The short-range terms of a run: pair potentials beside a many-body potential, say. A pair of types
/// belongs to those terms that say so (ShortRangeForces::acts_between). One cell grid and one halo
/// serve all terms, as wide as the longest range asks for. Each term has rows of its own pairs of
/// types, as long as its own range. The forces of all terms are summed. A run of one term has one
/// list, as wide rows as the term likes, and no copies. A term that acts around few particles is no
/// reason for wider cells: its rows are built around these.
class ShortRangeSet {
 public:
  struct Options {
    std::string kernels = "auto";  ///< instruction set of the list builder
    double skin = 0.0;             ///< length
    int type_count = 0;
    /// Whether an observer reads pairs from `list` that have no forces.
    bool lists_all_pairs = false;
    /// Whether an observer needs all neighbors of each local particle in its row.
    bool lists_full_shell = false;
  };
  /// There must be at least one term.
  ShortRangeSet(std::vector<std::unique_ptr<ShortRangeForces>> terms, const Options& options);

  /// The number of terms. They are ordered as they act: the longest range first, and at last those
  /// around few particles.
  std::size_t size() const { return terms_.size(); }
  ShortRangeForces& term(std::size_t k) { return *terms_[k]; }
  const ShortRangeForces& term(std::size_t k) const { return *terms_[k]; }

  /// The longest range of all terms.
  double range() const;
  /// The longest range of the terms whose rows are found in cells of that width.
  double range_of_cells() const { return terms_.front()->range(); }
  /// Whether there are pairs that `list` does not know.
  bool has_rows_around_few() const { return ordinary_ < size(); }
  /// Whether these hold all pairs until a particle has moved by the whole skin.
  bool rows_around_few_are_wide() const;
  /// The longest path of a local particle around which there are rows, since these were built.
  double displacement_of_few(const ParticleStore& particles) const;
  /// The ghosts whose forces return, for which all terms can compute.
  GhostForces ghost_forces() const { return ghost_forces_; }
  /// For each type, true if no term needs it; empty if every type is needed.
  const std::vector<char>& unlisted_types() const { return unlisted_; }
  /// Whether `set_forces` moves particles.
  bool can_move() const { return terms_.size() == 1 && terms_.front()->can_move(); }
  /// Finds slots for ghosts (PairList::place_ghosts).
  void place_ghosts(const ParticleStore& particles, std::vector<std::uint32_t>& slots,
                    std::optional<std::span<const char>> half_shell);

  /// The list of the first term. It sorts and places the particles for all terms, and measures how
  /// far they have moved.
  PairList& list() { return list_; }
  const PairList& list() const { return list_; }

  /// Called after particles were sorted and ghosts placed. `places`: of the molecules whose pairs
  /// are excluded, or null. `forget_positions`: whether displacements will not be asked for.
  void rebuild(ParticleStore& particles, const MoleculePlaces* places, bool forget_positions);

  // The calls of each step, as in ShortRangeForces:
  void compute(std::size_t k, ParticleStore& particles, PairList::Cells cells,
               EnergyAndVirial* sums);
  void compute_pass(std::size_t k, int pass, ParticleStore& particles, EnergyAndVirial* sums);
  /// Whether the forces that term k puts on ghosts return.
  bool returns_forces(std::size_t k) const {
    return ghost_forces_ != GhostForces::none && terms_[k]->ghost_forces() == ghost_forces_;
  }
  CollectedForces collected_forces(std::size_t k, ParticleStore& particles);
  /// To be called after the boundary cells, before forces return.
  void add_forces_of_ghosts(ParticleStore& particles);
  void set_forces(std::size_t k, ParticleStore& particles, const Mover* move);

 private:
  /// The own data of each term besides the first.
  struct Own {
    explicit Own(PairList rows) : list(std::move(rows)) {}
    PairList list;
    std::vector<char> kept;             ///< types x types
    AlignedBuffer<Vec3> force, torque;  ///< torques of the particles that turn
    /// Of a term around few particles: for each type, whether it is one of the few, and for types x
    /// types how far its rows reach.
    std::vector<char> is_few;
    std::vector<double> radius;
    std::vector<std::uint32_t> few_ghosts;  ///< places of those that are in rows
    std::vector<std::uint32_t> few_local;
  };
  /// While an object lives, the store has the forces and torques of term k.
  class OwnForces;

  /// The local particles and the listed ghosts of these types.
  std::vector<std::uint32_t> few_of(const Own& own, const ParticleStore& particles) const;
  bool is_around_few(std::size_t k) const { return k >= ordinary_; }
  PairList& list_of(std::size_t k) { return k == 0 ? list_ : others_[k - 1].list; }
  std::vector<char> pairs_of_types(std::size_t k, int type_count) const;
  /// For each type, whether its particles are in cells; empty: all are.
  std::vector<char> types_in_cells(const Options& options) const;
  /// Whether the cells have pairs that do not belong to the first term.
  bool first_lacks_pairs(const Options& options) const;
  static void set_few(Own& own, const ShortRangeForces& term, const Options& options);

  std::vector<std::unique_ptr<ShortRangeForces>> terms_;
  std::size_t ordinary_;  ///< the number of terms that come before those around few particles
  GhostForces ghost_forces_;
  std::vector<char> unlisted_, listed_;
  bool leaves_out_;         ///< see first_lacks_pairs
  std::vector<char> kept_;  ///< as Own::kept, of the first term; empty: all
  PairList list_;
  std::vector<Own> others_;
};

}  // namespace sterna::md
