#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "md/core/units.hpp"
#include "md/observe/thermodynamic_state.hpp"
#include "md/simulation/simulation.hpp"

namespace sterna::md {

/// The text that a run prints for the user. Rank 0 prints; the consoles of other ranks print
/// nothing.
class Console {
 public:
  Console(bool prints, Progress progress, const UnitSystem& units);
  ~Console();

  void line(const std::string& text);
  void table_header();
  void table_row(std::int64_t step, double time, std::int64_t particles,
                 const ThermodynamicState& state);
  /// The header of a minimization's table, which has neither time nor temperature.
  void minimization_header();
  void minimization_row(std::int64_t step, std::int64_t particles, const ThermodynamicState& state);
  /// Redraws the progress line, at most about four times a second. Rates count from the first call.
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
