#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

namespace sterna::md {

class Topology;

/// Values of parameters of force terms, by name: "pull.center". They are in internal units.
using StateParameters = std::map<std::string, double, std::less<>>;

/// What a `ForceTerm` is besides, if its potential has parameters that states of a run may set.
/// Functions are called on all ranks alike.
class HasStateParameters {
 public:
  virtual ~HasStateParameters() = default;

  /// The parameters and their present values.
  virtual StateParameters state_parameters() const = 0;
  /// Sets some of them. Forces follow in the next computation.
  virtual void set_state_parameters(const StateParameters& values) = 0;
  /// Collective. The energies that the system would have at the positions of its last forces with
  /// each of these sets of parameters, summed over the ranks, but for a number that is the same for
  /// all sets. A parameter that a set lacks keeps its value. Equal sets have equal bits, so that
  /// equal states always exchange.
  virtual std::vector<double> energies_with(std::span<const StateParameters> sets) = 0;
  /// The derivatives of the potential energy by those parameters for which the term computes them,
  /// at the last call of `energies_with`.
  virtual StateParameters derivatives() const { return {}; }
  /// Gives atoms of the run's topology the charges that they have with the present parameters.
  virtual void set_charges(Topology&) const {}
};

}  // namespace sterna::md
