#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "md/input/input.hpp"

namespace sterna::md {

// What an input must be like so that `InsertedMolecule` computes the energy of one more molecule.

/// The names of all kinds, in the order of `Position::type`: [[type]]s, then [[component]]s.
std::vector<std::string> inserted_kind_names(const Input& input);
/// Why molecules of this kind cannot be inserted, as the end of a sentence; empty: they can.
std::string why_not_inserted(const Input& input, std::size_t kind);
/// Why none of the kinds with this name can be inserted, as a sentence, with the nearest name if
/// there is no such kind; empty: it can.
std::string why_name_is_not_inserted(const Input& input, const std::string& name);
/// The temperature of the first thermostat; 0: there is none.
double insertion_temperature(const Input& input);
/// Whether the thermostats keep different temperatures.
bool has_several_temperatures(const Input& input);

/// A pair of sites whose repulsion is this many kT alone is an overlap. It weighs nothing.
constexpr double insertion_hard = 1000.0;

}  // namespace sterna::md
