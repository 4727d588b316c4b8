#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "md/input/input.hpp"
#include "md/system/topology.hpp"

namespace sterna::md {

/// The residue numbers of molecules that are one residue each, from a text such as "21:520 601" or,
/// with insertion codes, "52 52A 53". Empty if there is no text. Throws std::invalid_argument with
/// the mistake.
std::vector<Topology::Numbers> residue_numbers_of(const Input::Molecule& molecule);

/// The letter behind a molecule's residue number, by which PDB files distinguish residues with the
/// same number.
struct InsertionCode {
  std::int64_t molecule;  ///< index among molecules of its kind
  char code;
};
/// The insertion codes in the same text, "52 52A 53", in the order of molecules. Throws
/// std::invalid_argument with the mistake.
std::vector<InsertionCode> insertion_codes_of(const Input::Molecule& molecule);
/// Whether a text is one letter.
bool is_insertion_code(std::string_view text);

/// Consecutive molecules in one chain, or segment.
struct ChainOfMolecules {
  std::string name;
  std::int64_t count;
};
/// The chains in a text such as "A:250 B:250", or "A" for all. Empty if there is no text. Throws
/// std::invalid_argument with the mistake.
std::vector<ChainOfMolecules> chains_of(const Input::Molecule& molecule);

/// The residue number of an atom; nothing if the molecule's number is used instead.
std::optional<std::int64_t> residue_number_of(const Input::MoleculeAtom& atom);
/// The insertion code of an atom; 0 if it has none.
char insertion_code_of(const Input::MoleculeAtom& atom);

}  // namespace sterna::md
