#pragma once

#include "md/input/sections/section.hpp"

namespace sterna::md::section {

/// A section inside a [[molecule]]. It may have many tables, such as one for each atom of a
/// protein.
template <auto member>
constexpr Tables tables_in_molecule() {
  return inner_tables_in<&Input::molecules, member>(100'000'000);
}
/// The target for a member of such a table: `target_in_molecule<&MoleculeSection::bonds,
/// &MoleculeSection::Term::atoms>`.
template <auto tables, auto member>
Target target_in_molecule(Input& input, std::size_t n) {
  return target_of(nth_inner<&Input::molecules, tables>(input, n).*member);
}

}  // namespace sterna::md::section
