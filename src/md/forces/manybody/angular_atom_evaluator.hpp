#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "md/forces/manybody/angular_atom_work.hpp"
#include "md/forces/manybody/bond_evaluator.hpp"
#include "md/model/embedded_atom.hpp"
#include "md/system/aligned_buffer.hpp"

namespace sterna::md {

/// The embedded-atom method with dipoles and quadrupoles of an atom's neighbors (ADP) on arrays, in
/// double precision: the kernels for one instruction set, with the tables of one potential.
class AngularAtomEvaluator final : public BondEvaluator {
 public:
  /// `has_it`: by type, whether it has this potential. `kernels`: "auto" or an instruction set. Throws
  /// std::invalid_argument if this machine lacks it.
  AngularAtomEvaluator(const EmbeddedAtomPotential& potential, const std::vector<char>& has_it,
                       std::string_view kernels);

  std::string_view kernels() const override { return kernels_.name; }

 private:
  void compute_cells(BondRows& rows, std::span<const std::uint32_t> which_cells) override;
  const AngularAtomKernels& kernels_;
  EmbeddedAtomPotential potential_;
  std::uint32_t last_bin_;
  AlignedBuffer<double> tables_;
  AlignedBuffer<char> scratch_;
};

/// The kernels that this processor can run, widest first; the last is "baseline", which runs on
/// all.
std::vector<const AngularAtomKernels*> available_angular_atom_kernels();

}  // namespace sterna::md
