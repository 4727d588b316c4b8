#include "md/forces/manybody/embedded_atom_forces.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "md/neighbors/pair_kernels.hpp"
#include "md/simd/instruction_set.hpp"

namespace sterna::md {

namespace {

/// Fills the lines of tables of the distance for the kernels, for all pairs of types.
template <class Number>
void fill_tables(const EmbeddedAtomPotential& potential, std::size_t bins,
                 AlignedBuffer<Number>& tables) {
  const int types = potential.type_count();
  tables.resize(static_cast<std::size_t>(types * types) * bins * embedded_atom_line);
  Number* next = tables.data();
  for (int a = 0; a < types; ++a) {
    for (int b = 0; b < types; ++b) {
      const EmbeddedAtomCubic density = potential.density(a, b).with_bins(bins);
      const EmbeddedAtomCubic pair = potential.pair(a, b).with_bins(bins);
      for (std::size_t bin = 0; bin < bins; ++bin) {
        for (const double c : density.bins[bin].c) *next++ = static_cast<Number>(c);
        for (const double c : pair.bins[bin].c) *next++ = static_cast<Number>(c);
      }
    }
  }
}

}  // namespace

EmbeddedAtomForces::EmbeddedAtomForces(const EmbeddedAtomPotential& potential,
                                       std::vector<char> is_embedded, Precision precision,
                                       std::string_view kernels)
    : kernels_(select_kernels(
          available_kernels<EmbeddedAtomKernels>(STERNA_KERNEL_FAMILY(embedded_atom_kernels)),
          kernels)),
      pair_kernels_(select_pair_kernels(kernels)),
      precision_(precision),
      type_count_(potential.type_count()),
      cutoff_(potential.cutoff()),
      distance_spacing_(potential.distance_spacing()),
      density_spacing_(potential.density_spacing()),
      last_density_bin_(static_cast<std::uint32_t>(potential.embedding(0).bins.size() - 1)),
      is_embedded_(is_embedded.begin(), is_embedded.end()) {
  const std::size_t bins = potential.pair(0, 0).bins.size();
  const std::size_t kept = mixed() ? std::min(bins, finest_single) : bins;
  distance_spacing_ *= static_cast<double>(bins) / static_cast<double>(kept);
  last_bin_ = static_cast<std::uint32_t>(kept - 1);
  if (mixed()) {
    fill_tables(potential, kept, tables_single_);
  } else {
    fill_tables(potential, kept, tables_);
  }
  for (int type = 0; type < type_count_; ++type) {
    for (const EmbeddedAtomCubic::Bin& bin : potential.embedding(type).bins) {
      const std::size_t end = embedding_.size();
      embedding_.resize(end + 4);
      std::copy(std::begin(bin.c), std::end(bin.c), embedding_.data() + end);
    }
  }
}

void EmbeddedAtomForces::rebuild(const PairList& list, const ParticleStore& particles) {
  if (!list.rows().half || list.half_shell()) {
    throw std::logic_error("the embedded-atom method reads half lists with all ghosts");
  }
  const std::size_t total = particles.total_count();
  type_.assign(total + 1, 0);
  for (std::size_t i = 0; i < total; ++i) {
    type_[i] = static_cast<std::uint32_t>(particles.position[i].type);
  }
  // Space for whole vectors, which the kernels read and write.
  value_.reserve(total + 1 + behind_tables);
  value_.resize(total);
  near_rows_.resize(particles.local_count());
  const PairWork rows = list.rows();
  std::size_t longest = 0;
  for (const std::uint32_t c : list.grid().local_cells()) {
    const CellRange cell = rows.cells[c];
    const std::size_t entries =
        rows.row_begin[cell.begin + cell.count] - rows.row_begin[cell.begin];
    longest = std::max(longest, entries + std::size_t{cell.count} * near_together);
  }
  near_.renew(list.neighbor_count() + (particles.local_count() + 1) * near_together);
  scratch_.resize(longest + near_together);
  if (!mixed()) {
    sites_.renew(total + 1);
    return;
  }
  fixed_scale_ = list.extent() / (2.0 * fixed_half_range);
  fixed_position_.renew(total + 1);
  fixed_position_[total] = fixed_dummy;
  collected_.renew(total + 1);
}

EmbeddedAtomWork EmbeddedAtomForces::work(const PairList& list, ParticleStore& particles) {
  EmbeddedAtomWork work{};
  work.rows = list.rows();
  work.rows.position = particles.position.data();
  work.rows.fixed_position = fixed_position_.data();
  work.rows.fixed_scale = fixed_scale_;
  work.rows.cutoff_squared = cutoff_ * cutoff_;
  work.rows.force = particles.force.data();
  work.rows.collected = collected_.data();
  work.type_count = type_count_;
  work.type = type_.data();
  work.per_distance = 1.0 / distance_spacing_;
  work.last_bin = last_bin_;
  work.in_double = tables_.data();
  work.in_single = tables_single_.data();
  work.embedding = embedding_.data();
  work.is_embedded = is_embedded_.data();
  work.per_density = 1.0 / density_spacing_;
  work.last_density_bin = last_density_bin_;
  work.value = value_.data();
  work.near = near_.data();
  work.near_used = near_used_;
  work.near_rows = near_rows_.data();
  work.scratch = scratch_.data();
  return work;
}

void EmbeddedAtomForces::compute(const PairList& list, ParticleStore& particles,
                                 PairList::Cells which, EnergyAndVirial* sums) {
  const CellGrid& grid = list.grid();
  if (which == PairList::Cells::interior) {
    std::fill_n(value_.data(), particles.total_count() + 1 + behind_tables, 0.0);
    near_used_ = 0;
  }
  EmbeddedAtomWork work = this->work(list, particles);
  if (mixed() && which == PairList::Cells::interior) {
    pair_kernels_.to_fixed(work.rows, 0, grid.listed_local(), grid.center());
  } else if (mixed() && which == PairList::Cells::boundary) {
    pair_kernels_.to_fixed(work.rows, work.rows.local, work.rows.local + grid.listed_ghosts(),
                           grid.center());
  }
  const auto cells = list.cells(which);
  kernels_.add_up_densities(work, cells.data(), cells.size(), mixed());
  near_used_ = work.near_used;
  if (which != PairList::Cells::boundary) return;
  kernels_.embed(work, grid.listed_local());
  if (sums == nullptr) return;
  embedding_energy_ = work.embedding_energy;
  sums->energy += embedding_energy_;
}

void EmbeddedAtomForces::place_slopes(const PairList& list, const ParticleStore& particles) {
  const std::size_t local = particles.local_count();
  const auto place = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (mixed()) {
        fixed_position_[i].type = std::bit_cast<std::int32_t>(static_cast<float>(value_[i]));
      } else {
        const Position& at = particles.position[i];
        sites_[i] = {at.x, at.y, at.z, std::bit_cast<std::int64_t>(value_[i])};
      }
    }
  };
  place(0, list.grid().listed_local());
  place(local, local + list.grid().listed_ghosts());
  if (!mixed())
    sites_[particles.total_count()] = particles.position.data()[particles.total_count()];
}

