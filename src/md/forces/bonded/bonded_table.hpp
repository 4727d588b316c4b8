#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "md/core/registry.hpp"
#include "md/forces/bonded/bonded_parameter.hpp"

namespace sterna::md {

/// The data of a bonded term that the run, the input and the documentation need; its kernels are in
/// `BondedKernels`, in the same order. `Topology::Term::kind` is its number.
struct BondedRow {
  std::string_view section, name, energy_name, sentence, formula, source;
  std::span<const BondedParameter> parameters;
  int atoms;                    ///< number of atoms it acts on
  int listed_atoms;             ///< number of atoms in the input
  std::span<const int> chosen;  ///< indices of the former among the latter; empty: all
  bool adds_up;                 ///< coefficients of terms with the same atoms add up
  bool is_directed;             ///< reversed atoms make another term
  bool may_repeat;              ///< terms with the same atoms may differ in a parameter
  /// For terms that read a table: makes the coefficients, instead of the members below, from the
  /// parameters and from "energy" and "force" in the input, in internal units. Null for other
  /// terms.
  std::vector<double> (*table)(std::span<const double> parameters, std::span<const double> energies,
                               std::span<const double> forces);
  int coefficient_count;
  /// Adds to `coefficients`, which are 0. The parameters are in their order and in internal units.
  void (*coefficients)(std::span<const double> parameters, std::span<double> coefficients);
  /// The contradiction between parameters; empty if there is none. Null: there never is one.
  std::string_view (*contradiction)(std::span<const double> parameters);
};

/// All terms; a row of the table is made from a struct in `terms/list.hpp`.
const Registry<BondedRow>& bonded_table();

/// The index of a term; nothing if no term has this name.
std::optional<std::uint32_t> find_bonded(std::string_view section, std::string_view name);

/// The names of parameters, each once, in the order of the table.
std::span<const std::string_view> bonded_parameter_names();

}  // namespace sterna::md
