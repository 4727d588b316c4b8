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

/// The input of a decomposition. Only `points` and `weights` differ between ranks.
struct DecompositionRequest {
  Box box;
  std::array<int, 3> grid{0, 0, 0};  ///< for "grid": ranks per axis; 0: chosen
  /// The smallest width of a region in unsheared coordinates, as far as possible. If a part is too
  /// short for it along the axis that it is cut along, its parts may be as narrow as half of an
  /// equal share. (The halo supports regions of any width, but narrow ones have more neighbors.)
  double least_width = 0.0;
  /// Unsheared coordinates of this rank's particles, wrapped into the box, and the cost of each, in
  /// any unit. Methods with `weighs` give each rank an equal share of the cost.
  std::span<const Vec3> points;
  std::span<const double> weights;
  /// The present regions. If the same method made them, a plane moves by at most `largest_shift`
  /// times the width of the narrower of its two adjacent parts.
  const Decomposition* previous = nullptr;
  double largest_shift = 0.5;
};

/// One row of the table of decompositions.
struct DecompositionRow {
  std::string_view name;
  std::string_view description;
  bool weighs;  ///< whether it uses points and weights
  /// Collective; the result is the same on all ranks. Throws std::invalid_argument if the request
  /// cannot be met.
  std::unique_ptr<Decomposition> (*make)(const comm::Context& context,
                                         const DecompositionRequest& request);
};

const Registry<DecompositionRow>& decomposition_methods();
/// Throws std::invalid_argument that tells the nearest name where there is no such method.
const DecompositionRow& decomposition_method(std::string_view name);

/// Collective. The total weight that each rank would have in these regions, equal on all ranks.
std::vector<double> loads(const comm::Context& context, const Decomposition& decomposition,
                          std::span<const Vec3> points, std::span<const double> weights);

/// For methods: moves the ideal planes so that parts keep the least width and planes, if `previous`
/// gives their present positions, the largest shift.
std::vector<double> fit_planes(std::vector<double> ideal, double lower, double upper,
                               const DecompositionRequest& request,
                               const std::vector<double>* previous);

}  // namespace sterna::md
