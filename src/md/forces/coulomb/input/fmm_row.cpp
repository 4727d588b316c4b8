#include <fmt/format.h>

#include <algorithm>

#include "md/forces/coulomb/fmm/fmm_charge_solver.hpp"
#include "md/forces/coulomb/input/charge_solver_row.hpp"

namespace sterna::md {
namespace {

std::vector<KeySchema> keys_of_fmm() {
  return {{.name = "order",
           .target = option<&FmmOptions::order>,
           .description = "Highest degree of the expansions, 2 to 32, in place of the one that the "
                          "accuracy wants.",
           .default_text = "as the accuracy wants it",
           .range = {.minimum = 2, .maximum = 32},
           .aliases = {"nmax", "p", "degree", "multipole_order"}},
          {.name = "levels",
           .target = option<&FmmOptions::levels>,
           .description =
               "Levels of cells, in place of those that cost least by a model of this number of "
               "ranks. More of them send less: cells below the top need their neighbors only.",
           .default_text = "as the cost wants it",
           .range = {.minimum = 1, .maximum = 13},
           .aliases = {"depth", "tree_depth", "nlevels"}},
          {.name = "tree",
           .target = option<&FmmOptions::tree>,
           .description =
               "How the number of cells is chosen. \"modeled\": as it costs least by a model of "
               "this number of ranks, so that a run has the same digits each time. \"measured\": "
               "up to six trees are timed at the start, on all ranks, and the fastest is taken; "
               "another run may take another one, but one that is resumed keeps it.",
           .aliases = {"tuning", "tune", "tunepme"}},
          {.name = "precision",
           .target = option<&FmmOptions::precision>,
           .description = "\"mixed\": the charges nearby in single precision, expansions in "
                          "double. \"auto\": as the accuracy wants it."},
          {.name = "smoothing",
           .target = option<&FmmOptions::smoothing>,
           .description = "How far the cells of the multipole method overlap, in units of their "
                          "edges. 0: the energy jumps, by the size of the error, where a molecule "
                          "changes its cell. Otherwise molecules pass smoothly from cell to cell "
                          "and forces are the exact derivative of the energy, which then drifts "
                          "far less at low accuracy; 0.05 costs about half as much again.",
           .range = {.minimum = 0.0, .maximum = 0.5},
           .aliases = {"overlap", "regularization", "regularisation"}}};
}

void check_fmm(const Input& input, const IsGood& is_good, const Report& report) {
  if (input.neighbor.buffer == NeighborBuffer::tolerance && is_good("neighbor.buffer") &&
      input.section<FmmOptions>().smoothing > 0.0 && is_good("electrostatics.smoothing")) {
    report(Severity::error, "electrostatics.smoothing",
           "cells that overlap hold molecules within a skin that buffer = \"tolerance\" does not "
           "keep; expected smoothing = 0, or buffer = \"exact\"");
  }
}

/// Whether the expansions converge in this box.
void check_fmm_in_box(const Input& input, const Box& box, const Report& report) {
  if (box.tilt.none()) return;
  const Lattice lattice = Lattice::of(box);
  FmmParameters tree = FmmParameters::even_tree(
      lattice, input.electrostatics.surroundings != ElectrostaticsSurroundings::open);
  const bool plain_converges = tree.separation(lattice) >= FmmParameters::least_separation;
  const FmmOptions& options = input.section<FmmOptions>();
  tree.levels = std::max(0, options.levels - 1);
  tree.overlap = options.smoothing;
  const double separation = tree.separation(lattice);
  if (separation >= FmmParameters::least_separation) return;
  const std::string others = choice_list(charge_solver_table().names_that(
      [](const ChargeSolverRow& row) { return row.check_in_box == nullptr; }));
  report(Severity::error, "electrostatics.kind",
         fmt::format("the box leans so much that the expansions of the multipole method do not "
                     "converge: cells that are not neighbors come as near as {:.2f} of their "
                     "diameter, {:.2f} is needed. {}, or use kind = {}",
                     separation, FmmParameters::least_separation,
                     plain_converges ? "Leave out levels and smoothing"
                                     : "Give the same lattice edges that are nearer to right "
                                       "angles",
                     others));
}

std::unique_ptr<ChargeSolver> make_fmm(const ChargeSolverRequest& request, const Input& input) {
  return std::make_unique<FmmChargeSolver>(request, input.section<FmmOptions>(),
                                           input.communication.fmm);
}

}  // namespace

ChargeSolverRow charge_solver::fmm() {
  return {.name = "fmm",
          .sentence =
              "charges act on each other and on all periodic images, by the fast multipole "
              "method; charges of one molecule do not act on each other.",
          .has_slow_part = true,
          .keys = keys_of_fmm(),
          .check = check_fmm,
          .check_in_box = check_fmm_in_box,
          .make = make_fmm};
}

}  // namespace sterna::md
