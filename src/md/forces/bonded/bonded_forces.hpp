#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "md/core/precision.hpp"
#include "md/forces/bonded/bonded_work.hpp"
#include "md/forces/force_term.hpp"
#include "md/system/aligned_buffer.hpp"
#include "md/system/molecule_places.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// The bonded terms of all molecules: bonds, angles, torsions, impropers, 1-4 pairs. See
/// bonded_forces.cpp.
class BondedForces final : public ForceTerm {
 public:
  /// `places` must be rebuilt before this object. `kernels`: "auto" or an instruction set. Throws
  /// std::invalid_argument if this machine lacks it.
  BondedForces(const comm::Context& context, std::shared_ptr<const MoleculePlaces> places,
               Precision precision, std::string_view kernels);

  std::string_view name() const override { return "bonded"; }
  bool keeps_momentum() const override { return true; }
  bool needs_all_ghosts() const override { return false; }
  /// Throws FileError on all ranks if a rank lacks an atom of a term of its atoms.
  void rebuild(const ParticleStore& particles) override;
  void compute_spanning(SpanningMolecules& molecules, bool with_sums) override;
  void finish(ParticleStore& particles, EnergyAndVirial* sums) override;
  /// Energies by kind of term.
  std::vector<Part> parts() const override { return parts_; }
  Settings settings() const override;

 private:
  /// The terms of one kind.
  struct Kind {
    std::uint32_t number;  ///< in `bonded_table`
    std::vector<double> coefficients;
    /// Atoms and rows of the terms that this rank computes one by one.
    std::vector<std::uint32_t> places, row;
  };
  /// The terms of one kind of molecule.
  struct Molecule {
    struct Terms {
      std::size_t kind;  ///< index in `kinds_`
      std::vector<std::uint32_t> atoms, row;
    };
    std::vector<Terms> terms;
  };
  void add(Kind& kind, const ParticleStore& particles, std::uint32_t particle,
           const Topology::Place& place, const Topology::Term& term, std::string& missing);
  /// Computes the terms of a batch of whole molecules. Like the next function, adds to
  /// `sums_of_kind_`.
  void compute_molecules(std::uint32_t molecule, const MoleculeBatch& molecules, bool with_sums);
  void compute_one_by_one(ParticleStore& particles, bool with_sums);

  comm::Context context_;
  std::shared_ptr<const MoleculePlaces> places_;
  Precision precision_;
  const BondedKernels& kernels_;
  std::vector<Kind> kinds_;
  std::vector<std::uint32_t> kind_of_;  ///< for each row of the table its index in `kinds_`
  std::vector<Molecule> molecules_;
  AlignedBuffer<double> room_;
  std::vector<EnergyAndVirial> sums_of_kind_;  ///< of this step so far
  std::vector<Part> parts_;
};

}  // namespace sterna::md
