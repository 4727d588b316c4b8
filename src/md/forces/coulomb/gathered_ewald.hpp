#pragma once

#include "md/forces/coulomb/ewald.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// Ewald sums for the charges of all ranks of a context. Collective: every rank gathers all charges,
/// computes its share of the terms and adds up all ranks' results, which costs memory and messages
/// as all charges do: the reference for small systems. `charges`: of this rank, molecules numbered
/// from 0 to `molecule_count` - 1, each on one rank. The result is that of this rank's charges;
/// energy and virial are to be added up.
CoulombResult gathered_ewald(const comm::Context& context, const EwaldSolver& solver,
                             const PointCharges& charges, std::size_t molecule_count);

}  // namespace sterna::md
