#pragma once

#include "md/start/foreign/foreign_draft.hpp"
#include "md/start/foreign/modylas/position_constrain.hpp"
#include "md/start/foreign/modylas/values.hpp"

namespace sterna::md::modylas {

/// What the run's definition must know of a force field.
struct ForceFieldFacts {
  bool has_charges = false;
  bool tail_mixes_arithmetically = false;  ///< although pairs do not
};

/// Takes the particle types, molecules and mixing rule of a .mdff file into the draft, in its
/// numbers: angstrom, kcal/mol, u, e, degrees. `values` are those of that file. What 1-4 pairs are
/// divided by may stand in the run's definition: `divide_lj`, `divide_coulomb`. Atoms that are held
/// are told to `held`, which may know of some from a file of their own.
ForceFieldFacts read_force_field(Values& values, std::optional<double> divide_lj,
                                 std::optional<double> divide_coulomb, PositionConstrain& held,
                                 ForeignDraft& draft);

}  // namespace sterna::md::modylas
