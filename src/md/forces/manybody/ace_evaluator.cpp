#include "md/forces/manybody/ace_evaluator.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>

#include "md/simd/instruction_set.hpp"

namespace sterna::md {
namespace {

using AceNodes = std::vector<std::uint32_t>;

/// Makes products of products, so that each is computed once. A product of many factors is split
/// into two that are there already, where that is possible.
class AceProductFinder {
 public:
  /// `first`: number of the first node that is a product. `mirror`: by factor.
  AceProductFinder(std::uint32_t first, const AceNodes& mirror) : first_(first), mirror_(mirror) {}

  struct Split {
    AceNodes a, b;
    std::size_t cost = 0;
  };
  /// The cheapest way to make a product of two; it may be that of the mirror images, whose real part
  /// is the same.
  Split split_term(const AceNodes& factors) const {
    Split best = split(factors);
    if (best.cost == 0) return best;
    AceNodes image;
    for (const std::uint32_t factor : factors) image.push_back(mirror_[factor]);
    std::ranges::sort(image);
    Split other = split(image);
    return other.cost < best.cost ? other : best;
  }

  std::uint32_t node(const AceNodes& factors) {
    if (factors.size() == 1) return factors.front();
    const auto found = known_.find(factors);
    if (found != known_.end()) return found->second;
    const Split parts = split(factors);
    const std::uint32_t a = node(parts.a), b = node(parts.b);
    const auto place = first_ + static_cast<std::uint32_t>(products.size());
    products.push_back({a, b});
    known_.emplace(factors, place);
    return place;
  }

  std::vector<AceProduct> products;

 private:
  std::size_t cost(const AceNodes& factors) const {
    return factors.size() == 1 || known_.contains(factors) ? 0 : factors.size() - 1;
  }

  Split split(const AceNodes& factors) const {
    Split best;
    best.cost = ~std::size_t{0};
    const auto count = static_cast<unsigned>(factors.size());
    // Halves first: they are shared most.
    for (unsigned size = count / 2; size > 0; --size) {
      for (std::uint32_t in_a = 1; in_a < 1u << count; ++in_a) {
        if (std::popcount(in_a) != static_cast<int>(size)) continue;
        Split here;
        for (unsigned k = 0; k < count; ++k)
          ((in_a >> k & 1u) != 0 ? here.a : here.b).push_back(factors[k]);
        here.cost = cost(here.a) + cost(here.b);
        if (here.cost < best.cost) best = std::move(here);
        if (best.cost == 0) return best;
      }
    }
    return best;
  }

