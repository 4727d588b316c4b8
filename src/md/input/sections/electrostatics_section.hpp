#pragma once

#include "md/core/choice.hpp"

namespace sterna::md {

enum class ElectrostaticsKind { none, fmm, ewald };
template <>
inline constexpr auto choice_table<ElectrostaticsKind> =
    std::to_array<Choice<ElectrostaticsKind>>({{"none", ElectrostaticsKind::none},
                                               {"fmm", ElectrostaticsKind::fmm},
                                               {"ewald", ElectrostaticsKind::ewald}});

enum class ElectrostaticsPrecision { automatic, single, mixed, full };
template <>
inline constexpr auto choice_table<ElectrostaticsPrecision> =
    std::to_array<Choice<ElectrostaticsPrecision>>({{"auto", ElectrostaticsPrecision::automatic},
                                                    {"single", ElectrostaticsPrecision::single},
                                                    {"mixed", ElectrostaticsPrecision::mixed},
                                                    {"double", ElectrostaticsPrecision::full}});

/// What lies around the periodic images at infinity; around an open box nothing does.
enum class ElectrostaticsSurroundings { conductor, vacuum, open };
template <>
inline constexpr auto choice_table<ElectrostaticsSurroundings> =
    std::to_array<Choice<ElectrostaticsSurroundings>>(
        {{"conductor", ElectrostaticsSurroundings::conductor},
         {"vacuum", ElectrostaticsSurroundings::vacuum},
         {"open", ElectrostaticsSurroundings::open}});

enum class ElectrostaticsTree { modeled, measured };
template <>
inline constexpr auto choice_table<ElectrostaticsTree> = std::to_array<Choice<ElectrostaticsTree>>(
    {{"modeled", ElectrostaticsTree::modeled}, {"measured", ElectrostaticsTree::measured}});

struct ElectrostaticsSection {  ///< [electrostatics]: charges at any distance
  ElectrostaticsKind kind = ElectrostaticsKind::none;
  double accuracy = 1e-4;  ///< relative root-mean-square error of the forces
  int order = 0;           ///< of the expansions; 0: as the accuracy wants it
  int levels = 0;          ///< of cells; 0: as the cost wants it
  ElectrostaticsTree tree = ElectrostaticsTree::modeled;
  ElectrostaticsPrecision precision = ElectrostaticsPrecision::automatic;
  double smoothing = 0.0;  ///< overlap of the cells, in units of their edges
  ElectrostaticsSurroundings surroundings = ElectrostaticsSurroundings::conductor;

  bool is_used() const { return kind != ElectrostaticsKind::none; }
};

}  // namespace sterna::md
