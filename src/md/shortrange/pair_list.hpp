#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "md/model/lennard_jones.hpp"
#include "md/particles/aligned_buffer.hpp"
#include "md/particles/particle_store.hpp"
#include "md/shortrange/cell_grid.hpp"
#include "md/shortrange/pair_work.hpp"

namespace sterna::md {

enum class Precision {
  double_precision,
  mixed,  ///< pair arithmetic in single precision on exact differences, sums in double
};

/// Potential energy (of the pairs; half of a pair's energy where one partner is a ghost) and
/// virial tensor sum r_a f_b over pairs: xx yy zz xy xz yz.
struct PairSums {
  double energy = 0.0;
  double virial[6] = {};
  double virial_trace() const { return virial[0] + virial[1] + virial[2]; }
};

/// The short-range forces of one rank: cell grid, neighbor rows with a skin, and the kernels of
/// one instruction set and precision. Rebuild: `sort_local`, then ghosts arrive in any order,
/// `place_ghosts` gives their slots, then `build`. Each step: `compute` of the interior cells,
/// then, with the ghosts at their new positions, of the boundary cells.
class PairList {
 public:
  PairList(const LennardJones& potential, Precision precision, std::string_view kernels);

  void set_region(const Vec3& low, const Vec3& high, double list_radius);
  void sort_local(ParticleStore& particles);
  void place_ghosts(std::span<const Position> ghosts, std::size_t local_count,
                    std::vector<std::uint32_t>& slots) {
    grid_.place_ghosts(ghosts, local_count, slots);
  }
  /// Rows of all local particles, from the positions in the store (ghosts at their slots).
  void build(ParticleStore& particles);

  enum class Cells { interior, boundary };
  /// Sets the forces of the particles in these cells; adds to `sums` where it is given.
  void compute(ParticleStore& particles, Cells cells, PairSums* sums);

  /// Largest squared displacement of a local particle since `build`.
  double largest_displacement_squared(const ParticleStore& particles) const;

  const CellGrid& grid() const { return grid_; }
  std::string_view kernels() const { return kernels_.name; }
  std::size_t memory_bytes() const;
  /// Mean neighbors of a row.
  double mean_row_length() const;
  std::size_t local_count() const { return local_count_; }

  /// Calls visit(i, j, squared distance) for every row entry with local i inside `radius`; ghosts
  /// included, so each pair of local particles comes twice.
  template <class Visit>
  void for_each_neighbor(const ParticleStore& particles, double radius, Visit&& visit) const;

 private:
  PairWork work(ParticleStore& particles);
  void decode_row(const PairWork& work, std::uint32_t cell, std::uint32_t i,
                  std::vector<std::uint32_t>& neighbors) const;
  PairWork layout() const;

  const PairKernels& kernels_;
  Precision precision_;
  Truncation truncation_;
  int type_count_;
  double cutoff_;
  double switch_start_;
  double list_radius_ = 0.0;
  std::vector<double> twelve_c12_, six_c6_, energy_shift_, force_shift_;
  std::vector<float> twelve_c12_single_, six_c6_single_, energy_shift_single_, force_shift_single_;

  CellGrid grid_;
  std::size_t local_count_ = 0, total_count_ = 0;
  AlignedBuffer<std::uint16_t> compressed_;
  AlignedBuffer<std::uint32_t> plain_;
  bool use_compressed_ = true;
  std::size_t entries_used_ = 0;
  AlignedBuffer<std::uint32_t> row_begin_;
  AlignedBuffer<FixedPosition> fixed_position_;
  double fixed_scale_ = 1.0;
  /// Positions at the last build relative to the region's center: for list building, and for the
  /// displacement since (of local particles).
  AlignedBuffer<float> x_, y_, z_;
  std::vector<CellBounds> bounds_;
};

template <class Visit>
void PairList::for_each_neighbor(const ParticleStore& particles, double radius,
                                 Visit&& visit) const {
  const PairWork rows = layout();
  std::vector<std::uint32_t> neighbors;
  for (const std::uint32_t cell : grid_.local_cells()) {
    const CellRange range = grid_.cells()[cell];
    for (std::uint32_t i = range.begin; i < range.begin + range.count; ++i) {
      decode_row(rows, cell, i, neighbors);
      for (const std::uint32_t j : neighbors) {
        const Vec3 d = particles.position[i].vector() - particles.position[j].vector();
        const double r2 = dot(d, d);
        if (r2 < radius * radius) visit(i, j, r2);
      }
    }
  }
}

}  // namespace sterna::md
