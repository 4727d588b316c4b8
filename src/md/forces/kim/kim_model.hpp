#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "md/neighbors/full_rows.hpp"

namespace sterna::md {

/// A portable model of the KIM API (Tadmor et al., JOM 63, 17 (2011)), in its units: angstrom and eV.
class KimModel {
 public:
  /// Loads a model, which runs code of its shared object. Throws std::runtime_error, in words for the
  /// user, if the library or the model is missing or if the model needs what the engine does not
  /// give.
  explicit KimModel(const std::string& name);
  ~KimModel();
  KimModel(KimModel&&) noexcept;
  KimModel& operator=(KimModel&&) = delete;

  /// The code of a species such as "Cu". Throws std::runtime_error, with the species that the model
  /// has.
  int species_code(const std::string& species) const;
  std::vector<std::string> species() const;
  /// How far a particle has an influence on the energy of another (angstrom).
  double influence_distance() const;
  /// The longest cutoff of the rows that it asks for (angstrom).
  double cutoff() const;
  /// Whether it asks for rows of particles whose energy it does not compute.
  bool needs_rows_of_ghosts() const;

  /// The particles of one computation; `is_local` is 1 for those whose energies are added up.
  struct Particles {
    std::span<const int> species_code, is_local;
    std::span<const double> coordinates;  ///< three for each
    const FullRows& rows;
  };
  /// Sets the forces on all particles and `energy`. Returns false if the model reports an error.
  bool compute(const Particles& particles, std::span<double> forces, double& energy);

 private:
  struct Handles;
  std::string name_;
  std::unique_ptr<Handles> handles_;
};

/// The names of the portable models that are installed.
std::vector<std::string> installed_kim_models();

}  // namespace sterna::md
