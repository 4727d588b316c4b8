#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "md/core/registry.hpp"
#include "md/forces/pair/potentials/pair_potential.hpp"

namespace sterna::md {

/// The data of a pair potential that the run, the input and the documentation need. Its kernels are
/// in `PotentialKernels`, in the same order.
struct PairPotentialRow {
  std::string_view name, sentence, formula, source;
  std::span<const PairParameter> parameters;
  bool finite_at_zero;
  bool reads_table;
  bool powers_12_and_6;  ///< true: the coefficients are those of r^-12 and -r^-6
  int coefficient_count;
  /// Computes the coefficients from the parameters, in their order, and the pair's cutoff. Null for
  /// tables.
  void (*coefficients)(std::span<const double> parameters, double cutoff,
                       std::span<double> coefficients);
  PairValue<double> (*evaluate)(const PairDistance<double>& distance, const double* coefficients);
  /// The distance at which the potential ends by itself; null if it needs a cutoff.
  double (*own_end)(std::span<const double> parameters, double cutoff);
  /// The size and energy; null if they are computed from the curve.
  PairScale (*scale)(std::span<const double> parameters, double cutoff);
  /// Returns why values contradict each other; empty if they do not. Null if values never do.
  std::string_view (*contradiction)(std::span<const double> parameters);
  std::string_view mixing;  ///< the rule for unlike types, with its source; empty if there is none
  /// Computes the parameters of an unlike pair from those of both types, all in their order, by the
  /// rule of the run where the potential leaves the choice. Null if there is no rule.
  void (*mix)(Mixing rule, std::span<const double> first, std::span<const double> second,
              std::span<double> unlike);
  /// Returns why the rule of the run is not one for these parameters of two types; empty if it is.
  /// Null if each rule is one for all parameters.
  std::string_view (*no_mixing)(Mixing rule, std::span<const double> first,
                                std::span<const double> second);
};

/// All potentials, in the order of `PairPotentials`.
const Registry<PairPotentialRow>& pair_potential_table();
/// Returns null if there is no potential of this name.
const PairPotentialRow* find_pair_potential(std::string_view name);
/// The names of all parameters, each once.
std::span<const std::string_view> pair_parameter_names();

}  // namespace sterna::md
