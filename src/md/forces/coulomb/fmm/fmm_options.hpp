#pragma once

#include "md/core/choice.hpp"

namespace sterna::md {

enum class FmmTree { modeled, measured };
template <>
inline constexpr auto choice_table<FmmTree> = std::to_array<Choice<FmmTree>>(
    {{"modeled", FmmTree::modeled}, {"measured", FmmTree::measured}});

/// The precision that an input asks for.
enum class WantedFmmPrecision { automatic, single, mixed, full };
template <>
inline constexpr auto choice_table<WantedFmmPrecision> =
    std::to_array<Choice<WantedFmmPrecision>>({{"auto", WantedFmmPrecision::automatic},
                                               {"single", WantedFmmPrecision::single},
                                               {"mixed", WantedFmmPrecision::mixed},
                                               {"double", WantedFmmPrecision::full}});

/// The keys of [electrostatics] that only the multipole method has: `input.section<FmmOptions>()`.
struct FmmOptions {
  int order = 0;                    ///< of the expansions; 0: from the accuracy
  int levels = 0;                   ///< of cells; 0: chosen by cost
  FmmTree tree = FmmTree::modeled;  ///< how the number of cells is chosen
  WantedFmmPrecision precision = WantedFmmPrecision::automatic;
  /// Overlap of the cells in units of their edges. If it is 0, forces jump when a molecule changes
  /// its cell.
  double smoothing = 0.0;
};

}  // namespace sterna::md
