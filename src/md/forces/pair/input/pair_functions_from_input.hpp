#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "md/forces/pair/pair_function.hpp"
#include "md/input/pairs_of_types.hpp"

namespace sterna::md {

/// How the potentials of the input end at the cutoff.
PairFunction::Ending ending_from_input(const Input& input);
/// How the potential of a [[pair]] ends at the cutoff.
PairFunction::Ending ending_of_pair(const Input& input, const Input::Pair& pair);
/// The potential of a [[pair]] of a valid input whose tables have been read; a Lennard-Jones one
/// gives both of its parameters.
PairFunction function_of_pair(const Input& input, const Input::Pair& pair);
/// The potential of the types at these places, without what is added to it.
PairFunction pair_function_from_input(const Input& input, std::size_t a, std::size_t b);
/// The potentials of all pairs of types, a matrix row by row.
std::vector<PairFunction> pair_functions_from_input(const Input& input);
/// Returns the potentials that are added to that of the types at these places.
std::vector<PairFunction> added_functions_from_input(const Input& input, std::size_t a,
                                                     std::size_t b);
/// The same of all pairs: as often types^2 as any pair has such potentials; Lennard-Jones of no depth
/// where a pair has fewer.
std::vector<std::vector<PairFunction>> added_layers_from_input(const Input& input);

/// As `mixed_type_pair`; for a [[pair]] with another potential, its `PairFunction::scale`.
TypePair type_pair_from_input(const Input& input, std::size_t a, std::size_t b);

/// The text of the table of a [[pair]]. Throws std::runtime_error, with the reason, if it cannot be
/// read.
std::string pair_table_text(const Input& input, const Input::Pair& pair);
/// Reads the text of a table into the [[pair]]. Throws PairTableError.
void take_pair_table(const Input& input, Input::Pair& pair, std::string_view text);

}  // namespace sterna::md
