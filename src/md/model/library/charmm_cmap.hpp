#pragma once

#include <span>

namespace sterna::md {

/// The number of kinds of CHARMM's dihedral correction: general (alanine), general before proline,
/// proline, proline before proline, glycine, glycine before proline.
constexpr int charmm_cmap_kinds = 6;

/// Energies of the correction in kcal/mol, as [[molecule.cmap]] takes them: 24 rows of 24 numbers,
/// in steps of 15 degrees from -180. A row has one phi and all psi.
///
/// `version` 22: A. D. MacKerell Jr., M. Feig and C. L. Brooks III, J. Comput. Chem. 25, 1400
/// (2004); 36: R. B. Best et al., J. Chem. Theory Comput. 8, 3257 (2012). `kind` counts from 1.
/// Empty if there is no such table.
std::span<const double> charmm_cmap(int version, int kind);

}  // namespace sterna::md
