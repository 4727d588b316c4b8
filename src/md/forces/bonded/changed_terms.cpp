// Idea:    the parameters of a term, not its energy, change in proportion to lambda, as in GROMACS.
//          The kernels of all bonded terms compute it, from coefficients of the parameters at a
//          lambda.
// Source:  GROMACS manual, "Free energy implementation": interactions of states A and B.
// Cost:    coefficients are made in each step; molecules that change are few.
// Others:  none.

#include "md/forces/bonded/changed_terms.hpp"

#include <algorithm>
#include <utility>

#include "md/forces/bonded/bonded_table.hpp"
#include "md/forces/bonded/bonded_work.hpp"
#include "md/simd/instruction_set.hpp"

namespace sterna::md {
namespace {

/// Numbers that kernels may read behind the last coefficient.
constexpr std::size_t coefficients_behind = 3;

}  // namespace

ChangedTerms::ChangedTerms(std::vector<std::vector<Term>> terms, std::string_view kernels)
    : terms_(std::move(terms)),
      kernels_(&select_kernels(
          available_kernels<BondedKernels>(STERNA_KERNEL_FAMILY(bonded_kernels)), kernels)) {}

bool ChangedTerms::empty() const {
  return std::ranges::all_of(terms_, [](const auto& of_kind) { return of_kind.empty(); });
}

EnergyAndVirial ChangedTerms::compute(std::size_t molecule, double lambda,
                                      std::span<const Vec3> positions,
                                      std::span<Vec3> forces) const {
  EnergyAndVirial sums;
  if (!has(molecule)) return sums;
  std::vector<Position> places(positions.size());
  for (std::size_t k = 0; k < positions.size(); ++k) {
    places[k].x = positions[k].x;
    places[k].y = positions[k].y;
    places[k].z = positions[k].z;
  }
  const std::uint32_t first_row = 0;
  for (const Term& term : terms_[molecule]) {
    const BondedRow& row = bonded_table()[term.kind];
    std::vector<double> parameters;
    for (std::size_t n = 0; n < term.from.size(); ++n) {
      parameters.push_back((1.0 - lambda) * term.from[n] + lambda * term.to[n]);
    }
    const auto count = static_cast<std::size_t>(row.coefficient_count);
    std::vector<double> coefficients(count + coefficients_behind, 0.0);
    row.coefficients(parameters, std::span(coefficients).first(count));
    BondedWork work{.position = places.data(),
                    .count = 1,
                    .places = term.atoms.data(),
                    .local_of_ghost = nullptr,
                    .local_count = places.size(),
                    .row = &first_row,
                    .coefficients = coefficients.data(),
                    .with_sums = true,
                    .force = forces.data(),
                    .energy = 0.0,
                    .virial = {}};
    kernels_->terms[term.kind].in_double(work);
    sums.energy += work.energy;
    for (int k = 0; k < 6; ++k) sums.virial[k] += work.virial[k];
  }
  return sums;
}

}  // namespace sterna::md
