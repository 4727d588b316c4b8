#include "md/forces/manybody/embedded_atom_forces.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "md/simd/instruction_set.hpp"

namespace sterna::md {

EmbeddedAtomForces::EmbeddedAtomForces(const EmbeddedAtomPotential& potential,
                                       std::vector<char> is_embedded, std::string_view kernels)
    : potential_(potential),
      is_embedded_(std::move(is_embedded)),
      kernels_(select_kernels(
          available_kernels<EmbeddedAtomKernels>(STERNA_KERNEL_FAMILY(embedded_atom_kernels)),
          kernels)) {
  const auto append = [](std::vector<EmbeddedAtomCubic::Bin>& all, const EmbeddedAtomCubic& one) {
    all.insert(all.end(), one.bins.begin(), one.bins.end());
  };
  for (int a = 0; a < potential_.type_count(); ++a) {
    for (int b = 0; b < potential_.type_count(); ++b) {
      append(density_, potential_.density(a, b));
      append(pair_, potential_.pair(a, b));
    }
  }
}

void EmbeddedAtomForces::rebuild(const PairList& list, const ParticleStore& particles) {
  rows_.rows.resize(particles.local_count());
  std::fill(rows_.rows.begin(), rows_.rows.end(), RowRange{0, 0});
  rows_.neighbors.resize(0);
  rows_.longest = 0;
  for (const PairList::Cells cells : PairList::all_cells) {
    list.for_each_row(cells, [&](std::uint32_t i, std::span<const std::uint32_t> neighbors) {
      const auto begin = static_cast<std::uint32_t>(rows_.neighbors.size());
      rows_.neighbors.resize(begin + neighbors.size());
      std::uint32_t* const out = rows_.neighbors.data() + begin;
      std::uint32_t count = 0;
      const bool acts = needs_in_list(static_cast<int>(particles.position[i].type));
      for (const std::uint32_t j : neighbors) {
        out[count] = j;
        count += acts && needs_in_list(static_cast<int>(particles.position[j].type)) ? 1u : 0u;
      }
      rows_.neighbors.resize(begin + count);
      rows_.rows[i] = {begin, count};
      rows_.longest = std::max(rows_.longest, count);
    });
  }
  scratch_.resize(kernels_.scratch_bytes(std::max(1u, rows_.longest)));
  value_.resize(particles.total_count());
}

EmbeddedAtomWork EmbeddedAtomForces::work(const PairList& list, ParticleStore& particles) {
  EmbeddedAtomWork work{};
  work.position = particles.position.data();
  work.rows = rows_.rows.data();
  work.neighbors = rows_.neighbors.data();
  work.cells = list.grid().cells().data();
  work.type_count = potential_.type_count();
  work.cutoff_squared = potential_.cutoff() * potential_.cutoff();
  work.per_distance = 1.0 / potential_.distance_spacing();
  work.last_bin = static_cast<std::uint32_t>(potential_.pair(0, 0).bins.size() - 1);
  work.density = density_.data();
  work.pair = pair_.data();
  work.value = value_.data();
  work.force = particles.force.data();
  work.longest_row = std::max(1u, rows_.longest);
  work.scratch = scratch_.data();
  return work;
}

void EmbeddedAtomForces::compute(const PairList& list, ParticleStore& particles,
                                 PairList::Cells which, EnergyAndVirial* sums) {
  EmbeddedAtomWork work = this->work(list, particles);
  const auto cells = list.cells(which);
  kernels_.add_up_densities(work, cells.data(), cells.size());
  if (which == PairList::Cells::interior) embedding_energy_ = 0.0;
  for (const std::uint32_t c : cells) {
    const CellRange cell = list.grid().cells()[c];
    for (std::uint32_t i = cell.begin; i < cell.begin + cell.count; ++i) {
      const auto type = static_cast<int>(particles.position[i].type);
      if (!needs_in_list(type)) continue;
      const ValueAndSlope at =
          embedding_at(potential_.embedding(type), value_[i] / potential_.density_spacing());
      value_[i] = at.slope / potential_.density_spacing();
      if (sums == nullptr) continue;
      sums->energy += at.value;
      embedding_energy_ += at.value;
    }
  }
}

void EmbeddedAtomForces::compute_pass(int, const PairList& list, ParticleStore& particles,
                                      EnergyAndVirial* sums) {
  EmbeddedAtomWork work = this->work(list, particles);
  std::fill_n(particles.force.data(), particles.local_count(), Vec3{});
  for (const PairList::Cells which : PairList::all_cells) {
    const auto cells = list.cells(which);
    kernels_.compute_forces(work, cells.data(), cells.size(), sums != nullptr);
  }
  if (sums == nullptr) return;
  pair_energy_ = work.energy;
  sums->energy += work.energy;
  for (int k = 0; k < 6; ++k) sums->virial[k] += work.virial[k];
}

}  // namespace sterna::md
