#pragma once

#include <optional>
#include <string>

#include "md/core/axis.hpp"
#include "md/core/choice.hpp"
#include "md/core/vector.hpp"

namespace sterna::md {

struct WallSection {  ///< [[wall]]
  enum class Potential { lj_9_3, lj_10_4, lj_10_4_3, lj_12_6, harmonic, reflecting };
  enum class Shape { plane, sphere };
  /// The side of a plane or sphere on which the molecules are.
  enum class Side { above, below, both, inside, outside };
  enum class Target { sites, centers };

  std::optional<Potential> potential;
  Shape shape = Shape::plane;
  Axis axis = Axis::z;    ///< normal of a plane
  double position = 0.0;  ///< of a plane, along the axis
  Vec3 center;            ///< sphere
  double radius = 0.0;    ///< sphere
  Side side = Side::above;
  double epsilon = 0.0;              ///< energy
  double sigma = 0.0;                ///< length
  double layer_spacing = 0.0;        ///< lj_10_4_3; 0: sigma / sqrt(2)
  double cutoff = 0.0;               ///< distance from the wall, or depth behind a harmonic one
  double stiffness = 0.0;            ///< harmonic: force per depth
  std::string component;             ///< name of a [[component]] or [[type]]; empty: all
  std::optional<Vec3> lower, upper;  ///< region of the box that it acts in
  std::optional<Target> acts_on;     ///< nothing: chosen by the potential
};

template <>
inline constexpr auto choice_table<WallSection::Potential> =
    std::to_array<Choice<WallSection::Potential>>(
        {{"lj_9_3", WallSection::Potential::lj_9_3,
          "\"lj_9_3\": a half space of Lennard-Jones sites."},
         {"lj_10_4", WallSection::Potential::lj_10_4, "\"lj_10_4\": a layer of them."},
         {"lj_10_4_3", WallSection::Potential::lj_10_4_3,
          "\"lj_10_4_3\": layers (Steele, Surf. Sci. 36, 317 (1973))."},
         {"lj_12_6", WallSection::Potential::lj_12_6, "\"lj_12_6\": as one site."},
         {"harmonic", WallSection::Potential::harmonic,
          "\"harmonic\": a spring that pulls back what is behind the wall."},
         {"reflecting", WallSection::Potential::reflecting,
          "\"reflecting\": a mirror of positions and velocities."}});
template <>
inline constexpr auto choice_table<WallSection::Shape> = std::to_array<Choice<WallSection::Shape>>(
    {{"plane", WallSection::Shape::plane}, {"sphere", WallSection::Shape::sphere}});
template <>
inline constexpr auto choice_table<WallSection::Side> =
    std::to_array<Choice<WallSection::Side>>({{"above", WallSection::Side::above},
                                              {"below", WallSection::Side::below},
                                              {"both", WallSection::Side::both},
                                              {"inside", WallSection::Side::inside},
                                              {"outside", WallSection::Side::outside}});
template <>
inline constexpr auto choice_table<WallSection::Target> =
    std::to_array<Choice<WallSection::Target>>({{"sites", WallSection::Target::sites},
                                                {"centers", WallSection::Target::centers}});

}  // namespace sterna::md
