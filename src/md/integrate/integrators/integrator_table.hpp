#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "md/input/input.hpp"
#include "md/input/integrator_row.hpp"
#include "md/integrate/integrators/integrator.hpp"
#include "md/integrate/rigid_rotor.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// The arguments from which an integrator is made.
struct IntegratorRequest {
  const comm::Context& context;
  const Input& input;
  std::span<const double> masses;   ///< by type; infinite for a frozen type
  std::optional<RigidRotor> rotor;  ///< only if particles rotate
  std::span<const double> radii;    ///< of gyration, by type; 0: the type does not rotate
  double size = 1.0;                ///< the smallest size of a particle
  double energy = 1.0;              ///< the largest energy of a pair; 0: no pair forces
};

/// The rows, each defined in the integrator's own file.
namespace integrator {
#define STERNA_INTEGRATOR(name) IntegratorRow name();
#include "md/integrate/integrators/integrator_list.inc"
#undef STERNA_INTEGRATOR
}  // namespace integrator

/// All of them, in the order of the reference page.
const Registry<IntegratorRow>& integrator_table();

/// The usual way to make one: `Kind` has a constructor that takes the request.
template <class Kind>
std::unique_ptr<Integrator> make_integrator(const IntegratorRequest& request) {
  return made_from<Kind, Integrator>(request);
}

/// The integrator that the input names.
std::unique_ptr<Integrator> make_integrator(const IntegratorRequest& request);

}  // namespace sterna::md
