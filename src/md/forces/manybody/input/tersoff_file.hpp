#pragma once

#include <array>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "md/model/tersoff.hpp"

namespace sterna::md {

/// A mistake in a file of Tersoff parameters: "SiC.tersoff, line 3, column 12: ...".
class TersoffFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Parameters of Tersoff's potential in the format of LAMMPS (pair_style tersoff). An entry is
/// three names of elements and the fourteen numbers of TersoffParameters in that order, over any
/// number of lines; `#` begins a comment. "UNITS: real" in the first line means kcal/mol; otherwise
/// energies are in eV.
class TersoffFile {
 public:
  /// Reads the file. `name`: its name, for messages. Throws TersoffFileError.
  TersoffFile(std::string_view text, std::string_view name);

  /// The potential for types of these elements. `angstrom` and `eV`: these units in the units of
  /// the run. Throws TersoffFileError if the file lacks an element or a triple.
  TersoffPotential potential(std::span<const std::string> elements, double angstrom,
                             double eV) const;

 private:
  struct Entry {
    std::array<std::string, 3> elements;
    TersoffParameters parameters;  ///< in angstrom and the file's unit of energy
  };
  const Entry* find(const std::string& a, const std::string& b, const std::string& c) const;

  std::string name_;
  double energy_in_eV_ = 1.0;
  std::vector<Entry> entries_;
};

}  // namespace sterna::md
