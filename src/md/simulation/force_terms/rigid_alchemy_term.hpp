#pragma once

#include <memory>

#include "md/forces/alchemy/alchemical_term.hpp"
#include "md/forces/alchemy/rigid_surroundings.hpp"
#include "md/simulation/force_term_table.hpp"

namespace sterna::md {

/// The term of alchemical rigid molecules, for an input that has some.
std::unique_ptr<ForceTerm> make_rigid_alchemy(const TermRequest& request,
                                              AlchemicalTerm::States states);

/// The rigid molecules of an input around its alchemical atoms.
RigidSurroundings::Options rigid_surroundings(const Input& input);

}  // namespace sterna::md
