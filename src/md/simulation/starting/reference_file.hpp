#pragma once

#include <cstddef>

#include "md/core/box.hpp"
#include "md/forces/external/restraints.hpp"
#include "md/input/input.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// Collective. Reads the file that the n-th [[restraint]] names, relative to the input file's
/// folder. Rank 0 reads it and sends pieces to all. Throws FileError on all ranks if the file is
/// invalid. `box`: the box of the run, for files without one.
void read_reference_file(const comm::Context& context, const Input& input, std::size_t n,
                         const Box& box, const Restraints::TakePlaces& take);

}  // namespace sterna::md
