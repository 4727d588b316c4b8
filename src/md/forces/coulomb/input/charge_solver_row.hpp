#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "md/core/registry.hpp"
#include "md/forces/coulomb/charge_solver.hpp"
#include "md/input/check_input.hpp"
#include "md/input/input_schema.hpp"

namespace sterna::md {

/// A kind of solver of charges, declared in one file. The keys that only some kinds have stand in a
/// struct, which an input keeps as `section<Options>()`.
struct ChargeSolverRow {
  std::string_view name;      ///< kind = "..." in [electrostatics]
  std::string_view sentence;  ///< for the reference page: what it does, and when to use it
  /// The reason why it cannot have a box without images (surroundings = "open"); empty: it can.
  std::string_view not_in_open_box = {};
  /// Whether its forces have a slow part, which multiple time steps leave out in some steps.
  bool has_slow_part = false;
  std::vector<KeySchema> keys = {};  ///< the kind's own, without `section` and `condition`
  /// What no key can tell alone, where the input has this kind; may be null.
  void (*check)(const Input& input, const IsGood& is_good, const Report& report) = nullptr;
  /// What the box must be like; null: any box is good.
  void (*check_in_box)(const Input& input, const Box& box, const Report& report) = nullptr;
  std::unique_ptr<ChargeSolver> (*make)(const ChargeSolverRequest& request,
                                        const Input& input) = nullptr;
};

/// The rows, each defined in the solver's own file.
namespace charge_solver {
#define STERNA_CHARGE_SOLVER(name) ChargeSolverRow name();
#include "md/forces/coulomb/input/charge_solver_list.inc"
#undef STERNA_CHARGE_SOLVER
}  // namespace charge_solver

/// All of them, in the order of the reference page.
const Registry<ChargeSolverRow>& charge_solver_table();

/// The solver that the input asks for; null where charges end at a cutoff, or there are none.
const ChargeSolverRow* charge_solver_of(const Input& input);
/// The names of all of them as a text, `"a" or "b"`.
std::string charge_solver_names();

}  // namespace sterna::md
