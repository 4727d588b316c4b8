#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "md/forces/manybody/bond_evaluator.hpp"
#include "md/forces/manybody/snap_work.hpp"
#include "md/model/snap.hpp"
#include "md/system/aligned_buffer.hpp"

namespace sterna::md {

/// A spectral neighbor analysis potential on arrays: the kernels for one instruction set, with the
/// tables of one potential. It computes in double precision, because terms of some keV cancel to an
/// energy of some eV.
class SnapEvaluator final : public BondEvaluator {
 public:
  /// `has_it`: by type, whether it has this potential. `kernels`: "auto" or an instruction set. Throws
  /// std::invalid_argument if this machine lacks it.
  SnapEvaluator(const SnapPotential& potential, const std::vector<char>& has_it,
                std::string_view kernels);

  std::string_view kernels() const override { return kernels_.name; }

 private:
  void compute_cells(BondRows& rows, std::span<const std::uint32_t> which_cells) override;
  void lay_out_matrices(const SnapPotential& potential);
  void list_terms(int ja, int jb, int jc);
  struct Factor {
    int j;
    std::uint32_t channel;
    auto operator<=>(const Factor&) const = default;
  };
  struct ProductUses {
    std::map<std::uint32_t, std::map<std::uint32_t, double>> shares;  ///< by channel, by component
    std::vector<SnapComponent> components;
  };
  /// By two factors and the j that they are coupled to.
  using Products = std::map<std::tuple<Factor, Factor, int>, ProductUses>;
  Products find_products(const SnapPotential& potential) const;
  void couple(const SnapPotential& potential);
  void take_coefficients(const SnapPotential& potential);

  const SnapKernels& kernels_;
  SnapWork work_{};
  std::vector<std::uint32_t> half_offset_, whole_offset_, channel_;
  std::vector<SnapProduct> products_;
  std::vector<SnapSlope> slopes_;
  std::vector<SnapShare> shares_;
  std::vector<SnapComponent> components_;
  std::vector<SnapPair> pairs_;
  std::vector<SnapTerm> terms_;
  std::vector<std::uint32_t> term_counts_;
  std::vector<double> roots_, constant_, linear_, lone_, quadratics_, weight_;
  AlignedBuffer<char> scratch_;
};

/// The kernels that this processor can run, widest first; the last is "baseline", which runs on
/// all.
std::vector<const SnapKernels*> available_snap_kernels();

}  // namespace sterna::md