void EmbeddedAtomForces::compute_pass(int, const PairList& list, ParticleStore& particles,
                                      EnergyAndVirial* sums) {
  const std::size_t total = particles.total_count();
  if (mixed()) {
    std::fill_n(collected_.data(), total + 1, SingleForce{});
  } else {
    // The forces of ghosts and of the dummy are written as well, but never read.
    particles.force.reserve(total + 1);
    std::fill_n(particles.force.data(), total + 1, Vec3{});
  }
  place_slopes(list, particles);
  EmbeddedAtomWork work = this->work(list, particles);
  if (!mixed()) work.rows.position = sites_.data();
  for (const PairList::Cells which : PairList::all_cells) {
    const auto cells = list.cells(which);
    kernels_.compute_forces(work, cells.data(), cells.size(), mixed(), sums != nullptr);
  }
  if (sums == nullptr) return;
  pair_energy_ = work.rows.energy;
  sums->energy += work.rows.energy;
  for (int k = 0; k < 6; ++k) sums->virial[k] += work.rows.virial[k];
}

void EmbeddedAtomForces::set_forces(const PairList& list, ParticleStore& particles, const Mover*) {
  if (!mixed()) return;
  const std::size_t listed = list.grid().listed_local();
  EmbeddedAtomWork work = this->work(list, particles);
  pair_kernels_.collect(work.rows, 0, listed);
  std::fill(particles.force.begin() + listed, particles.force.end(), Vec3{});
}

}  // namespace sterna::md
