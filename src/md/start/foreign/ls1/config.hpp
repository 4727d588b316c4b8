#pragma once

#include <string>
#include <vector>

#include "md/input/read_input.hpp"
#include "md/start/foreign/ls1/xml_document.hpp"

namespace sterna::md::ls1 {

/// Reads ls1-MarDyn's config.xml with all the files that it includes, as an input of Sterna's: in
/// reduced units, in which ls1's numbers stand as they are. What the file asks for and Sterna does
/// not do is in the diagnostics, with file, line and column: as warnings where the run is the same
/// without it, as errors where not. Never throws on what the files say.
///
/// The rules of ls1 (HEAD 1c9a9d598) that make its numbers are kept: cutoff by centers of mass, the
/// Lennard-Jones energy between unlike components always shifted and then left out of the
/// correction beyond the cutoff, that correction and the velocity-scaling thermostat on unless the
/// file says otherwise, reaction field between dipoles.
ReadResult read_config(const std::string& path, const LoadText& load = load_text);

/// The files that a config.xml includes, and those of its start, with the phase spaces of its
/// generator and what their headers include. Never throws on what the files say.
std::vector<std::string> files_of_config(const std::string& path);

}  // namespace sterna::md::ls1
