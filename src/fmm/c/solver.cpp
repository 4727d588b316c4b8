#include <memory>
#include <span>
#include <string>

#include "comm/c/call.hpp"
#include "sterna/fmm.h"
#include "sterna/fmm.hpp"

namespace sterna::fmm::c {
namespace {

using comm::c::HandleTable;
using comm::c::require;

struct SolverObject {
  static constexpr const char* kind = "solver of the multipole method";
  static HandleTable<SolverObject>& table();

  comm::Context context;
  Solver solver;
  std::string description = {};
};

HandleTable<SolverObject>& SolverObject::table() {
  // The tables of sterna::comm have the numbers 1 to 6.
  static auto* const solvers = new HandleTable<SolverObject>(16);
  return *solvers;
}

Edges edges_at(const double* numbers) {
  Edges edges;
  for (std::size_t k = 0; k < 9; ++k) edges[k / 3][k % 3] = numbers[k];
  return edges;
}

Options options_of(const sterna_fmm_options* given) {
  Options options;
  if (given == nullptr) return options;
  if (given->accuracy != 0.0) options.accuracy = given->accuracy;
  if (given->tolerance < STERNA_FMM_FIELD || given->tolerance > STERNA_FMM_ABSOLUTE_ENERGY) {
    throw comm::Error("the tolerance is " + std::to_string(given->tolerance) +
                      ", expected one of STERNA_FMM_FIELD to STERNA_FMM_ABSOLUTE_ENERGY");
  }
  if (given->surroundings != STERNA_FMM_CONDUCTOR && given->surroundings != STERNA_FMM_VACUUM) {
    throw comm::Error("the surroundings are " + std::to_string(given->surroundings) +
                      ", expected STERNA_FMM_CONDUCTOR or STERNA_FMM_VACUUM");
  }
  options.tolerance = static_cast<Tolerance>(given->tolerance);
  options.surroundings = static_cast<Surroundings>(given->surroundings);
  options.order = given->order;
  return options;
}

/// An array of so many numbers; none if there is no array, which is then an error of the library's on
/// all ranks.
template <class Number>
std::span<Number> array(Number* numbers, std::size_t count) {
  return {numbers, numbers == nullptr ? 0 : count};
}

struct Particles {
  std::span<const double> positions, charges;
};

/// The particles of this rank. Where both arrays are missing, they must not look like no particles.
Particles particles_of(std::size_t count, const double* positions, const double* charges) {
  static constexpr double one[] = {1.0};
  if (count > 0 && charges == nullptr) return {{}, one};
  return {array(positions, 3 * count), array(charges, count)};
}

}  // namespace
}  // namespace sterna::fmm::c

using namespace sterna;
using namespace sterna::fmm::c;

int sterna_fmm_create(sterna_context context, const double* edges,
                      const sterna_fmm_options* options, sterna_fmm_solver* solver) {
  return comm::c::call_on<comm::c::ContextObject>(context.id, [&](auto& owner) {
    comm::c::check_on_all(owner.context, "multipole method", [&] { require(solver, "solver"); });
    const fmm::Options wanted = options_of(options);
    fmm::Solver made = edges == nullptr ? fmm::Solver(owner.context, wanted)
                                        : fmm::Solver(owner.context, edges_at(edges), wanted);
    solver->id = SolverObject::table().add(
        std::make_unique<SolverObject>(SolverObject{owner.context, std::move(made)}));
  });
}

int sterna_fmm_destroy(sterna_fmm_solver* solver) {
  return comm::c::destroy<SolverObject>(solver);
}

int sterna_fmm_set_box(sterna_fmm_solver solver, const double* edges) {
  return comm::c::call_on<SolverObject>(solver.id, [&](SolverObject& object) {
    require(edges, "edges");
    object.solver.set_box(edges_at(edges));
  });
}

int sterna_fmm_tune(sterna_fmm_solver solver, size_t count, const double* positions,
                    const double* charges) {
  return comm::c::call_on<SolverObject>(solver.id, [&](SolverObject& object) {
    const Particles given = particles_of(count, positions, charges);
    object.solver.tune(given.positions, given.charges);
  });
}

int sterna_fmm_compute(sterna_fmm_solver solver, size_t count, const double* positions,
                       const double* charges, double* potentials, double* fields, double* energy,
                       double* virial) {
  return comm::c::call_on<SolverObject>(solver.id, [&](SolverObject& object) {
    const Particles given = particles_of(count, positions, charges);
    const fmm::Sums sums =
        object.solver.compute(given.positions, given.charges, array(potentials, count),
                              array(fields, 3 * count), virial != nullptr);
    if (energy != nullptr) *energy = sums.energy;
    for (std::size_t k = 0; virial != nullptr && k < 9; ++k) virial[k] = sums.virial[k];
  });
}

int sterna_fmm_get_errors(sterna_fmm_solver solver, sterna_fmm_errors* errors) {
  return comm::c::call_on<SolverObject>(solver.id, [&](SolverObject& object) {
    require(errors, "errors");
    const fmm::Errors& found = object.solver.errors();
    *errors = {found.field,          found.potential,          found.energy,
               found.absolute_field, found.absolute_potential, found.absolute_energy};
  });
}

int sterna_fmm_description(sterna_fmm_solver solver, const char** description) {
  return comm::c::call_on<SolverObject>(solver.id, [&](SolverObject& object) {
    require(description, "description");
    object.description = object.solver.description();
    *description = object.description.c_str();
  });
}
