#pragma once

#include <string>

namespace sterna::md {

struct PairPotentialRow;

/// The text of docs/potentials.md: common rules of all pair potentials, and a table of them.
std::string potential_page_markdown();

/// The page of one: formula, source, parameters.
std::string potential_markdown(const PairPotentialRow& row);

}  // namespace sterna::md
