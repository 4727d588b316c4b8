// Idea:    a rank computes the bonds of its own atoms; the forces of these bonds on ghosts are
//          returned.
// Paper:   Plimpton, J. Comput. Phys. 117, 1 (1995): reverse communication of forces.
// Cost:    a second message to each neighbor in each step, with the forces on the ghosts within one
//          cutoff.
// Hazards: no force is complete before the messages have arrived, so nothing can overlap with them.
// Others:  a halo of two cutoffs, if a message takes longer than the bonds of the ghosts within one
//          cutoff. On one rank with 32768 silicon atoms these are a quarter as many as the atoms,
//          or 20 ns of 85 ns per atom and step; sending positions and returning forces together
//          take 0.8 ns.
#include "md/forces/manybody/bond_forces.hpp"

#include <algorithm>
#include <cmath>

namespace sterna::md {

void BondForces::rebuild(const PairList& list, const ParticleStore& particles) {
  rows_.rows.resize(particles.local_count());
  rows_.neighbors.resize(0);
  rows_.longest = 0;
  const double skin = list.list_radius() - cutoff_;
  // The list's rows are as long as the longest bond cutoff, so neighbors of pairs with shorter
  // cutoffs are removed here.
  const std::int64_t types = evaluator_->type_count();
  std::vector<double> radius_squared;
  for (std::int64_t i = 0; i < types; ++i) {
    for (std::int64_t j = 0; j < types; ++j) {
      const double radius = std::sqrt(evaluator_->bond_cutoff_squared(i, j)) + skin;
      const bool bond = acts_between(static_cast<int>(i), static_cast<int>(j));
      radius_squared.push_back(bond ? radius * radius : 0.0);
    }
  }
  for (const PairList::Cells cells : PairList::all_cells) {
    list.for_each_row(cells, [&](std::uint32_t i, std::span<const std::uint32_t> neighbors) {
      const Position& center = particles.position[i];
      const double* const radii = radius_squared.data() + center.type * types;
      RowRange row{static_cast<std::uint32_t>(rows_.neighbors.size()), 0};
      rows_.neighbors.resize(row.begin + neighbors.size());
      std::uint32_t* const out = rows_.neighbors.data() + row.begin;
      for (const std::uint32_t j : neighbors) {
        const Vec3 d = particles.position[j].vector() - center.vector();
        out[row.count] = j;
        row.count += dot(d, d) < radii[particles.position[j].type] ? 1u : 0u;
      }
      rows_.neighbors.resize(row.begin + row.count);
      rows_.rows[i] = row;
      rows_.longest = std::max(rows_.longest, row.count);
    });
  }
  force_.resize(particles.total_count());
}

void BondForces::compute(const PairList& list, ParticleStore& particles, PairList::Cells cells,
                         EnergyAndVirial* sums) {
  if (cells == PairList::Cells::interior) std::fill(force_.begin(), force_.end(), PaddedForce{});
  EnergyAndVirial own;
  evaluator_->compute(particles.position.data(), rows_, list.grid().cells().data(),
                      list.cells(cells), force_.data(), own);
  if (sums == nullptr) return;
  sums->energy += own.energy;
  for (int k = 0; k < 6; ++k) sums->virial[k] += own.virial[k];
}

void BondForces::set_forces(const PairList&, ParticleStore& particles, const Mover*) {
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    particles.force[i] = {force_[i].x, force_[i].y, force_[i].z};
  }
}

}  // namespace sterna::md
