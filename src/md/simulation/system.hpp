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

/// What is simulated, made by a program instead of sections [start] and [[type]] of an input file.
/// All numbers are in the units of the input that it goes with. What is impossible is found when a
/// `Simulation` takes it, with the words that a file with the same keys would get.
class System {
 public:
  /// As the keys of [[type]].
  struct Type {
    std::string name = {};
    std::optional<double> mass = {}, epsilon = {}, sigma = {};
    double fraction = 1.0;  ///< share of the particles of `lattice` and `random`
    double charge = 0.0;
  };
  /// Particles of one rank, one item each; empty arrays are filled in.
  struct Particles {
    std::vector<Vec3> position;
    std::vector<int> type;                ///< counts `types` from 0; empty: all 0
    std::vector<Vec3> velocity;           ///< empty: 0, or drawn by `temperature`
    std::vector<std::int64_t> id;         ///< from 1, each once; empty: 1, 2, ... through the ranks
    std::vector<Quaternion> orientation;  ///< of molecules; empty: drawn
  };
  struct Lattice {
    std::string kind = "fcc";  ///< as `lattice` of [start]
    std::array<int, 3> cells{};
    double density = 0.0;                    ///< particles per volume
    std::optional<double> temperature = {};  ///< velocities are drawn
  };
  struct Random {
    std::int64_t particles = 0;
    double density = 0.0;
    std::optional<double> temperature = {};
  };

  static System lattice(const Lattice& lattice);
  static System random(const Random& random);
  /// Each rank gives any share of the particles, which may lie anywhere in the box, or none.
  static System from_particles(const Box& box, Particles particles,
                               std::optional<double> temperature = std::nullopt);

  std::vector<Type> types;

  /// The sections of an input file that say the same, but for the particles themselves.
  std::string input_text() const;
  /// Null where a lattice or random places are asked for.
  const Particles* particles() const { return particles_ ? &*particles_ : nullptr; }

 private:
  std::string start_;
  std::optional<Particles> particles_;
};

}  // namespace sterna::md
