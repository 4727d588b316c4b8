#pragma once

#include <string>
#include <vector>

#include "md/start/foreign/foreign_input.hpp"
#include "md/start/foreign/modylas/document.hpp"

namespace sterna::md::modylas {

/// Reads a session of MODYLAS 1.1.0: NAME.mddef, which says what to do, with the force field in
/// NAME.mdff and the start in NAME.mdxyz, as an input of Sterna's in units of "real". What the
/// session asks for and Sterna does not do is in the diagnostics, with file, line and column: as
/// warnings where the run is the same without it, as errors where not. Never throws on what the
/// files say.
ForeignInput read_session(const std::string& path, const LoadText& load = load_text);

/// The files of a session beside NAME.mddef: force field, start and lists of held atoms. Some may not
/// be there.
std::vector<std::string> files_of_session(const std::string& path);

}  // namespace sterna::md::modylas
