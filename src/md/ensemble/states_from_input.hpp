#pragma once

#include <cstddef>
#include <optional>

#include "md/ensemble/run_state.hpp"
#include "md/forces/state_parameters.hpp"
#include "md/input/input.hpp"

// The states and replicas of a run, from a valid input.

namespace sterna::md {

/// How many states energies can be told in: the [[state]]s or, if there are none, those of [alchemy].
std::size_t count_of_states(const Input& input);
/// The parameters of force terms in one of them.
StateParameters parameters_of_state(const Input& input, std::size_t number);
/// Whether the [[state]]s differ in a lambda of [alchemy].
bool states_are_alchemical(const Input& input);
/// The state of [alchemy] that a [[state]] has.
std::size_t alchemical_state_of(const Input& input, std::size_t number);
/// The [[state]] with this number as it is to be set in a run.
RunState run_state(const Input& input, std::size_t number);
/// The temperature of a [[state]], and its pressure if the run has a barostat.
double temperature_of_state(const Input& input, std::size_t number);
std::optional<double> pressure_of_state(const Input& input, std::size_t number);
/// How many replicas there are, and the state in which one of them begins.
std::size_t count_of_replicas(const Input& input);
std::size_t first_state_of(const Input& input, std::size_t replica);
/// The input of a replica, in the state in which it begins.
Input input_of_replica(const Input& input, std::size_t replica);

}  // namespace sterna::md
