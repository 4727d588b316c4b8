#pragma once

#include <string>

#include "md/input/input.hpp"

namespace sterna::md {

/// The library of published models as a text for a terminal: names, descriptions, citations.
std::string model_list();
/// The library as docs/models.md.
std::string model_list_markdown();
/// The library as JSON, an array of models. Each has name, substance, description, citation and
/// bibtex; mass (u), critical temperature (K) and density (1/nm^3); largest sigma and epsilon/k (nm,
/// K). It also has its sites (kind and parameters, in nm, u, kJ/mol, e) and says whether it is a
/// single Lennard-Jones site.
std::string model_list_json();

/// A line "model spce: Berendsen, ..." for each published model of the input, and "potential:
/// Tersoff, ..." for its parameters of Tersoff's potential.
std::string citation_lines(const Input& input);
/// The BibTeX entries of the same publications, each once; empty if there are none.
std::string bibliography(const Input& input);

}  // namespace sterna::md
