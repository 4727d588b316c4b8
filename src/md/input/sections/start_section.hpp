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
  simple_cubic,         ///< 1 site in a cell
  body_centered_cubic,  ///< 2 sites
  face_centered_cubic,  ///< 4 sites
  diamond,              ///< 8 sites
  zincblende,           ///< 8; one sublattice for each of two types
};
template <>
inline constexpr auto choice_table<CrystalLattice> =
    std::to_array<Choice<CrystalLattice>>({{"sc", CrystalLattice::simple_cubic},
                                           {"bcc", CrystalLattice::body_centered_cubic},
                                           {"fcc", CrystalLattice::face_centered_cubic},
                                           {"diamond", CrystalLattice::diamond},
                                           {"zincblende", CrystalLattice::zincblende}});

/// How atoms that violate constraints are treated.
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
  std::int64_t particles = 0;         ///< of random starts, and of lattices with empty sites
  double density = 0.0;               ///< number density, for lattice and random starts
  double minimum_distance = 0.0;      ///< of random starts; 0: from sigma and density
  std::string file;                   ///< relative to the input file
  std::string format = "auto";        ///< or of start_reader_rows()
  bool renumber = false;              ///< ids are 1 ... N instead of the file's
  std::optional<Vec3> box;            ///< edge lengths, if the file has none
  std::optional<Vec3> tilt;           ///< of a triclinic box: xy, xz, yz
  std::optional<double> temperature;  ///< of drawn velocities; nothing: the file's, or 0
  StartConstraints constraints = StartConstraints::project;

  Tilt tilt_of_box() const { return tilt ? Tilt{tilt->x, tilt->y, tilt->z} : Tilt{}; }
};

}  // namespace sterna::md
