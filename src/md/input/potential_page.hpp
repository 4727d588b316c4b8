#pragma once

#include <string>

namespace sterna::md {

struct PairPotentialRow;

/// docs/potentials.md: what all pair potentials have in common, and a table of them.
std::string potential_page_markdown();

/// The page of one: formula, source, parameters.
std::string potential_markdown(const PairPotentialRow& row);

}  // namespace sterna::md
