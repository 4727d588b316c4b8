#pragma once

#include <cstddef>

#include "md/core/box.hpp"
#include "md/forces/external/restraints.hpp"
#include "md/input/input.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// Collective. Reads the file that the n-th [[restraint]] names, found from the input file's
/// folder: rank 0 does, and hands out pieces. FileError on all ranks where it is not what it should
/// be. `box`: of the run, for files without one.
void read_reference_file(const comm::Context& context, const Input& input, std::size_t n,
                         const Box& box, const Restraints::TakePlaces& take);

}  // namespace sterna::md
