#pragma once

#include <string>

#include "md/core/box.hpp"
#include "md/forces/external/restraints.hpp"
#include "md/input/input.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// A file of positions that a key of the input names, relative to the input file's folder.
struct ReferenceFile {
  std::string path, place_of_key;
};

/// Collective. Reads the positions of a file. Rank 0 reads it and sends pieces to all. Throws FileError on all ranks if the file is
/// invalid. `box`: the box of the run, for files without one.
void read_reference_file(const comm::Context& context, const Input& input,
                         const ReferenceFile& file, const Box& box,
                         const Restraints::TakePlaces& take);

}  // namespace sterna::md
