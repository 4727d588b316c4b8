#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "md/core/energy_and_virial.hpp"
#include "md/core/vector.hpp"

namespace sterna::md {

struct BondedKernels;

/// Bonded terms of kinds of molecules whose parameters change with lambda, from those of state A to
/// those of state B in equal steps. Any kind of bonded term will do that has no table.
class ChangedTerms {
 public:
  struct Term {
    std::uint32_t kind;                ///< in `bonded_table`
    std::vector<std::uint32_t> atoms;  ///< places in the molecule
    std::vector<double> from, to;      ///< parameters at lambda 0 and 1, in their order
  };

  /// `terms`: by kind of molecule. `kernels`: "auto", or a name as for `select_kernels`.
  ChangedTerms(std::vector<std::vector<Term>> terms, std::string_view kernels);

  bool empty() const;
  bool has(std::size_t molecule) const {
    return molecule < terms_.size() && !terms_[molecule].empty();
  }
  /// Energy and virial of the terms of a molecule with these positions, which is whole. Adds the
  /// forces on its atoms.
  EnergyAndVirial compute(std::size_t molecule, double lambda, std::span<const Vec3> positions,
                          std::span<Vec3> forces) const;

 private:
  std::vector<std::vector<Term>> terms_;
  const BondedKernels* kernels_;
};

}  // namespace sterna::md
