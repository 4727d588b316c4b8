#include "md/forces/coulomb/input/charge_solver_row.hpp"

namespace sterna::md {

const Registry<ChargeSolverRow>& charge_solver_table() {
  static const Registry<ChargeSolverRow> table("solver of charges", {
#define STERNA_CHARGE_SOLVER(name) charge_solver::name(),
#include "md/forces/coulomb/input/charge_solver_list.inc"
#undef STERNA_CHARGE_SOLVER
                                                                    });
  return table;
}

const ChargeSolverRow* charge_solver_of(const Input& input) {
  return charge_solver_table().find(input.electrostatics.kind);
}

std::string charge_solver_names() {
  return choice_list(charge_solver_table().names());
}

}  // namespace sterna::md
