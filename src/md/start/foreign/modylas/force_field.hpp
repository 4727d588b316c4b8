#pragma once

#include "md/start/foreign/foreign_draft.hpp"
#include "md/start/foreign/modylas/position_constrain.hpp"
#include "md/start/foreign/modylas/values.hpp"

namespace sterna::md::modylas {

/// Properties of a force field that the definition of the run depends on.
struct ForceFieldFacts {
  bool has_charges = false;
  bool tail_mixes_arithmetically = false;  ///< although pairs mix differently
};

/// Takes particle types, molecules and mixing rule of a .mdff file into the draft, in its units:
/// angstrom, kcal/mol, u, e, degrees. `values`: of that file. `divide_lj`, `divide_coulomb`: the
/// divisors of 1-4 pairs, if the definition of the run has them. `held` is told of held atoms, and
/// may know more of them from a file of their own.
ForceFieldFacts read_force_field(Values& values, std::optional<double> divide_lj,
                                 std::optional<double> divide_coulomb, PositionConstrain& held,
                                 ForeignDraft& draft);

}  // namespace sterna::md::modylas
