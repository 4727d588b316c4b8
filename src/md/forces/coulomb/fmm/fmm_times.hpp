#pragma once

#include <chrono>

namespace sterna::md {

/// Seconds by phase of the fast multipole method. Time between two phases counts to the later one.
struct FmmTimes {
  double sort = 0.0;
  double charges_to_multipoles = 0.0;
  double multipoles_up = 0.0;
  double multipoles_to_locals = 0.0;
  double locals_down = 0.0;
  double locals_to_charges = 0.0;
  double near_field = 0.0;
  double communication = 0.0;  ///< packing, waiting, unpacking

  double total() const {
    return sort + charges_to_multipoles + multipoles_up + multipoles_to_locals + locals_down +
           locals_to_charges + near_field + communication;
  }
};

/// Adds to a phase the seconds since its construction or last call.
class Stopwatch {
 public:
  void lap(double& phase) {
    const auto now = std::chrono::steady_clock::now();
    phase += std::chrono::duration<double>(now - start_).count();
    start_ = now;
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace sterna::md
