#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "md/observe/observer.hpp"
#include "md/simulation/simulation.hpp"
#include "md/simulation/thermodynamic_averages.hpp"

namespace sterna::md {

/// All that looks at a run while it goes on: the observers of its input, the reporters of a
/// program, and the averages over rows of the table.
struct Sampling {
  std::int64_t equilibration = 0;  ///< observers sample after this step
  std::vector<std::unique_ptr<Observer>> observers = {};
  std::vector<std::shared_ptr<Reporter>> reporters = {};
  std::optional<ThermodynamicAverages> averages = {};  ///< nothing for minimizations

  /// Whether anything needs the energies of this step.
  bool needs_state(std::int64_t step) const;
  /// Calls the observers that are due, once the energies of the step are known.
  void sample(const Frame& frame) const;
  /// Calls the reporters that are due. `has_state`: whether the energies of the step are known.
  /// Reporters that need positions only are called without them, all others with them.
  void report(const Frame& frame, bool has_state) const;

 private:
  bool is_due(const Observer& observer, std::int64_t step) const {
    return observer.is_due(step) && step > equilibration;
  }
};

}  // namespace sterna::md
