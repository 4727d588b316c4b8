#pragma once

#include "md/input/input_schema.hpp"

// [[molecule]] and the sections inside it, in the order of the reference page.
namespace sterna::md::section {

InputSection molecule();
InputSection molecule_atom();
InputSection molecule_bond();
InputSection molecule_angle();
InputSection molecule_torsion();
InputSection molecule_improper();
InputSection molecule_cmap();
InputSection molecule_special_pair();
InputSection molecule_exclusion();
InputSection molecule_constraint();
InputSection molecule_virtual_site();

}  // namespace sterna::md::section
