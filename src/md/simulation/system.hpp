#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "md/core/box.hpp"
#include "md/core/quaternion.hpp"
#include "md/core/vector.hpp"

namespace sterna::md {

/// A system made by a program, in place of the sections [start] and [[type]] of an input file. All
/// numbers are in the units of the input that it is used with. Mistakes are found when a
/// `Simulation` is made of it, with the messages that a file with the same keys would get.
class System {
 public:
  /// A type, with the keys of [[type]].
  struct Type {
    std::string name = {};
    std::optional<double> mass = {}, epsilon = {}, sigma = {};
    double fraction = 1.0;  ///< share of the particles of `lattice` and `random`
    double charge = 0.0;
  };
  /// Particles of one rank, one entry each; an empty array is filled with default values.
  struct Particles {
    std::vector<Vec3> position;
    std::vector<int> type;                ///< index in `types`; empty: all 0
    std::vector<Vec3> velocity;           ///< empty: 0, or drawn if there is a temperature
    std::vector<std::int64_t> id;         ///< from 1, unique; empty: counted over all ranks
    std::vector<Quaternion> orientation;  ///< of molecules; empty: random
  };
  struct Lattice {
    std::string kind = "fcc";  ///< a value of `lattice` in [start]
    std::array<int, 3> cells{};
    double density = 0.0;                    ///< particles per volume
    std::optional<double> temperature = {};  ///< of drawn velocities; nothing: none
  };
  struct Random {
    std::int64_t particles = 0;
    double density = 0.0;
    std::optional<double> temperature = {};
  };

  static System lattice(const Lattice& lattice);
  static System random(const Random& random);
  /// Each rank may give any share of the particles, or none. Their positions may be anywhere in the
  /// box.
  static System from_particles(const Box& box, Particles particles,
                               std::optional<double> temperature = std::nullopt);

  std::vector<Type> types;

  /// The sections [start] and [[type]] of an equivalent input file, without the particles
  /// themselves.
  std::string input_text() const;
  /// The given particles; null if they are on a lattice or at random positions.
  const Particles* particles() const { return particles_ ? &*particles_ : nullptr; }

 private:
  std::string start_;
  std::optional<Particles> particles_;
};

}  // namespace sterna::md
