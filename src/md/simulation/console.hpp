#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "md/core/units.hpp"

namespace sterna::md {

enum class Progress {
  automatic,  ///< a line that is redrawn where standard output is a terminal
  never,
  always,  ///< lines `@progress {"step":...,"steps":...,"rate":...,"eta":...}` for a front end
};

/// What a run measures of the whole system, in internal units; energies are totals.
struct ThermodynamicState {
  double temperature = 0.0;
  double pressure = 0.0;
  double kinetic_energy = 0.0;     ///< of translation and rotation
  double rotational_energy = 0.0;  ///< a part of it
  double potential_energy = 0.0;   ///< with the tail correction where that is on
  double total_energy = 0.0;
  double conserved_energy = 0.0;  ///< total energy less what thermostat and barostat gave
  double pair_energy = 0.0;       ///< of all force terms, without the tail correction
  double virial = 0.0;            ///< sum r.f over pairs, without the tail correction
  double momentum[3] = {};
  double largest_force = 0.0;  ///< component of it; of a minimization
  double volume = 0.0;
  struct Part {
    std::string name;
    double energy = 0.0;
  };
  struct Term {
    std::string name;  ///< of the force term
    double energy = 0.0, virial = 0.0;
    std::vector<Part> parts;  ///< of the energy
  };
  /// Parts of `potential_energy`: of each force term, and of the tail correction where that is on.
  std::vector<Term> terms;
};

/// What a user sees of a run, on rank 0; other ranks have one that prints nothing.
class Console {
 public:
  Console(bool prints, Progress progress, const UnitSystem& units);
  ~Console();

  void line(const std::string& text);
  void table_header();
  void table_row(std::int64_t step, double time, std::int64_t particles,
                 const ThermodynamicState& state);
  /// Where nothing moves: no time and no temperature.
  void minimization_header();
  void minimization_row(std::int64_t step, std::int64_t particles, const ThermodynamicState& state);
  /// At most about four times a second. Rates count from the first call.
  void progress(std::int64_t step, std::int64_t first_step, std::int64_t steps);

 private:
  using Clock = std::chrono::steady_clock;
  void erase_progress();

  bool prints_;
  Progress progress_;
  UnitSystem units_;
  bool drawn_ = false;
  bool started_ = false;
  Clock::time_point start_, last_;
};

/// "1:02:03", "0:07".
std::string duration_text(double seconds);

}  // namespace sterna::md
