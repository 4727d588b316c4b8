#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "md/core/registry.hpp"
#include "md/forces/bonded/bonded_parameter.hpp"

namespace sterna::md {

/// What the run, the input and the documentation know of a bonded term; its kernels are in
/// `BondedKernels`, in the same order. `Topology::Term::kind` is its number.
struct BondedRow {
  std::string_view section, name, energy_name, sentence, formula, source;
  std::span<const BondedParameter> parameters;
  int atoms;                    ///< that it acts on
  int listed_atoms;             ///< that the input gives
  std::span<const int> chosen;  ///< of these, those that it acts on; empty: all
  bool adds_up;                 ///< coefficients of terms of the same atoms can be added
  bool is_directed;             ///< another one if its atoms are listed from the other end
  bool may_repeat;              ///< the same atoms may have several that differ in a parameter
  /// Of terms that read a table: the coefficients, in place of what follows, from the parameters and
  /// what the input has as "energy" and "force", in internal units. Null: of others.
  std::vector<double> (*table)(std::span<const double> parameters, std::span<const double> energies,
                               std::span<const double> forces);
  int coefficient_count;
  /// From parameters in their order, in internal units; adds to `coefficients`, which are 0.
  void (*coefficients)(std::span<const double> parameters, std::span<double> coefficients);
  /// What is wrong with the parameters together; empty: nothing. Null: nothing ever is.
  std::string_view (*contradiction)(std::span<const double> parameters);
};

/// All terms; a row of the table is made from a struct in `terms/list.hpp`.
const Registry<BondedRow>& bonded_table();

/// The number of a term; nothing for other names.
std::optional<std::uint32_t> find_bonded(std::string_view section, std::string_view name);

/// All names of parameters, each once, in the order of the table.
std::span<const std::string_view> bonded_parameter_names();

}  // namespace sterna::md
