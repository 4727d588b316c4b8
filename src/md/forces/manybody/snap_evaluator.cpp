#include "md/forces/manybody/snap_evaluator.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <tuple>
#include <utility>

#include "md/simd/instruction_set.hpp"

namespace sterna::md {

static_assert(most_snap_channels == SnapPotential::most_channels);

std::vector<const SnapKernels*> available_snap_kernels() {
  return available_kernels<SnapKernels>(STERNA_KERNEL_FAMILY(snap_kernels));
}

SnapEvaluator::SnapEvaluator(const SnapPotential& potential, const std::vector<char>& has_it,
                             std::string_view kernels)
    : kernels_(select_kernels(available_snap_kernels(), kernels)) {
  const SnapForm& form = potential.form();
  type_count_ = potential.type_count();
  for (int a = 0; a < type_count_; ++a) {
    for (int b = 0; b < type_count_; ++b) {
      const bool both =
          has_it[static_cast<std::size_t>(a)] != 0 && has_it[static_cast<std::size_t>(b)] != 0;
      const double cutoff = potential.cutoff(a, b);
      bond_cutoff_squared_.push_back(both ? cutoff * cutoff : 0.0);
      const SnapElement &first = potential.element(a), &second = potential.element(b);
      const double inner_width = 0.5 * (first.inner_half_width + second.inner_half_width);
      pairs_.push_back({cutoff, std::numbers::pi / (cutoff - form.rmin0),
                        0.5 * (first.inner_middle + second.inner_middle),
                        form.inner_switch ? 0.5 * std::numbers::pi / inner_width : 0.0});
    }
    weight_.push_back(potential.element(a).weight);
    channel_.push_back(static_cast<std::uint32_t>(potential.channel(a)));
  }
  work_.twice_j = form.twice_j;
  work_.channels = potential.channels();
  work_.quadratic = form.quadratic;
  work_.switched = form.switched;
  work_.inner_switch = form.inner_switch;
  work_.self_of_all = form.self_of_all;
  work_.rfac0 = form.rfac0;
  work_.rmin0 = form.rmin0;
  work_.component_count = potential.component_count();
  lay_out_matrices(potential);
  couple(potential);
  take_coefficients(potential);
}

void SnapEvaluator::lay_out_matrices(const SnapPotential& potential) {
  for (int j = 0; j <= potential.form().twice_j; ++j) {
    half_offset_.push_back(work_.half_size);
    whole_offset_.push_back(work_.whole_size);
    work_.half_size += static_cast<std::uint32_t>((j / 2 + 1) * (j + 1));
    work_.whole_size += static_cast<std::uint32_t>((j + 1) * (j + 1));
    for (int row = 0; 2 * row <= j; ++row) {
      for (int k = 0; k <= j; ++k) {
        const double below = std::max(1, j - row);
        roots_.push_back(std::sqrt((j - k) / below));
        roots_.push_back(std::sqrt(k / below));
      }
    }
  }
}

/// Lists the terms of the elements of a product's half matrix: rows and columns are coupled alike.
void SnapEvaluator::list_terms(int ja, int jb, int jc) {
  const int beyond = (ja + jb - jc) / 2;
  std::vector<double> couplings;
  for (int ka = 0; ka <= ja; ++ka) {
    for (int kb = 0; kb <= jb; ++kb) couplings.push_back(clebsch_gordan(ja, ka, jb, kb, jc));
  }
  const auto coupling = [&](int ka, int kb) {
    return couplings[static_cast<std::size_t>(ka * (jb + 1) + kb)];
  };
  const auto first = [&](int k) { return std::max(0, k + beyond - jb); };
  const auto last = [&](int k) { return std::min(ja, k + beyond); };
  for (int row = 0; 2 * row <= jc; ++row) {
    for (int k = 0; k <= jc; ++k) {
      const std::size_t before = terms_.size();
      for (int row_a = first(row); row_a <= last(row); ++row_a) {
        const int row_b = row + beyond - row_a;
        for (int ka = first(k); ka <= last(k); ++ka) {
          const int kb = k + beyond - ka;
          terms_.push_back({static_cast<std::uint32_t>(row_a * (ja + 1) + ka),
                            static_cast<std::uint32_t>(row_b * (jb + 1) + kb),
                            coupling(row_a, row_b) * coupling(ka, kb)});
        }
      }
      term_counts_.push_back(static_cast<std::uint32_t>(terms_.size() - before));
    }
  }
}

/// Lists the products of which components consist, and what each contributes to the derivatives of
/// the energy. A component of j1, j2 and j of the elements e1, e2 and e3 changes with all three sums
/// of harmonics (Thompson et al., equation 17): with that of j by the product of j1 and j2, and with
/// that of j1 by the product of j and j2, times (2j + 1) / (2 j1 + 1), and likewise for j2.
void SnapEvaluator::couple(const SnapPotential& potential) {
  struct Coupling {
    std::uint32_t first_term, first_element;
  };
  std::map<std::tuple<int, int, int>, Coupling> coupling_of;
  for (const auto& [key, value] : find_products(potential)) {
    const auto& [a, b, j] = key;
    const auto place = [&](const Factor& factor) {
      return factor.channel * work_.whole_size + whole_offset_[static_cast<std::size_t>(factor.j)];
    };
    const auto [coupling, is_new] = coupling_of.try_emplace(
        {a.j, b.j, j}, Coupling{static_cast<std::uint32_t>(terms_.size()),
                                static_cast<std::uint32_t>(term_counts_.size())});
    if (is_new) list_terms(a.j, b.j, j);
    products_.push_back({a.j, b.j, j, place(a), place(b), coupling->second.first_term,
                         coupling->second.first_element, static_cast<std::uint32_t>(slopes_.size()),
                         static_cast<std::uint32_t>(value.shares.size()),
                         static_cast<std::uint32_t>(components_.size()),
                         static_cast<std::uint32_t>(value.components.size())});
    components_.insert(components_.end(), value.components.begin(), value.components.end());
    for (const auto& [channel, shares] : value.shares) {
      slopes_.push_back({channel * work_.half_size + half_offset_[static_cast<std::size_t>(j)],
                         static_cast<std::uint32_t>(shares_.size()),
                         static_cast<std::uint32_t>(shares.size())});
      for (const auto& [of, factor] : shares) shares_.push_back({of, factor});
    }
  }
}

SnapEvaluator::Products SnapEvaluator::find_products(const SnapPotential& potential) const {
  Products found;
  const auto product = [&](Factor a, Factor b, int j) -> ProductUses& {
    if (a < b) std::swap(a, b);
    return found[{a, b, j}];
  };
  const auto channels = static_cast<std::uint32_t>(potential.channels());
  std::uint32_t component = 0;
  for (std::uint32_t e1 = 0; e1 < channels; ++e1) {
    for (std::uint32_t e2 = 0; e2 < channels; ++e2) {
      for (std::uint32_t e3 = 0; e3 < channels; ++e3) {
        for (const SnapTriple& t : potential.triples()) {
          const double norm = potential.form().normalized ? 1.0 / (t.j + 1.0) : 1.0;
          const Factor first{t.j1, e1}, second{t.j2, e2}, third{t.j, e3};
          ProductUses& of_third = product(first, second, t.j);
          of_third.shares[e3][component] += norm;
          of_third.components.push_back(
              {component, e3 * work_.half_size + half_offset_[static_cast<std::size_t>(t.j)],
               norm});
          product(third, second, t.j1).shares[e1][component] += norm * (t.j + 1.0) / (t.j1 + 1.0);
          product(third, first, t.j2).shares[e2][component] += norm * (t.j + 1.0) / (t.j2 + 1.0);
          ++component;
        }
      }
    }
  }
  return found;
}

void SnapEvaluator::take_coefficients(const SnapPotential& potential) {
  const SnapForm& form = potential.form();
  const std::size_t count = potential.component_count();
  for (int type = 0; type < type_count_; ++type) {
    const std::vector<double>& all = potential.element(type).coefficients;
    double constant = all[0];
    for (std::size_t k = 0; k < count; ++k) {
      const double lone = form.subtract_lone ? potential.lone_component(type, k) : 0.0;
      if (!form.quadratic) constant -= all[1 + k] * lone;
      linear_.push_back(all[1 + k]);
      lone_.push_back(lone);
    }
    constant_.push_back(constant);
    quadratics_.insert(quadratics_.end(), all.begin() + static_cast<std::ptrdiff_t>(1 + count),
                       all.end());
  }
}

void SnapEvaluator::compute_cells(BondRows& rows, std::span<const std::uint32_t> which_cells) {
  SnapWork work = work_;
  work.rows = rows;
  work.half_offset = half_offset_.data();
  work.whole_offset = whole_offset_.data();
  work.roots = roots_.data();
  work.products = products_.data();
  work.product_count = products_.size();
  work.terms = terms_.data();
  work.term_counts = term_counts_.data();
  work.slopes = slopes_.data();
  work.shares = shares_.data();
  work.components = components_.data();
  work.constant = constant_.data();
  work.linear = linear_.data();
  work.lone = lone_.data();
  work.quadratics = quadratics_.data();
  work.weight = weight_.data();
  work.channel = channel_.data();
  work.pairs = pairs_.data();
  scratch_.resize(kernels_.scratch_bytes(work));
  work.rows.scratch = scratch_.data();
  kernels_.compute(work, which_cells.data(), which_cells.size());
  rows = work.rows;
}

}  // namespace sterna::md
