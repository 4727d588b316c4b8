#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "md/core/box.hpp"
#include "md/core/choice.hpp"
#include "md/core/vector.hpp"

namespace sterna::md {

enum class StartKind { lattice, random, file, program };
template <>
inline constexpr auto choice_table<StartKind> = std::to_array<Choice<StartKind>>(
    {{"lattice", StartKind::lattice, "\"lattice\": a perfect crystal."},
     {"random", StartKind::random, "\"random\": random places that keep a distance."},
     {"file", StartKind::file, "\"file\": from a file."},
     {"program", StartKind::program,
      "\"program\": from the program, in C++ or Python, that the input is part of."}});

enum class CrystalLattice {
  simple_cubic,         ///< 1 site a cell
  body_centered_cubic,  ///< 2
  face_centered_cubic,  ///< 4
  diamond,              ///< 8
  zincblende,           ///< 8, a sublattice of each of two types
};
template <>
inline constexpr auto choice_table<CrystalLattice> =
    std::to_array<Choice<CrystalLattice>>({{"sc", CrystalLattice::simple_cubic},
                                           {"bcc", CrystalLattice::body_centered_cubic},
                                           {"fcc", CrystalLattice::face_centered_cubic},
                                           {"diamond", CrystalLattice::diamond},
                                           {"zincblende", CrystalLattice::zincblende}});

/// What happens to atoms that violate constraints.
enum class StartConstraints { project, first_step };
template <>
inline constexpr auto choice_table<StartConstraints> = std::to_array<Choice<StartConstraints>>(
    {{"project", StartConstraints::project,
      "\"project\": they are moved, and their velocities corrected, before the run."},
     {"first_step", StartConstraints::first_step,
      "\"first_step\": the first step moves them, which adds to their velocities, as in MODYLAS; "
      "where `temperature` draws velocities it is the same as \"project\"."}});

struct StartSection {  ///< [start]
  std::optional<StartKind> kind;
  CrystalLattice lattice = CrystalLattice::face_centered_cubic;
  std::array<int, 3> cells{0, 0, 0};  ///< unit cells per axis; or `particles`
  std::int64_t particles = 0;         ///< random fill, or lattice with surplus sites empty
  double density = 0.0;               ///< number density; for lattice and random
  double minimum_distance = 0.0;      ///< random fill; 0: chosen from sigma and density
  std::string file;                   ///< relative to the input file
  std::string format = "auto";        ///< or of start_reader_rows()
  bool renumber = false;              ///< ids are 1 ... N instead of the file's
  std::optional<Vec3> box;            ///< edge lengths, where the file has none
  std::optional<Vec3> tilt;           ///< of a triclinic box: xy, xz, yz
  std::optional<double> temperature;  ///< draws velocities; without it those of the file, or 0
  StartConstraints constraints = StartConstraints::project;

  Tilt tilt_of_box() const { return tilt ? Tilt{tilt->x, tilt->y, tilt->z} : Tilt{}; }
};

}  // namespace sterna::md
