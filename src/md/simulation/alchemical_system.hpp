#pragma once

#include <vector>

#include "md/forces/pair/pair_function.hpp"
#include "md/input/input.hpp"
#include "md/integrate/constraint_groups.hpp"
#include "md/model/lennard_jones.hpp"
#include "md/model/molecule_model.hpp"
#include "md/system/topology.hpp"

namespace sterna::md {

/// The topology of a run: charges and constraints of alchemical atoms are those of the run's state. A
/// run that takes on other states begins with whole charges.
Topology topology_of_state(const Input& input, Topology whole);

/// The constraints whose lengths change with lambda.
ChangingConstraints changing_constraints(const Input& input);

/// The charges that the atoms of a kind of alchemical molecule have at lambda 1.
std::vector<double> charges_of_state_b(const Input& input, const Topology::Molecule& molecule);

/// Takes the pairs of alchemical types out of a matrix over all particle kinds, row by row:
/// AlchemyForces has them. `kinds`: rows of the matrix; types come first.
void leave_out_alchemical_pairs(const Input& input, std::size_t kinds,
                                std::vector<PairFunction>& functions);
void leave_out_alchemical_pairs(const Input& input, std::size_t kinds,
                                std::vector<LennardJones::PairParameters>& pairs);

/// Takes all sites of alchemical rigid molecules, and of alchemical atoms among rigid molecules, out of
/// a model: RigidAlchemyForces and AlchemyForces have their pairs.
void leave_out_alchemical_sites(const Input& input, MoleculeModel& model);

}  // namespace sterna::md
