#pragma once

#include "md/input/sections/section.hpp"

namespace sterna::md::section {

/// What stands in a [[molecule]] may be long: all atoms of a protein.
template <auto member>
constexpr Tables tables_in_molecule() {
  return inner_tables_in<&Input::molecules, member>(100'000'000);
}
/// The member of one of these: `target_in_molecule<&MoleculeSection::bonds,
/// &MoleculeSection::Term::atoms>`.
template <auto tables, auto member>
Target target_in_molecule(Input& input, std::size_t n) {
  return target_of(nth_inner<&Input::molecules, tables>(input, n).*member);
}

}  // namespace sterna::md::section
