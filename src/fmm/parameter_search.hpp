#pragma once

#include <optional>
#include <vector>

#include "fmm/distribution.hpp"
#include "md/forces/coulomb/fmm/fmm_parameters.hpp"
#include "sterna/fmm.hpp"

namespace sterna::fmm {

inline constexpr const char* coinciding =
    "a potential is infinite: two charges lie in one place, or nearly so";

/// Finds the parameters with which charges have the accuracy that is wanted, by errors measured against
/// expansions of a higher order.
class ParameterSearch {
 public:
  /// `count`: of charges on all ranks. The arguments outlive the search.
  ParameterSearch(const comm::Context& context, const md::Decomposition& decomposition,
                  const Distribution& particles, const Options& options, bool periodic,
                  double count);

  struct Found {
    md::FmmParameters parameters;
    Errors errors;
  };
  /// Collective. Throws comm::Error if the accuracy cannot be had, or if two charges coincide.
  Found run() const;

 private:
  struct Solution {
    double energy = 0.0;  ///< of the charges of this rank
    std::vector<double> potentials;
    std::vector<md::Vec3> fields;
  };
  struct Reference {
    md::FmmParameters parameters;
    Solution solution;
  };

  md::FmmParameters tree_for(double field_accuracy) const;
  /// The number of evenly spread charges for which a tree costs least that suits these charges.
  double count_for_tree() const;
  Solution solve(const md::FmmParameters& parameters) const;
  Errors measured(const md::FmmParameters& trial, std::optional<Reference>& reference) const;
  Errors difference(const Solution& a, const Solution& b, double factor) const;
  double error_of(const Errors& errors) const;

  const comm::Context& context_;
  const md::Decomposition& decomposition_;
  const Distribution& particles_;
  const Options& options_;
  bool periodic_;
  double count_;
};

}  // namespace sterna::fmm
