#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "md/input/input.hpp"
#include "md/observe/averages.hpp"
#include "md/observe/thermodynamic_state.hpp"

namespace sterna::md {

/// Averages of the rows of the table: temperature, pressure and energies, and volume and density
/// where a barostat acts. `mass`: of all particles.
class ThermodynamicAverages {
 public:
  ThermodynamicAverages(const Input& input, std::int64_t particles, double mass);

  void add(std::int64_t step, const ThermodynamicState& state);
  Averages::Report report() const { return averages_.report(); }
  std::int64_t first_step() const { return averages_.first_step(); }

  std::vector<double> state() const { return averages_.state(); }
  void set_state(const std::vector<double>& state) { averages_.set_state(state); }

 private:
  bool changes_volume_;
  double amount_;  ///< density times volume
  Averages averages_;
};

/// Averages of columns of a log, for what reads logs: of a run that goes on, or broke off. As JSON
/// "steps", "columns" by name, "particles", and "equilibration" where it was given; numbers that are
/// none are null, and rows that have one are left out. Gives "averages", "averages_over" and what a
/// run prints, "lines". Throws Json::exception where it is anything else.
std::string averages_of_columns(const std::string& text);

}  // namespace sterna::md
