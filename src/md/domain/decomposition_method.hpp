#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "md/core/registry.hpp"
#include "md/domain/cut_tree.hpp"
#include "md/domain/decomposition.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// What a decomposition is made from. Only `points`, `weights` differ from rank to rank.
struct DecompositionRequest {
  Box box;
  std::array<int, 3> grid{0, 0, 0};  ///< ranks per axis, 0: chosen; for "grid"
  /// No region is narrower than this, in unsheared coordinates, where that can be: a part that is
  /// cut along an axis where it is too short for that may have parts down to half of an equal
  /// share. (The halo serves regions of any width; narrow ones exchange with more others.)
  double least_width = 0.0;
  /// Unsheared coordinates of this rank's particles, wrapped into the box, and what each costs, in
  /// any unit: those who weigh share them out evenly.
  std::span<const Vec3> points;
  std::span<const double> weights;
  /// The regions until now; where they were made by the same method, a plane moves by at most
  /// `largest_shift` of the narrower of the two parts that it lies between.
  const Decomposition* previous = nullptr;
  double largest_shift = 0.5;
};

/// One row of the table of decompositions.
struct DecompositionRow {
  std::string_view name;
  std::string_view description;
  bool weighs;  ///< whether it looks at points and weights
  /// Collective; the same on all ranks. Throws std::invalid_argument where the request cannot be
  /// served.
  std::unique_ptr<Decomposition> (*make)(const comm::Context& context,
                                         const DecompositionRequest& request);
};

const Registry<DecompositionRow>& decomposition_methods();
/// Throws std::invalid_argument that tells the nearest name where there is no such method.
const DecompositionRow& decomposition_method(std::string_view name);

/// Collective: the weight that each rank would have in these regions, the same on all ranks.
std::vector<double> loads(const comm::Context& context, const Decomposition& decomposition,
                          std::span<const Vec3> points, std::span<const double> weights);

/// For the methods: moves ideal planes so that they keep the least width and, where `previous` are
/// the planes until now, the largest shift.
std::vector<double> fit_planes(std::vector<double> ideal, double lower, double upper,
                               const DecompositionRequest& request,
                               const std::vector<double>* previous);

}  // namespace sterna::md
