#include "md/forces/bonded/input/flexible_molecules_physics.hpp"

#include "md/forces/bonded/input/check_molecule.hpp"
#include "md/forces/bonded/input/check_molecules.hpp"
#include "md/forces/bonded/input/molecule_sections.hpp"

namespace sterna::md {
namespace {

void check_the_molecule(Input& input, const IsGood& is_good, const Report& report) {
  check_molecule(input, 0, is_good, report);
}

}  // namespace

PhysicsRow physics::flexible_molecules() {
  return {.name = "flexible molecules",
          .sentence = "molecules of atoms with bonds, angles, torsions, constraints and exclusions",
          .sections = {section::molecule, section::molecule_atom, section::molecule_bond,
                       section::molecule_angle, section::molecule_torsion,
                       section::molecule_improper, section::molecule_cmap,
                       section::molecule_special_pair, section::molecule_exclusion,
                       section::molecule_constraint, section::molecule_virtual_site},
          .check = check_molecules,
          .check_molecule_file = check_the_molecule};
}

}  // namespace sterna::md