  std::uint32_t first_;
  const AceNodes& mirror_;
  std::map<AceNodes, std::uint32_t> known_;
};

double embed_ace_atom(const void* potential, std::uint32_t element, double* densities,
                      AceAtom& atom) {
  const AcePotential& of = *static_cast<const AcePotential*>(potential);
  const double length = of.length_unit(), unit = of.energy_unit();
  AcePotential::Sums sums{.core = atom.core};
  if (atom.has_nearest) {
    sums.has_nearest = true;
    sums.nearest = atom.nearest / length;
    sums.nearest_width = of.bond(element, atom.nearest_other).inner_width;
  }
  AcePotential::Slopes slopes{};
  const std::size_t count = of.tables().elements[element].embedding.size();
  const double energy = of.embed(element, {densities, count}, sums, slopes);
  for (std::size_t p = 0; p < count; ++p) densities[p] *= unit;
  atom.by_core = slopes.by_core * unit;
  atom.by_nearest = slopes.by_nearest * unit / length;
  return energy * unit;
}

/// The sums A that functions of rank 2 and more have.
std::set<AceFactorName> ace_factors_of(const AceElement& element) {
  std::set<AceFactorName> names;
  for (const AceFunction& function : element.functions) {
    if (function.rank() < 2) continue;
    for (std::size_t k = 0; k < function.m.size(); ++k) {
      const std::size_t t = k % function.rank();
      names.insert({function.elements[t], function.n[t], function.l[t], std::abs(function.m[k])});
    }
  }
  return names;
}

}  // namespace

std::vector<const AceKernels*> available_ace_kernels() {
  return available_kernels<AceKernels>(STERNA_KERNEL_FAMILY(ace_kernels));
}

AceEvaluator::AceEvaluator(const AcePotential& potential, const std::vector<char>& has_it,
                           std::string_view kernels)
    : potential_(potential), kernels_(select_kernels(available_ace_kernels(), kernels)) {
  type_count_ = potential_.type_count();
  for (int a = 0; a < type_count_; ++a) {
    for (int b = 0; b < type_count_; ++b) {
      const bool both =
          has_it[static_cast<std::size_t>(a)] != 0 && has_it[static_cast<std::size_t>(b)] != 0;
      const double cutoff = potential_.cutoff(a, b);
      bond_cutoff_squared_.push_back(both ? cutoff * cutoff : 0.0);
    }
    element_.push_back(static_cast<std::uint32_t>(potential_.element(a)));
  }
  lay_out_sums();
  make_pairs();
  const std::size_t elements = potential_.element_count();
  graphs_.resize(elements);
  centers_.resize(elements);
  for (std::size_t element = 0; element < elements; ++element) make_center(element);
  work_.elements = static_cast<std::uint32_t>(elements);
  work_.has_nuclei = potential_.has_nuclei();
  work_.embed = embed_ace_atom;
}

/// Chooses what is summed over neighbors, and where each sum is. There are two ways: products of
/// basis functions and harmonics, of which those of radial functions are made once an atom; or those
/// of radial functions, which are made for each neighbor.
void AceEvaluator::lay_out_sums() {
  int largest_l = 0;
  for (const AceElement& element : potential_.tables().elements) {
    for (const auto& [other, n, l, m] : ace_factors_of(element)) {
      largest_l = std::max(largest_l, l);
      functions_ = std::max(functions_, n + 1);
    }
  }
  const auto basis = static_cast<int>(potential_.basis_functions());
  const int harmonics = (largest_l + 1) * (largest_l + 1), rows = functions_ * (largest_l + 1);
  sums_first_ = 3 * basis * harmonics <= 2 * basis * rows + 3 * (functions_ * harmonics + basis);
  work_.largest_l = static_cast<std::uint32_t>(largest_l);
  work_.basis = static_cast<std::uint32_t>(basis);
  work_.radial_functions = sums_first_ ? 0 : static_cast<std::uint32_t>(rows);
  work_.radials = work_.basis + work_.radial_functions;
  const auto functions = static_cast<std::uint32_t>(functions_);
  for (std::uint32_t l = 0; l <= work_.largest_l; ++l) {
    if (sums_first_) {
      levels_.push_back({0, work_.basis});
    } else if (l == 0) {
      levels_.push_back({0, work_.basis + functions});
    } else {
      levels_.push_back({work_.basis + l * functions, functions});
    }
  }
  for (std::uint32_t m = 0; m <= work_.largest_l; ++m) {
    legendre_start_.push_back(sterna::md::legendre_start(static_cast<int>(m)));
    for (std::uint32_t l = 0; l <= work_.largest_l; ++l) {
      first_sum_.push_back(work_.sums);
      if (l < m) continue;
      work_.sums += levels_[l].radials * (m == 0 ? 1 : 2);
      if (l == m) continue;
      const LegendreStep step = legendre_step(static_cast<int>(l), static_cast<int>(m));
      legendre_.push_back(step.a);
      legendre_.push_back(step.a * step.b);
    }
  }
}

void AceEvaluator::make_pairs() {
  const std::size_t elements = potential_.element_count();
  const double length = potential_.length_unit();
  radial_.resize(elements * elements);
  for (std::size_t a = 0; a < elements; ++a) {
    for (std::size_t b = 0; b < elements; ++b) {
      const AceBond& bond = potential_.bond(a, b);
      const AceKnots& knots = potential_.knots(a, b);
      std::vector<double>& rows = radial_[a * elements + b];
      for (std::uint32_t row = 0; row < work_.radial_functions; ++row) {
        const int l = static_cast<int>(row) / functions_, n = static_cast<int>(row) % functions_;
        for (int k = 0; k < static_cast<int>(work_.basis); ++k) {
          const bool has_it = n < bond.functions && l <= bond.largest_l && k < bond.basis_functions;
          const int at = (n * (bond.largest_l + 1) + l) * bond.basis_functions + k;
          rows.push_back(has_it ? bond.coefficients[static_cast<std::size_t>(at)] : 0.0);
        }
      }
      pairs_.push_back({knots.values.data(), knots.per_length / length, knots.last,
                        rows.empty() ? nullptr : rows.data(),
                        length * (bond.inner_begin - bond.inner_width)});
      work_.stride = static_cast<std::uint32_t>(knots.stride);
      usual_distance_.push_back(0.5 * length * bond.cutoff);
    }
  }
}

/// Lists the sums A that the element's functions have. Returns their nodes.
AceEvaluator::FactorNodes AceEvaluator::make_factors(std::size_t element) {
  AceGraph& graph = graphs_[element];
  FactorNodes nodes;
  for (const AceFactorName& name : ace_factors_of(potential_.tables().elements[element])) {
    const auto& [other, n, l, m] = name;
    const AceBond& bond = potential_.bond(element, static_cast<std::size_t>(other));
    const auto node = static_cast<std::uint32_t>(nodes.mirror.size());
    const std::uint32_t step = m == 0 ? 1 : 2;
    nodes.of_name[name] = node;
    const std::uint32_t first = static_cast<std::uint32_t>(other) * work_.sums +
                                first_sum_[static_cast<std::uint32_t>(m) * (work_.largest_l + 1) +
                                           static_cast<std::uint32_t>(l)];
    AceFactor factor{
        .first_sum = first,
        .step = step,
        .count = 1,
        .first_coefficient = static_cast<std::uint32_t>(graph.factor_coefficients.size()),
        .node = node,
        .mirror = m == 0 ? node : node + 1,
        .sign = m % 2 == 0 ? 1.0 : -1.0};
    if (!sums_first_) {
      factor.first_sum += ((l == 0 ? work_.basis : 0) + static_cast<std::uint32_t>(n)) * step;
      graph.factor_coefficients.push_back(1.0);
    } else if (n < bond.functions && l <= bond.largest_l) {
      factor.count = static_cast<std::uint32_t>(bond.basis_functions);
      const double* const coefficients =
          bond.coefficients.data() +
          static_cast<std::ptrdiff_t>((n * (bond.largest_l + 1) + l) * bond.basis_functions);
      graph.factor_coefficients.insert(graph.factor_coefficients.end(), coefficients,
                                       coefficients + bond.basis_functions);
    } else {
      factor.count = 0;
    }
    graph.factors.push_back(factor);
    nodes.mirror.push_back(factor.mirror);
    if (m > 0) nodes.mirror.push_back(node);
  }
  return nodes;
}

/// Adds up the coefficients of equal products of all functions. Those of rank 1 go into the graph.
AceEvaluator::Terms AceEvaluator::collect_terms(std::size_t element, const FactorNodes& nodes) {
  AceGraph& graph = graphs_[element];
  const AceElement& of = potential_.tables().elements[element];
  const std::size_t densities = of.embedding.size();
  Terms terms;
  for (const AceFunction& function : of.functions) {
    const std::size_t rank = function.rank();
    for (std::size_t set = 0; set * rank < function.m.size(); ++set) {
      const double* const coefficients = function.coefficients.data() + set * densities;
      if (rank == 1) {
        graph.lone.push_back(static_cast<std::uint32_t>(function.elements[0]) * work_.sums +
                             first_sum_[0] + static_cast<std::uint32_t>(function.n[0]));
        graph.lone_coefficients.insert(graph.lone_coefficients.end(), coefficients,
                                       coefficients + densities);
        continue;
      }
      AceNodes factors, image;
      int sum = 0;
      for (std::size_t t = 0; t < rank; ++t) {
        const int m = function.m[set * rank + t];
        const std::uint32_t node =
            nodes.of_name.at({function.elements[t], function.n[t], function.l[t], std::abs(m)});
        factors.push_back(m < 0 ? nodes.mirror[node] : node);
        image.push_back(nodes.mirror[factors.back()]);
        sum += m;
      }
      std::ranges::sort(factors);
      std::ranges::sort(image);
      // The product of the mirror images is the conjugate, times -1 if the sum of m is odd.
      const bool mirrored = image < factors;
      auto& values = terms.try_emplace(mirrored ? image : factors, densities, 0.0).first->second;
      for (std::size_t p = 0; p < densities; ++p)
        values[p] += (mirrored && sum % 2 != 0 ? -1.0 : 1.0) * coefficients[p];
    }
  }
  return terms;
}

/// Splits each product into two, and sorts them by one of these.
void AceEvaluator::make_groups(AceGraph& graph, const Terms& terms, const FactorNodes& nodes) {
  // Products of few factors first, since those of many are made of them.
  std::vector<const Terms::value_type*> by_rank;
  for (const auto& term : terms) by_rank.push_back(&term);
  std::ranges::stable_sort(by_rank, {}, [](const auto* term) { return term->first.size(); });
  AceProductFinder finder(static_cast<std::uint32_t>(nodes.mirror.size()), nodes.mirror);
  struct Leaf {
    std::uint32_t a, b;
    const std::vector<double>* coefficients;
  };
  std::vector<Leaf> leaves;
  std::map<std::uint32_t, std::size_t> uses;
  for (const auto* term : by_rank) {
    const AceProductFinder::Split split = finder.split_term(term->first);
    leaves.push_back({finder.node(split.a), finder.node(split.b), &term->second});
    ++uses[leaves.back().a];
    ++uses[leaves.back().b];
  }
  for (Leaf& leaf : leaves) {
    if (uses[leaf.b] > uses[leaf.a]) std::swap(leaf.a, leaf.b);
  }
  std::ranges::sort(leaves, {}, [](const Leaf& leaf) { return std::pair(leaf.a, leaf.b); });
  for (const Leaf& leaf : leaves) {
    if (graph.groups.empty() || graph.groups.back().a != leaf.a)
      graph.groups.push_back({leaf.a, 0});
    ++graph.groups.back().count;
    graph.others.push_back(leaf.b);
    graph.coefficients.insert(graph.coefficients.end(), leaf.coefficients->begin(),
                              leaf.coefficients->end());
  }
  graph.products = std::move(finder.products);
}

void AceEvaluator::make_center(std::size_t element) {
  AceGraph& graph = graphs_[element];
  const FactorNodes factors = make_factors(element);
  make_groups(graph, collect_terms(element, factors), factors);
  const auto factor_nodes = static_cast<std::uint32_t>(factors.mirror.size());
  const auto densities =
      static_cast<std::uint32_t>(potential_.tables().elements[element].embedding.size());
  const auto nodes = factor_nodes + static_cast<std::uint32_t>(graph.products.size());
  centers_[element] = {.factors = graph.factors.data(),
                       .factor_count = graph.factors.size(),
                       .factor_coefficients = graph.factor_coefficients.data(),
                       .products = graph.products.data(),
                       .product_count = graph.products.size(),
                       .first_product = factor_nodes,
                       .nodes = nodes,
                       .groups = graph.groups.data(),
                       .group_count = graph.groups.size(),
                       .others = graph.others.data(),
                       .coefficients = graph.coefficients.data(),
                       .lone = graph.lone.data(),
                       .lone_coefficients = graph.lone_coefficients.data(),
                       .lone_count = graph.lone.size(),
                       .densities = densities};
  work_.most_nodes = std::max(work_.most_nodes, nodes);
  work_.most_densities = std::max(work_.most_densities, densities);
}

AceEvaluator::Size AceEvaluator::size(std::size_t element) const {
  const AceGraph& graph = graphs_[element];
  return {graph.factors.size(), graph.products.size(), graph.others.size()};
}

void AceEvaluator::compute_cells(BondRows& rows, std::span<const std::uint32_t> which_cells) {
  AceWork work = work_;
  work.rows = rows;
  work.element = element_.data();
  work.usual_distance = usual_distance_.data();
  work.centers = centers_.data();
  work.pairs = pairs_.data();
  work.levels = levels_.data();
  work.legendre = legendre_.data();
  work.legendre_start = legendre_start_.data();
  work.potential = &potential_;
  scratch_.resize(kernels_.scratch_bytes(work));
  work.rows.scratch = scratch_.data();
  kernels_.compute(work, which_cells.data(), which_cells.size());
  rows = work.rows;
}

}  // namespace sterna::md
