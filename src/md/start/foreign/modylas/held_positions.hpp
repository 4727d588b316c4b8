#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "md/core/vector.hpp"
#include "md/start/foreign/modylas/document.hpp"

namespace sterna::md::modylas {

struct HeldPosition {
  std::int64_t id;  ///< from 1
  Vec3 position;    ///< angstrom, from the center of the box
};

/// Whether the name is of a file that `read_held_positions` reads.
bool has_held_positions(const std::string& path);

/// The positions at which atoms are held: those in `<coordinate>` of `<position constrain>` in a
/// .mdff file, or those marked 0 in a .posiconst file (or posi_const.dat). Throws DocumentError or,
/// if the file cannot be read, std::runtime_error.
std::vector<HeldPosition> read_held_positions(const std::string& path,
                                              const LoadText& load = load_text);

}  // namespace sterna::md::modylas
