#pragma once

#include <array>
#include <optional>
#include <string>

#include "md/forces/pair/pair_parameter.hpp"
#include "md/forces/pair/tabulated_curve.hpp"
#include "md/model/mixing.hpp"
#include "md/model/truncation.hpp"

namespace sterna::md {

struct PairSection {  ///< [[pair]]: replaces the mixed parameters, or the whole potential; or adds
  static constexpr const char* mixed_potential = "lennard_jones";

  std::string first, second;
  std::string potential = mixed_potential;  ///< or a name of `pair_potential_table`
  /// Values in the order of `pair_parameter_names`; `pair_parameter` finds them by name.
  std::array<std::optional<double>, most_pair_parameters> parameters{};
  double cutoff = 0.0;                   ///< 0: that of [interaction]
  std::optional<Truncation> truncation;  ///< likewise
  double switch_start = 0.0;             ///< 0: at the same share of the cutoff
  std::string table;                     ///< "tabulated": its file, relative to the input
  std::optional<PairTable> points;       ///< of the table, where it was read
  bool adds = false;                     ///< acts besides what the types have
  std::optional<double> eta, xi;         ///< factors of the mixed sigma and epsilon
  std::optional<Mixing> mixing;          ///< the rule, if another one than in [interaction]

  /// Whether missing parameters are mixed. Other potentials must have all of theirs.
  bool is_lennard_jones() const { return potential == mixed_potential; }
  /// Whether the pair has a cutoff or truncation of its own.
  bool has_own_end() const { return cutoff > 0.0 || truncation.has_value() || switch_start > 0.0; }
};

}  // namespace sterna::md
