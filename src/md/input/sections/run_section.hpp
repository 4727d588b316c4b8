#pragma once

#include <cstdint>
#include <string>

#include "md/core/choice.hpp"
#include "md/core/precision.hpp"

namespace sterna::md {

/// How rigid molecules are rotated in time.
enum class RotationMethod {
  no_squish,  ///< symplectic splitting; exact for linear molecules
  leapfrog,   ///< by Fincham; not symplectic
};
template <>
inline constexpr auto choice_table<RotationMethod> = std::to_array<Choice<RotationMethod>>(
    {{"no_squish", RotationMethod::no_squish,
      "\"no_squish\" is symplectic and, for linear molecules, exact;"},
     {"leapfrog", RotationMethod::leapfrog, "\"leapfrog\" is Fincham's, as ls1-MarDyn has it."}});

/// How constraints are solved.
enum class ConstraintAlgorithm {
  automatic,           ///< rotors, conjugate gradients beyond the halo, else SHAKE
  settle,              ///< the same, with SETTLE instead of rotors where possible
  shake,               ///< SHAKE for all, in a halo as wide as the longest group
  conjugate_gradients  ///< conjugate gradients for all
};
template <>
inline constexpr auto choice_table<ConstraintAlgorithm> =
    std::to_array<Choice<ConstraintAlgorithm>>(
        {{"auto", ConstraintAlgorithm::automatic,
          "\"auto\" moves atoms that constraints make rigid, such as water, as rotors. It solves "
          "chains of constraints that are longer than the halo by \"conjugate_gradients\", which "
          "communicates, and the others by SHAKE."},
         {"settle", ConstraintAlgorithm::settle,
          "\"settle\" does the same without rotors: SETTLE solves water of three sites."},
         {"shake", ConstraintAlgorithm::shake,
          "\"shake\" makes the halo as wide as the longest chain."},
         {"conjugate_gradients", ConstraintAlgorithm::conjugate_gradients}});

struct RunSection {  ///< [run]
  std::string name;  ///< stem of output files; empty: the input file's name
  std::int64_t steps = 0;
  double timestep = 0.0;
  std::uint64_t seed = 1;
  Precision precision = Precision::double_precision;
  std::string integrator = "velocity_verlet";           ///< name of an `IntegratorRow`
  RotationMethod rotation = RotationMethod::no_squish;  ///< of molecules
  double constraint_tolerance = 1e-8;                   ///< of each distance, relative
  ConstraintAlgorithm constraint_algorithm = ConstraintAlgorithm::automatic;
};

}  // namespace sterna::md
