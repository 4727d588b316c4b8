#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "md/core/box.hpp"
#include "md/core/vector.hpp"
#include "md/input/check_input.hpp"
#include "md/input/input_schema.hpp"

namespace sterna::md {

struct GrandCanonicalSection {  ///< [[grand_canonical]]: a reservoir
  std::vector<std::string> components;
  // Of each component; one of these lists is given:
  std::vector<double> chemical_potential;          ///< energy, with the thermal wavelength
  std::vector<double> reduced_chemical_potential;  ///< ln(z l^3), l the unit of length of the input
  std::vector<double> activity;                    ///< z, a number density
  std::vector<double> fugacity;                    ///< z k T, a pressure
  std::int64_t interval = 0;                       ///< steps
  std::int64_t moves = 100;     ///< attempts to insert or to delete a molecule, each time
  std::int64_t exchanges = 0;   ///< attempts to exchange the identity of a molecule, each time
  std::optional<Vec3> lower{};  ///< region; nothing: no bound
  std::optional<Vec3> upper{};
};

/// Whether the number of particles of the run changes.
inline bool changes_numbers(const Input& input) {
  return !input.tables<GrandCanonicalSection>().empty();
}

/// The activity z of a component of a reservoir, a number density: that of the ideal gas with the
/// same chemical potential. `mass`: of the component.
///
///     z = exp(mu / k T) / Lambda^3    Lambda = h / sqrt(2 pi m k T); in reduced units Lambda = 1
///     z = exp(mu_reduced) / l^3       l: the unit of length
///     z = f / k T                     f: the fugacity
///
/// Source: Frenkel and Smit, Understanding Molecular Simulation, 2nd edition, section 5.6. A mu of
/// a molecule that turns lacks the part of its free rotation, as in LAMMPS's `fix gcmc`.
double activity_of(const Input& input, const GrandCanonicalSection& reservoir,
                   std::size_t component, double mass);

/// The region of a reservoir in a box: its corners.
struct ReservoirRegion {
  Vec3 lower, upper;
};
ReservoirRegion region_of(const GrandCanonicalSection& reservoir, const Box& box);

void check_grand_canonical(const Input& input, const IsGood& is_good, const Report& report);
/// The checks that need the box.
void check_reservoirs_in_box(const Input& input, const Box& box, const Report& report);

namespace section {
InputSection grand_canonical();
}  // namespace section

}  // namespace sterna::md
