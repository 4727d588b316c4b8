#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "md/input/input.hpp"
#include "md/system/topology.hpp"

namespace sterna::md {

/// The residues' numbers of molecules that are a residue each, from a text such as "21:520 601" or,
/// with insertion codes, "52 52A 53". None where there is no text. Throws std::invalid_argument,
/// with what is wrong.
std::vector<Topology::Numbers> residue_numbers_of(const Input::Molecule& molecule);

/// The letter behind the number of a molecule's residue, by which PDB files tell residues of one
/// number apart.
struct InsertionCode {
  std::int64_t molecule;  ///< of its kind, from 0
  char code;
};
/// From the same text, where a number has one: "52 52A 53". In the order of molecules. Throws
/// std::invalid_argument, with what is wrong.
std::vector<InsertionCode> insertion_codes_of(const Input::Molecule& molecule);
/// Whether a text is one letter.
bool is_insertion_code(std::string_view text);

/// Molecules that follow each other in one chain, or segment.
struct ChainOfMolecules {
  std::string name;
  std::int64_t count;
};
/// From a text such as "A:250 B:250", or "A" for all. None where there is no text. Throws
/// std::invalid_argument, with what is wrong.
std::vector<ChainOfMolecules> chains_of(const Input::Molecule& molecule);

/// Nothing where the molecule's number counts.
std::optional<std::int64_t> residue_number_of(const Input::MoleculeAtom& atom);
/// 0 where it has none.
char insertion_code_of(const Input::MoleculeAtom& atom);

}  // namespace sterna::md
