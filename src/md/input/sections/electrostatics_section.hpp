#pragma once

#include "md/core/choice.hpp"
#include "md/model/charge_form.hpp"
#include "md/model/truncation.hpp"

namespace sterna::md {

enum class ElectrostaticsKind { none, fmm, ewald, reaction_field, cutoff };
template <>
inline constexpr auto choice_table<ElectrostaticsKind> = std::to_array<Choice<ElectrostaticsKind>>(
    {{"none", ElectrostaticsKind::none},
     {"fmm", ElectrostaticsKind::fmm},
     {"ewald", ElectrostaticsKind::ewald},
     {"reaction_field", ElectrostaticsKind::reaction_field},
     {"cutoff", ElectrostaticsKind::cutoff}});

/// What excluded pairs have of charges that end at a cutoff.
enum class ExcludedPairs { automatic, corrected, left_out };
template <>
inline constexpr auto choice_table<ExcludedPairs> = std::to_array<Choice<ExcludedPairs>>(
    {{"auto", ExcludedPairs::automatic,
      "\"auto\": \"corrected\", of screened charges \"left_out\"."},
     {"corrected", ExcludedPairs::corrected,
      "\"corrected\": all but 1/r, and each charge half of that at the distance 0."},
     {"left_out", ExcludedPairs::left_out, "\"left_out\": nothing."}});

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

struct ElectrostaticsSection {  ///< [electrostatics]
  ElectrostaticsKind kind = ElectrostaticsKind::none;
  double accuracy = 1e-4;  ///< relative root-mean-square error of the forces
  int order = 0;           ///< of the expansions; 0: as the accuracy wants it
  int levels = 0;          ///< of cells; 0: as the cost wants it
  ElectrostaticsTree tree = ElectrostaticsTree::modeled;
  ElectrostaticsPrecision precision = ElectrostaticsPrecision::automatic;
  double smoothing = 0.0;  ///< overlap of the cells, in units of their edges
  ElectrostaticsSurroundings surroundings = ElectrostaticsSurroundings::conductor;
  double cutoff = 0.0;  ///< 0: that of [interaction]
  ChargeForm form = ChargeForm::plain;
  double damping = 0.0, screening = 0.0;  ///< 1/length
  Truncation truncation = Truncation::shifted;
  double switch_start = 0.0;  ///< of switched ends
  ExcludedPairs excluded = ExcludedPairs::automatic;
  double permittivity = 1.0;                 ///< relative; divides all Coulomb interactions
  double reaction_field_permittivity = 0.0;  ///< relative, beyond the cutoff; 0: infinite

  bool is_used() const { return kind != ElectrostaticsKind::none; }
  /// Whether charges act on each other in pairs within a cutoff only.
  bool ends_at_cutoff() const {
    return kind == ElectrostaticsKind::reaction_field || kind == ElectrostaticsKind::cutoff;
  }
  bool corrects_excluded() const {
    if (excluded != ExcludedPairs::automatic) return excluded == ExcludedPairs::corrected;
    return kind != ElectrostaticsKind::cutoff || form != ChargeForm::screened;
  }
};

}  // namespace sterna::md
