#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "md/core/precision.hpp"
#include "md/forces/molecular/large_bodies.hpp"
#include "md/forces/molecular/molecular_work.hpp"
#include "md/forces/short_range_forces.hpp"
#include "md/model/molecule_model.hpp"
#include "md/system/aligned_buffer.hpp"

namespace sterna::md {

class SiteColumns;

/// The forces and torques between rigid molecules of any number of sites, on rows of their centers
/// of mass. The type of a particle is the index of its component. If some components are atoms,
/// pairs of atoms belong to another term. The virial is that of the centers of mass. A reaction
/// field adds its pair energy to each diagonal element, as if the cutoff scaled with the box (the
/// convention of ls1-MarDyn and ms2).
class MolecularForces final : public ShortRangeForces {
 public:
  /// The pairs of components that a term has. Those with large bodies reach farther than the others.
  enum class Pairs { all, without_large_bodies, with_large_bodies };
  /// `kernels`: "auto" or an instruction set. Throws std::invalid_argument if this machine lacks
  /// it.
  MolecularForces(const MoleculeModel& model, Precision precision, std::string_view kernels,
                  Pairs pairs = Pairs::all);

  /// Whether a model has pairs with large bodies, and other pairs that are not of two atoms.
  struct Kinds {
    bool large, others;
  };
  static Kinds kinds_of_pairs(const MoleculeModel& model);

  std::string_view name() const override {
    return pairs_ == Pairs::with_large_bodies ? "large_bodies" : "molecules";
  }
  /// The range: the cutoff and, for a cutoff between sites, the distances of sites from their
  /// centers.
  double range() const override { return range_; }
  std::string_view kernels() const override { return kernels_.name; }
  /// True unless molecules interact by one pair of sites and share no rows.
  bool reads_half_lists() const override { return half_lists_; }
  /// Molecules of one kind that are a grid of sites share rows in mixed precision.
  std::uint32_t group() const override { return shared_rows_ ? largest_group : 1; }
  bool needs_in_list(int type) const override;
  bool acts_between(int a, int b) const override;
  bool acts_around_few() const override {
    return around_few_ || pairs_ == Pairs::with_large_bodies;
  }
  bool widens_rows_around_few() const override { return acts_around_few() && around_few_; }
  /// Whether each molecule that interacts turns, and the types of atoms are others: then rows can be
  /// around them. `turning`: the types that turn.
  bool can_act_around_few(std::span<const char> turning) const;
  /// Asks for rows around the molecules, which are few beside atoms.
  void act_around_few() { around_few_ = true; }
  double range_between(int a, int b) const override;
  void rebuild(const PairList& list, const ParticleStore& particles) override;
  /// Orientations of components without extent are not read. So a store of only such components may
  /// have neither orientations nor torques.
  void compute(const PairList& list, ParticleStore& particles, PairList::Cells cells,
               EnergyAndVirial* sums) override;
  GhostForces ghost_forces() const override {
    return half_lists_ ? GhostForces::half_shell : GhostForces::none;
  }
  CollectedForces collected_forces(ParticleStore& particles) override;
  void add_forces_of_ghosts(const ParticleStore& particles, const CollectedForces& sums) override;
  void set_forces(const PairList& list, ParticleStore& particles, const Mover* move) override;
  bool sets_torques() const override { return true; }
  std::vector<Part> parts() const override {
    return {{"lennard_jones", lennard_jones_energy_}, {"coulomb", coulomb_energy_}};
  }

 private:
  /// Adds the terms of Lennard-Jones sites and charges, and chooses their grids.
  void add_radial_terms(const MoleculeModel& model, std::size_t a, std::size_t b,
                        const SiteColumns& columns_a, const SiteColumns& columns_b);
  void add_multipole_terms(const MoleculeModel& model, std::size_t a, std::size_t b,
                           const SiteColumns& columns_a, const SiteColumns& columns_b);

  /// Chooses the loop of the last pair of components.
  void choose_loop(const SiteColumns& columns_a, const SiteColumns& columns_b);
  /// Appends the vectors that the last pair of components reads from columns.
  void add_named_vectors();
  /// Fills in the records.
  void add_records(const std::vector<SiteColumns>& columns);

