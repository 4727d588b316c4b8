#pragma once

#include "md/forces/coulomb/ewald.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// Ewald sums for the charges of all ranks of a context. Collective: every rank gathers all
/// charges, computes its share of the terms and adds the results of all ranks. Memory and messages
/// grow with the number of all charges, so this is the reference for small systems. `charges`: of
/// this rank, with molecules numbered from 0 to `molecule_count` - 1; each molecule is on one rank.
/// The result is for this rank's charges; the caller adds energy and virial over the ranks.
CoulombResult gathered_ewald(const comm::Context& context, const EwaldSolver& solver,
                             const PointCharges& charges, std::size_t molecule_count);

}  // namespace sterna::md
