#pragma once

#include <string>

#include "md/input/input.hpp"

namespace sterna::md {

/// The library of published models for a terminal: names, descriptions, citations.
std::string model_list();
/// The same as docs/models.md.
std::string model_list_markdown();
/// The same for programs: an array of name, substance, description, mass (u), critical temperature
/// (K) and density (1/nm^3), citation, bibtex, largest sigma and epsilon/k (nm, K), sites (kind
/// and what it has, in nm, u, kJ/mol, e), and whether it is a single Lennard-Jones site.
std::string model_list_json();

/// "model spce: Berendsen, ..." for each published model of the input and "potential: Tersoff, ..."
/// for its parameters of Tersoff's potential, a line each.
std::string citation_lines(const Input& input);
/// Their BibTeX entries, each once; empty where there is none.
std::string bibliography(const Input& input);

}  // namespace sterna::md
