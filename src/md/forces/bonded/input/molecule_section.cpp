#include "md/input/sections/molecule_section.hpp"

#include "md/forces/bonded/input/inner_of_molecule.hpp"
#include "md/forces/bonded/input/molecule_sections.hpp"
#include "md/input/sections/section.hpp"

namespace sterna::md::section {
namespace {

/// Longest text with a word for each molecule, of which there may be a hundred million.
constexpr std::size_t text_for_each_molecule = 1'000'000'000;

}  // namespace

// It is long because it is a table, with a row for each key of the section.
InputSection molecule() {
  return {
      .schema = {.name = "molecule",
                 .is_array = true,
                 .tables = tables_in<&Input::molecules>(),
                 .description =
                     "A flexible molecule of atoms, whose types are those of `[[type]]`, and how "
                     "many of it there are. The start gives the atoms of one molecule after the "
                     "other, in the order of these sections: their ids count from 1. Every "
                     "particle is an atom of a molecule then, a lone ion one of a molecule of one "
                     "atom. All that follows may stand in a file of its own, as `[[atom]]`, "
                     "`[[bond]]` and so on. Atoms are counted from 1.",
                 .aliases = {"molecules", "flexible", "moleculetype", "moltype", "topology"}},
      .keys =
          {{.name = "name",
            .target = target_in_table<&Input::molecules, &MoleculeSection::name>,
            .description = "Name of the molecule.",
            .need = Need::required,
            .aliases = {"id"}},
           {.name = "count",
            .target = target_in_table<&Input::molecules, &MoleculeSection::count>,
            .description = "How many of these molecules follow each other.",
            .need = Need::required,
            .range = {.minimum = 1.0, .maximum = 1e9},
            .aliases = {"number", "n", "molecules"}},
           {.name = "residue_numbers",
            .target = target_in_table<&Input::molecules, &MoleculeSection::residue_numbers>,
            .description =
                "Numbers of residues, one for each of these molecules, in selections and "
                "in files of other programs: numbers and ranges such as \"21:520 601\". A letter "
                "behind a number, as in \"52 52A 53\", is its insertion code.",
            .default_text = "molecules are counted",
            .longest_text = text_for_each_molecule,
            .aliases = {"residues", "resids", "resid"}},
           {.name = "chains",
            .target = target_in_table<&Input::molecules, &MoleculeSection::chains>,
            .description = "Chain, or segment, of these molecules in files of other programs: the "
                           "name of one, "
                           "or several with numbers of molecules such as \"A:250 B:250\".",
            .default_text = "none",
            .longest_text = text_for_each_molecule,
            .aliases = {"chain", "segment", "segid", "chain_id"}},
           {.name = "file",
            .target = target_in_table<&Input::molecules, &MoleculeSection::file>,
            .description = "A TOML file with the sections of this molecule, `[[atom]]`, `[[bond]]` "
                           "and so on, and the keys below, in the units of the input. Relative to "
                           "the folder of the input file.",
            .default_text = "the sections that follow",
            .names_file = true,
            .aliases = {"topology", "include"}},
           {.name = "excluded_bonds",
            .target = target_in_table<&Input::molecules, &MoleculeSection::excluded_bonds>,
            .description =
                "Atoms that are at most so many bonds apart do not interact as particles "
                "of their types do; -1: all do but those of `[[molecule.exclusion]]`, a "
                "virtual site with what it is made of, too.",
            .range = {.minimum = -1.0, .maximum = 8.0},
            .aliases = {"nrexcl", "exclude_bonds"}},
           {.name = "lennard_jones_14",
            .target = target_in_table<&Input::molecules, &MoleculeSection::lennard_jones_14>,
            .description = "Factor of the Lennard-Jones interaction of atoms exactly three bonds "
                           "apart, at any distance, without a shift.",
            .range = {.minimum = 0.0, .maximum = 1.0},
            .aliases = {"fudgeLJ", "fudge_lj", "lj_14"}},
           {.name = "coulomb_14",
            .target = target_in_table<&Input::molecules, &MoleculeSection::coulomb_14>,
            .description = "Factor of the Coulomb interaction of atoms exactly three bonds apart.",
            .range = {.minimum = 0.0, .maximum = 1.0},
            .aliases = {"fudgeQQ", "fudge_qq", "charge_14"}},
           {.name = "constrained_bonds",
            .target = target_in_table<&Input::molecules, &MoleculeSection::constrained_bonds>,
            .description = "Bonds that keep the length `r0`, and have no energy: those of hydrogen "
                           "(atoms lighter than 4.5 u), or all.",
            .aliases = {"constraints", "constrain"}},
           {.name = "hydrogen_mass",
            .target = target_in_table<&Input::molecules, &MoleculeSection::hydrogen_mass>,
            .description =
                "The mass that hydrogen (atoms lighter than 4.5 u) has, at most 4 u. It "
                "is taken from the heavier atom that each hydrogen is bonded to, so that "
                "the mass of the molecule stays as it is. With 3 u or so and "
                "`constrained_bonds`, steps can be twice as long.",
            .default_text = "that of its type",
            .dimension = Dimension::mass,
            .range = positive,
            .aliases = {"hydrogenMass", "hmr", "mass_repartition", "heavy_h"}}},
      .behind = "component.site"};
}

InputSection molecule_atom() {
  return {
      .schema = {.name = "molecule.atom",
                 .is_array = true,
                 .tables = tables_in_molecule<&MoleculeSection::atoms>(),
                 .description = "An atom of the molecule.",
                 .aliases = {"atoms"}},
      .keys = {
          {.name = "type",
           .target = target_in_molecule<&MoleculeSection::atoms, &MoleculeSection::Atom::type>,
           .description =
               "Name of its `[[type]]`, which has the mass and the Lennard-Jones parameters; or of "
               "a `[[component]]`, which is the only atom of its molecule then.",
           .need = Need::required},
          {.name = "name",
           .target = target_in_molecule<&MoleculeSection::atoms, &MoleculeSection::Atom::name>,
           .description = "Name of the atom, for messages and trajectories.",
           .default_text = "that of its type",
           .aliases = {"label"}},
          {.name = "charge",
           .target = target_in_molecule<&MoleculeSection::atoms, &MoleculeSection::Atom::charge>,
           .description = "Electric charge.",
           .default_text = "that of its type",
           .dimension = Dimension::charge,
           .aliases = {"q"}},
          {.name = "residue",
           .target = target_in_molecule<&MoleculeSection::atoms, &MoleculeSection::Atom::residue>,
           .description = "Name of the part of the molecule that the atom is in, such as an amino "
                          "acid: for selections and for files of other programs.",
           .default_text = "that of the molecule",
           .aliases = {"resname", "residue_name"}},
          {.name = "residue_number",
           .target =
               target_in_molecule<&MoleculeSection::atoms, &MoleculeSection::Atom::residue_number>,
           .description = "Number of that part.",
           .default_text = "that of the molecule",
           .range = {.minimum = -1e9, .maximum = 1e9},
           .aliases = {"resid", "resnum", "resi"}},
          {.name = "insertion_code",
           .target =
               target_in_molecule<&MoleculeSection::atoms, &MoleculeSection::Atom::insertion_code>,
           .description = "A letter behind that number, by which PDB files tell residues of one "
                          "number apart.",
           .default_text = "none",
           .aliases = {"icode", "inscode"}},
          {.name = "chain",
           .target = target_in_molecule<&MoleculeSection::atoms, &MoleculeSection::Atom::chain>,
           .description = "Chain, or segment, of the atom, where the molecule is in several.",
           .default_text = "that of the molecule",
           .aliases = {"segment", "segid", "chain_id"}}}};
}

}  // namespace sterna::md::section
