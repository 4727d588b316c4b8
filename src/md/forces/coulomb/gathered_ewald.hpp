#pragma once

#include "md/forces/coulomb/ewald.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// Ewald sums for the charges of all ranks of a context. Collective: every rank gathers all charges
/// and computes the same, so it is the reference for small systems and gains nothing from more
/// ranks. `charges`: of this rank, molecules numbered from 0 to `molecule_count` - 1, each on one
/// rank. The result is that of this rank's charges; energy and virial are to be added up.
CoulombResult gathered_ewald(const comm::Context& context, const EwaldSolver& solver,
                             const PointCharges& charges, std::size_t molecule_count);

}  // namespace sterna::md
