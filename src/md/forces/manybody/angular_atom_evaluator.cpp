#include "md/forces/manybody/angular_atom_evaluator.hpp"

#include <algorithm>

#include "md/simd/instruction_set.hpp"

namespace sterna::md {
namespace {

double embed(const void* potential, int type, double density, double& slope) {
  const auto& embedded = *static_cast<const EmbeddedAtomPotential*>(potential);
  const ValueAndSlope at =
      embedding_at(embedded.embedding(type), density / embedded.density_spacing());
  slope = at.slope / embedded.density_spacing();
  return at.value;
}

}  // namespace

std::vector<const AngularAtomKernels*> available_angular_atom_kernels() {
  return available_kernels<AngularAtomKernels>(STERNA_KERNEL_FAMILY(angular_atom_kernels));
}

AngularAtomEvaluator::AngularAtomEvaluator(const EmbeddedAtomPotential& potential,
                                           const std::vector<char>& has_it,
                                           std::string_view kernels)
    : kernels_(select_kernels(available_angular_atom_kernels(), kernels)),
      potential_(potential),
      last_bin_(static_cast<std::uint32_t>(potential.pair(0, 0).bins.size() - 1)) {
  type_count_ = potential.type_count();
  const double cutoff_squared = potential.cutoff() * potential.cutoff();
  for (int a = 0; a < type_count_; ++a) {
    for (int b = 0; b < type_count_; ++b) {
      const bool both =
          has_it[static_cast<std::size_t>(a)] != 0 && has_it[static_cast<std::size_t>(b)] != 0;
      bond_cutoff_squared_.push_back(both ? cutoff_squared : 0.0);
      const EmbeddedAtomCubic* const functions[] = {&potential.density(a, b), &potential.pair(a, b),
                                                    &potential.dipole(a, b),
                                                    &potential.quadrupole(a, b)};
      for (std::size_t bin = 0; bin <= last_bin_; ++bin) {
        const std::size_t line = tables_.size();
        tables_.resize(line + angular_atom_line);
        for (std::size_t power = 0; power < 4; ++power) {
          for (std::size_t k = 0; k < 4; ++k)
            tables_[line + 4 * power + k] = functions[k]->bins[bin].c[power];
        }
      }
    }
  }
}

void AngularAtomEvaluator::compute_cells(BondRows& rows,
                                         std::span<const std::uint32_t> which_cells) {
  scratch_.resize(kernels_.scratch_bytes(rows.longest_row));
  AngularAtomWork work{};
  work.rows = rows;
  work.rows.tables = tables_.data();
  work.rows.scratch = scratch_.data();
  work.per_distance = 1.0 / potential_.distance_spacing();
  work.last_bin = last_bin_;
  work.embed = embed;
  work.potential = &potential_;
  kernels_.compute(work, which_cells.data(), which_cells.size());
  rows = work.rows;
}

}  // namespace sterna::md
