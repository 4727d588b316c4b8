#include "md/forces/coulomb/ewald_charge_solver.hpp"
#include "md/forces/coulomb/input/charge_solver_row.hpp"

namespace sterna::md {
namespace {

std::unique_ptr<ChargeSolver> make_ewald(const ChargeSolverRequest& request, const Input&) {
  return std::make_unique<EwaldChargeSolver>(request);
}

}  // namespace

ChargeSolverRow charge_solver::ewald() {
  return {.name = "ewald",
          .sentence =
              "the same by Ewald sums over all pairs and waves, for which each rank holds "
              "all charges: a reference for up to some thousand charges.",
          .not_in_open_box = "Ewald sums are over periodic images",
          .make = make_ewald};
}

}  // namespace sterna::md
