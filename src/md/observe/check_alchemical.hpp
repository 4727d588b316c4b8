#pragma once

#include <fmt/format.h>

#include <string_view>

#include "md/forces/alchemy/input/check_alchemy.hpp"
#include "md/input/check_input.hpp"
#include "md/input/input.hpp"

namespace sterna::md {

/// Reports an observer that builds the interactions of molecules from the input, where alchemical
/// molecules are whole, while the run has switched them off in part. `sees`: the observer and what it
/// does, such as "[insertion] computes energies". `charges_alone`: nothing else matters to it.
inline void check_alchemical_are_whole(const Input& input, const Report& report,
                                       std::string_view place, std::string_view sees,
                                       bool charges_alone = false) {
  const AlchemicalLambdas switched = lambdas_of_run(input);
  if (!switched.of_charges && (charges_alone || !switched.of_van_der_waals)) return;
  report(
      Severity::error, place,
      fmt::format("{} with whole alchemical molecules, but {} switches them off in part; expected "
                  "a run in a state of [alchemy] in which {} 0",
                  sees, switched.change ? "a state of [replicas]" : "the state of this run",
                  charges_alone ? "lambda of charges is" : "all lambdas are"));
}

}  // namespace sterna::md
