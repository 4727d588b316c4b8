#pragma once

#include <memory>
#include <vector>

#include "md/forces/force_term.hpp"
#include "md/input/input.hpp"
#include "md/integrate/step_modifier.hpp"
#include "md/simulation/force_term_table.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// The force terms that [[wall]], [[field]] and [[restraint]] ask for; null if the input has none.
std::unique_ptr<ForceTerm> make_walls(const TermRequest& request);
std::unique_ptr<ForceTerm> make_fields(const TermRequest& request);
std::unique_ptr<ForceTerm> make_restraints(const TermRequest& request);

/// Appends a step modifier for the reflecting walls of [[wall]].
void make_reflecting_walls(const comm::Context& context, const Input& input,
                           const MoleculeTable& molecules,
                           std::vector<std::unique_ptr<StepModifier>>& modifiers);

}  // namespace sterna::md
