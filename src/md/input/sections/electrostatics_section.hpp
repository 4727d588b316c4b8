#pragma once

#include <optional>
#include <string>

#include "md/core/choice.hpp"

namespace sterna::md {

/// How charges interact that end at a cutoff.
enum class CutoffCharge { reaction_field, damped_shifted_force, wolf, screened, cutoff };
template <>
inline constexpr auto choice_table<CutoffCharge> = std::to_array<Choice<CutoffCharge>>(
    {{"reaction_field", CutoffCharge::reaction_field,
      "\"reaction_field\": pairs of charges within a cutoff, with a dielectric beyond it; of "
      "[[type]]s and [[molecule]]s, as those that follow."},
     {"damped_shifted_force", CutoffCharge::damped_shifted_force,
      "\"damped_shifted_force\": damped by erfc(damping r), with energy and force 0 at the "
      "cutoff."},
     {"wolf", CutoffCharge::wolf, "\"wolf\": the same with the energy 0 there."},
     {"screened", CutoffCharge::screened, "\"screened\": exp(-kappa r)/r, of Debye and Hückel."},
     {"cutoff", CutoffCharge::cutoff, "\"cutoff\": nothing beyond it."}});

/// How the energy of two charges ends.
enum class ElectrostaticsTruncation { shifted, truncated, force_shifted, cubic_force_switched };
template <>
inline constexpr auto choice_table<ElectrostaticsTruncation> =
    std::to_array<Choice<ElectrostaticsTruncation>>(
        {{"shifted", ElectrostaticsTruncation::shifted},
         {"truncated", ElectrostaticsTruncation::truncated},
         {"force_shifted", ElectrostaticsTruncation::force_shifted},
         {"cubic_force_switched", ElectrostaticsTruncation::cubic_force_switched}});

/// The medium around the periodic images at infinity; an open box has no images.
enum class ElectrostaticsSurroundings { conductor, vacuum, open };
template <>
inline constexpr auto choice_table<ElectrostaticsSurroundings> =
    std::to_array<Choice<ElectrostaticsSurroundings>>(
        {{"conductor", ElectrostaticsSurroundings::conductor},
         {"vacuum", ElectrostaticsSurroundings::vacuum},
         {"open", ElectrostaticsSurroundings::open}});

struct ElectrostaticsSection {  ///< [electrostatics]
  /// "none", the name of a solver for any distance, or that of a CutoffCharge. What only one solver
  /// has keys for is kept by its owner.
  std::string kind = "none";
  double accuracy = 1e-4;  ///< relative root-mean-square error of the forces
  ElectrostaticsSurroundings surroundings = ElectrostaticsSurroundings::conductor;
  double cutoff = 0.0;  ///< 0: the cutoff of [interaction]
  ElectrostaticsTruncation truncation = ElectrostaticsTruncation::shifted;
  double switch_start = 0.0;                 ///< of the truncation that switches
  double damping = 0.0;                      ///< of erfc(damping r)/r
  double kappa = 0.0;                        ///< of exp(-kappa r)/r
  double permittivity = 1.0;                 ///< relative; divides all Coulomb interactions
  double reaction_field_permittivity = 0.0;  ///< relative, beyond the cutoff; 0: infinite

  bool is_used() const { return kind != "none"; }
  /// How charges interact in pairs within a cutoff; nothing if they do not.
  std::optional<CutoffCharge> at_cutoff() const { return choice_by_name<CutoffCharge>(kind); }
  bool ends_at_cutoff() const { return at_cutoff().has_value(); }
};

}  // namespace sterna::md
