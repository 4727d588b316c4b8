#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "md/forces/manybody/ace_work.hpp"
#include "md/forces/manybody/bond_evaluator.hpp"
#include "md/model/ace.hpp"
#include "md/system/aligned_buffer.hpp"

namespace sterna::md {

/// The densities of a center's element as a graph of products, each of which is computed once.
struct AceGraph {
  std::vector<AceFactor> factors;
  std::vector<double> factor_coefficients;
  std::vector<AceProduct> products;
  std::vector<AceGroup> groups;
  std::vector<std::uint32_t> others, lone;
  std::vector<double> coefficients, lone_coefficients;
};

/// A sum A over neighbors: element, n, l and m >= 0.
using AceFactorName = std::tuple<int, int, int, int>;
/// The factors of a product, as nodes of the graph.
using AceNodes = std::vector<std::uint32_t>;

/// An atomic cluster expansion on arrays: the kernels for one instruction set, with the tables of one
/// potential. It computes in double precision, because large terms cancel.
class AceEvaluator final : public BondEvaluator {
 public:
  /// `has_it`: by type, whether it has this potential. `kernels`: "auto" or an instruction set. Throws
  /// std::invalid_argument if this machine lacks it.
  AceEvaluator(const AcePotential& potential, const std::vector<char>& has_it,
               std::string_view kernels);
  // The tables have pointers to each other.
  AceEvaluator(const AceEvaluator&) = delete;
  AceEvaluator& operator=(const AceEvaluator&) = delete;

  std::string_view kernels() const override { return kernels_.name; }
  /// The numbers of products: those that others are made of, and those in the densities.
  struct Size {
    std::size_t factors, products, terms;
  };
  Size size(std::size_t element) const;

 private:
  void compute_cells(BondRows& rows, std::span<const std::uint32_t> which_cells) override;
  void lay_out_sums();
  void make_pairs();
  void make_center(std::size_t element);
  struct FactorNodes {
    std::map<AceFactorName, std::uint32_t> of_name;
    AceNodes mirror;  ///< of each node, that of -m
  };
  FactorNodes make_factors(std::size_t element);
  /// Products in the densities, with a coefficient for each density.
  using Terms = std::map<AceNodes, std::vector<double>>;
  Terms collect_terms(std::size_t element, const FactorNodes& nodes);
  static void make_groups(AceGraph& graph, const Terms& terms, const FactorNodes& nodes);

  AcePotential potential_;
  const AceKernels& kernels_;
  AceWork work_{};
  bool sums_first_ = false;  ///< whether R_nl are made of the sums over neighbors
  int functions_ = 0;        ///< n of all pairs
  std::vector<std::uint32_t> element_;
  std::vector<double> usual_distance_, legendre_, legendre_start_;
  std::vector<AceLevel> levels_;
  std::vector<std::uint32_t> first_sum_;  ///< by m (largest_l + 1) + l
  std::vector<AcePair> pairs_;
  std::vector<std::vector<double>> radial_;  ///< by pair
  std::vector<AceGraph> graphs_;
  std::vector<AceCenter> centers_;
  AlignedBuffer<char> scratch_;
};

/// The kernels that this processor can run, widest first; the last is "baseline", which runs on
/// all.
std::vector<const AceKernels*> available_ace_kernels();

}  // namespace sterna::md
