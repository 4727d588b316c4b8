#pragma once

#include <array>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace sterna::md {

/// A mistake in a file of parameters of triples: "SiC.tersoff, line 3, column 12: ...".
class TripleFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Parameters of triples of elements in the format of LAMMPS (pair_style tersoff and sw). An entry is
/// three names of elements and a number for each column, over any number of lines; `#` begins a
/// comment. "UNITS: real" in the first line means kcal/mol; otherwise energies are in eV.
class TripleFile {
 public:
  /// Reads the file. `name`: its name, for messages. Throws TripleFileError.
  TripleFile(std::string_view text, std::string_view name,
             std::span<const std::string_view> columns);

  const std::string& name() const { return name_; }
  double energy_in_eV() const { return energy_in_eV_; }
  /// The numbers of all ordered triples of these elements: center, first and second neighbor, the
  /// last one fastest. Throws TripleFileError if the file lacks an element or a triple.
  std::vector<std::span<const double>> triples(std::span<const std::string> elements) const;

 private:
  struct Entry {
    std::array<std::string, 3> elements;
    std::vector<double> numbers;
  };
  const Entry* find(const std::string& a, const std::string& b, const std::string& c) const;
  void has_elements(std::span<const std::string> elements) const;

  std::string name_;
  double energy_in_eV_ = 1.0;
  std::vector<Entry> entries_;
};

/// The number of numbers in the first entry; 0 if the file has no entry.
std::size_t numbers_of_first_entry(std::string_view text);

/// The numbers of triples of these elements as parameters, whose members are in the order of the
/// columns.
template <class Parameters, std::size_t count>
std::vector<Parameters> parameters_of_triples(const TripleFile& file,
                                              std::span<const std::string> elements,
                                              double Parameters::*const (&columns)[count]) {
  std::vector<Parameters> parameters;
  for (const std::span<const double> numbers : file.triples(elements)) {
    Parameters& triple = parameters.emplace_back();
    for (std::size_t k = 0; k < count; ++k) triple.*columns[k] = numbers[k];
  }
  return parameters;
}

}  // namespace sterna::md
