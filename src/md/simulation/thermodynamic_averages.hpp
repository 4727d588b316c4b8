#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "md/input/input.hpp"
#include "md/observe/averages.hpp"
#include "md/observe/thermodynamic_state.hpp"

namespace sterna::md {

/// Averages of the table's rows: temperature, pressure and energies, and also volume and density if
/// there is a barostat, and numbers of molecules that come and go. `mass`: total mass of all particles.
class ThermodynamicAverages {
 public:
  ThermodynamicAverages(const Input& input, std::int64_t particles, double mass);

  /// `molecules`: of each component that comes and goes.
  void add(std::int64_t step, const ThermodynamicState& state,
           std::span<const double> molecules = {});
  Averages::Report report() const { return averages_.report(); }
  std::int64_t first_step() const { return averages_.first_step(); }

  std::vector<double> state() const { return averages_.state(); }
  void set_state(const std::vector<double>& state) { averages_.set_state(state); }

 private:
  bool changes_volume_;
  double amount_;  ///< density times volume
  Averages averages_;
};

/// Averages of a log's columns, for programs that read logs of runs that were continued or
/// interrupted. `text` is JSON: "steps", "columns" by name, "particles", and optionally
/// "equilibration". Numbers that are not finite are null, and rows with a null are left out.
/// Returns "averages", "averages_over", and the lines that a run prints, "lines". Throws
/// Json::exception if `text` has another form.
std::string averages_of_columns(const std::string& text);

}  // namespace sterna::md
