#pragma once

#include <string>
#include <vector>

#include "md/start/foreign/foreign_input.hpp"
#include "md/start/foreign/modylas/document.hpp"

namespace sterna::md::modylas {

/// Reads a session of MODYLAS 1.1.0 as an input of Sterna in units of "real": NAME.mddef with the
/// definition of the run, NAME.mdff with the force field, and NAME.mdxyz with the start. Features
/// that Sterna lacks are in the diagnostics, with file, line and column: as warnings if the run is
/// the same without them, otherwise as errors. Never throws because of the content of the files.
ForeignInput read_session(const std::string& path, const LoadText& load = load_text);

/// The files of a session beside NAME.mddef: force field, start and lists of held atoms. Some may
/// not exist.
std::vector<std::string> files_of_session(const std::string& path);

}  // namespace sterna::md::modylas