  /// Turns the records of the molecules at these places into the laboratory frame; in mixed
  /// precision also puts their centers on the grid around `center`. Record and center of a molecule
  /// are at its place in the store, or, if it is one of `in_rows_`, at its place there.
  template <class Places>
  void place_sites(const ParticleStore& particles, const Places& places, const Vec3& center);
  /// Fills in `in_rows_`, and `near_` where particles have their places among these.
  void find_in_rows(const PairList& list, const ParticleStore& particles);
  void number_rows(const PairList& list, const ParticleStore& particles);
  /// The number of records: of all particles, or of those in rows.
  std::size_t record_count(const ParticleStore& particles) const {
    return near_.is_used ? in_rows_.size() : particles.total_count();
  }
  /// The force on the particle at this place, or its torque.
  Vec3 collected_at(std::size_t place, std::size_t kind) const;
  /// Clears the collected forces of the particles in `in_rows_` from the first one given on.
  void clear_collected_in_rows(std::size_t first);

  /// Clears the collected forces of the molecules [begin, end), if lists are half.
  void clear_collected(std::size_t begin, std::size_t end);
  /// Adds the collected forces of the local particles to their forces and torques.
  void add_and_clear_collected(ParticleStore& particles);
  /// The same where few particles turn.
  void add_near(ParticleStore& particles);
  /// Computes forces and torques from forces on points.
  void add_up_points(ParticleStore& particles, Vec3* torques) const;

  const MolecularKernels& kernels_;
  Precision precision_;
  Pairs pairs_;
  bool has_all_pairs_;
  double range_ = 0.0;
  bool site_cutoff_;
  double cutoff_squared_, lennard_jones_cutoff_squared_;
  /// in the last step that computed them
  double lennard_jones_energy_ = 0.0, coulomb_energy_ = 0.0;

  std::vector<double> extents_;  ///< distances of the farthest sites from the centers
  /// If rows are around few particles: the places of these and of all in their rows, in ascending
  /// order, and how many of them are local.
  std::vector<std::uint32_t> in_rows_;
  std::size_t local_in_rows_ = 0;
  bool around_few_ = false;
  /// Where few particles turn, nothing has the length of the store: records, centers and forces
  /// are those of `in_rows_`, and the rows name their places there.
  struct Near {
    bool is_used = false;
    std::vector<CellRange> runs;
    std::vector<std::uint32_t> run_numbers, row_begin, neighbors;
    std::uint32_t whole_below = 0;      ///< see PairWork
    AlignedBuffer<Position> position;   ///< and the dummy's
    std::vector<std::uint32_t> rotors;  ///< numbers of those in rows that turn, or `no_rotor`
    /// Forces on all that turn, then torques. Those of ghosts return, and are added here.
    AlignedBuffer<Vec3> of_rotors;
  };
  static constexpr std::uint32_t no_rotor = ~std::uint32_t{0};
  Near near_;
  std::vector<SiteLayout> layouts_;  ///< for each component
  std::vector<Vec3> body_;           ///< vectors of all components that `place_sites` turns
  std::vector<SiteVector> vectors_;  ///< of all components
  std::vector<SiteTerm> terms_;
  std::vector<std::uint32_t> term_begin_;  ///< for each pair of components, and the end
  std::vector<SiteGrids> site_grids_;      ///< for each pair of components
  LargeBodies large_bodies_;
  /// vectors that have columns, see MolecularWork
  std::vector<std::uint32_t> named_, named_begin_;
  std::size_t column_count_ = 0;   ///< number of columns of the component with the most
  std::size_t record_stride_ = 0;  ///< numbers in the longest record
  AlignedBuffer<double> sites_;
  AlignedBuffer<float> sites_single_;
  bool half_lists_, shared_rows_;
  /// The forces that half lists collect. If rows are shared, these are forces on the center and on
  /// the points of a molecule; otherwise they are force and torque. The values of one kind are
  /// contiguous. In mixed precision they are in the first array, otherwise in the second.
  std::size_t kinds_ = 0, stride_ = 0;
  AlignedBuffer<SingleForce> collected_single_;
  AlignedBuffer<Vec3> collected_;
  AlignedBuffer<FixedPosition> fixed_position_;  ///< positions in mixed precision, and the dummy's
  double fixed_scale_ = 1.0;                     ///< length of one fixed-point step
  AlignedBuffer<double> scratch_;
  /// Torques, if the store has none.
  AlignedBuffer<Vec3> unused_torque_;
};

}  // namespace sterna::md
