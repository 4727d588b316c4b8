#pragma once

#include "md/core/choice.hpp"

namespace sterna::md {

enum class ElectrostaticsKind {
  none,
  fmm,
  ewald,
  reaction_field,
  damped_shifted_force,
  wolf,
  screened,
  cutoff
};
template <>
inline constexpr auto choice_table<ElectrostaticsKind> = std::to_array<Choice<ElectrostaticsKind>>(
    {{"none", ElectrostaticsKind::none},
     {"fmm", ElectrostaticsKind::fmm},
     {"ewald", ElectrostaticsKind::ewald},
     {"reaction_field", ElectrostaticsKind::reaction_field},
     {"damped_shifted_force", ElectrostaticsKind::damped_shifted_force},
     {"wolf", ElectrostaticsKind::wolf},
     {"screened", ElectrostaticsKind::screened},
     {"cutoff", ElectrostaticsKind::cutoff}});

/// How the energy of two charges ends.
enum class ElectrostaticsTruncation { shifted, truncated, force_shifted, cubic_force_switched };
template <>
inline constexpr auto choice_table<ElectrostaticsTruncation> =
    std::to_array<Choice<ElectrostaticsTruncation>>(
        {{"shifted", ElectrostaticsTruncation::shifted},
         {"truncated", ElectrostaticsTruncation::truncated},
         {"force_shifted", ElectrostaticsTruncation::force_shifted},
         {"cubic_force_switched", ElectrostaticsTruncation::cubic_force_switched}});

enum class ElectrostaticsPrecision { automatic, single, mixed, full };
template <>
inline constexpr auto choice_table<ElectrostaticsPrecision> =
    std::to_array<Choice<ElectrostaticsPrecision>>({{"auto", ElectrostaticsPrecision::automatic},
                                                    {"single", ElectrostaticsPrecision::single},
                                                    {"mixed", ElectrostaticsPrecision::mixed},
                                                    {"double", ElectrostaticsPrecision::full}});

/// The medium around the periodic images at infinity; an open box has no images.
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

struct ElectrostaticsSection {  ///< [electrostatics]
  ElectrostaticsKind kind = ElectrostaticsKind::none;
  double accuracy = 1e-4;  ///< relative root-mean-square error of the forces
  int order = 0;           ///< of the expansions; 0: from the accuracy
  int levels = 0;          ///< of cells; 0: chosen by cost
  ElectrostaticsTree tree = ElectrostaticsTree::modeled;
  ElectrostaticsPrecision precision = ElectrostaticsPrecision::automatic;
  double smoothing = 0.0;  ///< overlap of cells in units of their edges
  ElectrostaticsSurroundings surroundings = ElectrostaticsSurroundings::conductor;
  double cutoff = 0.0;  ///< 0: the cutoff of [interaction]
  ElectrostaticsTruncation truncation = ElectrostaticsTruncation::shifted;
  double switch_start = 0.0;                 ///< of the truncation that switches
  double damping = 0.0;                      ///< of erfc(damping r)/r
  double kappa = 0.0;                        ///< of exp(-kappa r)/r
  double permittivity = 1.0;                 ///< relative; divides all Coulomb interactions
  double reaction_field_permittivity = 0.0;  ///< relative, beyond the cutoff; 0: infinite

  bool is_used() const { return kind != ElectrostaticsKind::none; }
  /// Whether charges interact only in pairs within a cutoff.
  bool ends_at_cutoff() const {
    return is_used() && kind != ElectrostaticsKind::fmm && kind != ElectrostaticsKind::ewald;
  }
};

}  // namespace sterna::md
