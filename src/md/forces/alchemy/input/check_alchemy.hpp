#pragma once

#include <vector>

#include "md/input/check_input.hpp"
#include "md/input/input_schema.hpp"

namespace sterna::md {

/// Whether each [[molecule]] of a valid input is alchemical.
std::vector<char> alchemical_molecules(const Input& input);
/// Whether each [[type]] of a valid input is that of an alchemical atom; empty: none is.
std::vector<char> alchemical_types(const Input& input);

/// Whether each [[component]] of a valid input is alchemical, by its own name or by that of the
/// [[molecule]] that it is.
std::vector<char> alchemical_components(const Input& input);
/// Whether an input has alchemical rigid molecules.
bool has_alchemical_components(const Input& input);

/// What is switched off, in part or altogether, in the state of a run, or in any state where replicas
/// change theirs.
struct AlchemicalLambdas {
  bool of_charges = false, of_van_der_waals = false;
  bool change = false;
};
AlchemicalLambdas lambdas_of_run(const Input& input);

void check_alchemy(Input& input, bool look_at_files, const IsGood& is_good, const Report& report);
void check_alchemy_in_box(const Input& input, const Box& box, const Report& report);

namespace section {
InputSection alchemy();
}  // namespace section

}  // namespace sterna::md
