#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "md/forces/alchemy/alchemical_state.hpp"
#include "md/input/check_input.hpp"
#include "md/input/input_schema.hpp"

namespace sterna::md {

struct MutationSection {  ///< [[mutation]]: what a type of alchemical atoms becomes at lambda 1
  std::string type;
  std::string becomes;           ///< a type; empty: one without pair potentials
  std::optional<double> charge;  ///< nothing: it does not change
  std::optional<double> mass;    ///< likewise
};

struct MutatedTermSection {  ///< [[mutated_term]]: a bonded term whose parameters change
  std::string molecule, section, potential;
  Input::AtomLists atoms;
  std::vector<std::string> parameters;
  std::vector<double> from, to;  ///< in the units of the input
};

struct MutatedConstraintSection {  ///< [[mutated_constraint]]: a constraint whose length changes
  std::string molecule;
  Input::AtomLists atoms;
  double distance = 0.0;  ///< at lambda 1
};

struct MutatedPairSection {  ///< [[mutated_pair]]: a special pair that changes
  std::string molecule;
  Input::AtomLists atoms;
  double epsilon = 0.0, sigma = 1.0, charge_product = 0.0;
  double to_epsilon = 0.0, to_sigma = 1.0, to_charge_product = 0.0;
};

/// For each [[type]] of a valid input what it becomes, as an index of a type; nothing: no potential.
/// A type that does not change becomes itself.
std::vector<std::optional<std::size_t>> mutated_types(const Input& input);
/// The charge at lambda 1 of an atom of this type whose charge is `charge`.
double mutated_charge(const Input& input, std::string_view type, double charge);

/// The mass of a type in the state of the run, and in state B.
double mass_in_run(const Input& input, std::size_t type);
double mass_in_state_b(const Input& input, std::size_t type);
/// Whether a mass changes with lambda.
bool masses_change(const Input& input);

/// The parts of alchemical states that a run's files have: those of bonded terms and of
/// masses only if some change.
std::span<const AlchemicalPart> alchemical_parts_of(const Input& input);
/// Those whose derivatives follow from positions alone, which files of replicas have.
std::span<const AlchemicalPart> alchemical_parts_of_positions(const Input& input);

void check_mutations(Input& input, bool look_at_files, const IsGood& is_good, const Report& report);

namespace section {
InputSection mutation();
InputSection mutated_term();
InputSection mutated_constraint();
InputSection mutated_pair();
}  // namespace section

}  // namespace sterna::md
