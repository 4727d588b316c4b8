#pragma once

#include <string>
#include <vector>

#include "md/input/read_input.hpp"
#include "md/start/foreign/ls1/xml_document.hpp"

namespace sterna::md::ls1 {

/// Reads ls1-MarDyn's config.xml with all included files as an input of Sterna, in reduced units,
/// in which ls1's numbers stay unchanged. Features that Sterna lacks are in the diagnostics, with
/// file, line and column: as warnings if the run is the same without them, otherwise as errors.
/// Never throws because of the content of the files.
///
/// The rules of ls1 (HEAD 1c9a9d598) that determine its numbers are kept. The cutoff is that of
/// centers of mass. The Lennard-Jones energy between unlike components is always shifted, and the
/// correction beyond the cutoff leaves it out. This correction and the velocity-scaling thermostat
/// are on unless the file says otherwise. Dipoles have a reaction field.
ReadResult read_config(const std::string& path, const LoadText& load = load_text);

/// The files that a config.xml includes and the files of its start, with the phase spaces of its
/// generator and the files that their headers include. Never throws because of the content of the
/// files.
std::vector<std::string> files_of_config(const std::string& path);

}  // namespace sterna::md::ls1
