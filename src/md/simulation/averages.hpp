#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "md/core/json.hpp"
#include "md/core/units.hpp"
#include "md/observe/batch_means.hpp"
#include "md/simulation/console.hpp"

namespace sterna::md {

/// Averages of the rows of the table, without those of the equilibration. How long that took is
/// given, or found from temperature, potential energy and volume (equilibration_length): the
/// longest of what each of them says.
class Averages {
 public:
  struct Options {
    std::optional<std::int64_t> equilibration;  ///< steps; nothing: found
    bool changes_volume = false;                ///< with volume and density
    std::int64_t particles = 1;
    double mass = 0.0;  ///< of all particles
  };
  Averages(const UnitSystem& units, const Options& options);

  void add(std::int64_t step, const ThermodynamicState& state);

  struct Report {
    std::vector<std::string> lines;  ///< for people; empty where there are no two rows
    Json averages;                   ///< name: mean, standard_error, unit
    Json rows;                       ///< how many, and which
  };
  Report report() const;

  std::vector<double> state() const { return series_.state(); }
  void set_state(const std::vector<double>& state) { series_.set_state(state); }

 private:
  struct Quantity {
    std::string name, unit;
    double factor;      ///< from the internal unit
    bool per_particle;  ///< on the console
    bool settles;       ///< tells when the equilibration is over
  };
  UnitSystem units_;
  Options options_;
  std::vector<Quantity> quantities_;
  BatchMeans series_;
};

}  // namespace sterna::md
