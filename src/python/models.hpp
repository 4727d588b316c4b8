#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "md/forces/force_term.hpp"
#include "md/forces/neighborhood.hpp"
#include "python/callbacks.hpp"
#include "python/simulation.hpp"

namespace sterna::python {

/// The numbers that a potential in Python sees of one step, in units of the input. Local particles
/// come first, then ghosts.
struct NeighborArrays {
  std::size_t local = 0;
  std::vector<double> position, vector, force;  ///< rows of three
  std::vector<std::int64_t> type, id;
  std::vector<std::int64_t> first, second;  ///< of each pair
  std::vector<std::int64_t> begin;  ///< the first pair of each particle and ghost, and the end
};

/// The arrays for Python, without copies. Those that Python keeps stay as they are.
class Neighbors {
 public:
  using Rows = nanobind::ndarray<const double, nanobind::shape<-1, 3>, nanobind::c_contig,
                                 nanobind::device::cpu>;
  explicit Neighbors(std::shared_ptr<NeighborArrays> arrays) : arrays_(std::move(arrays)) {}

  std::size_t count() const { return arrays_->local; }
  /// Throws std::invalid_argument for another name.
  nanobind::object array(const std::string& name) const;
  /// Adds the forces that follow from the derivatives of the energy by the vectors of all pairs.
  void add_gradient(const Rows& gradient);

 private:
  std::shared_ptr<NeighborArrays> arrays_;
};

/// A force term whose forces Python computes from the neighbors of each particle.
class PythonModel final : public md::ForceTerm, public md::SeesNeighborhood {
 public:
  struct Options {
    double cutoff = 0.0;  ///< length
    int layers = 1;       ///< so many cutoffs away atoms have an influence
    /// Whether Python takes pairs and gives the forces of its own atoms' energies on all, whose
    /// virial is known then; otherwise it gives all forces on its own atoms.
    bool of_pairs = true;
    bool keeps_momentum = true;
  };
  PythonModel(std::string name, const Options& options, Simulation& simulation,
              const nanobind::object& owner, int number);

  std::string_view name() const override { return name_; }
  bool keeps_momentum() const override { return options_.keeps_momentum; }
  bool needs_early_rebuild() const override { return true; }
  bool needs_all_ghosts() const override { return false; }
  void connect(const comm::Context& context, const md::Decomposition& decomposition,
               double skin) override;
  void set_decomposition(const md::Decomposition& decomposition) override;
  void rebuild(const md::ParticleStore& particles) override;
  void start(const md::ParticleStore& particles) override;
  void finish(md::ParticleStore& particles, md::EnergyAndVirial* sums) override;

 private:
  void fill_atoms();
  void fill_step();
  /// Collective. Fails on all ranks if the forces do not add up to 0.
  void check_momentum();

  std::string name_;
  Options options_;
  Simulation& simulation_;
  WeakMethod method_;
  double length_unit_;
  std::optional<comm::Context> context_;
  std::optional<md::Neighborhood> neighborhood_;
  std::shared_ptr<NeighborArrays> arrays_;
};

/// A force term whose forces Python computes on rank 0, which gets all particles.
class GatheredModel final : public md::ForceTerm, public md::SeesNeighborhood {
 public:
  GatheredModel(std::string name, bool keeps_momentum, Simulation& simulation,
                const nanobind::object& owner, int number);

  std::string_view name() const override { return name_; }
  bool keeps_momentum() const override { return keeps_momentum_; }
  bool needs_all_ghosts() const override { return false; }
  void connect(const comm::Context& context, const md::Decomposition&, double) override {
    context_ = context;
  }
  void finish(md::ParticleStore& particles, md::EnergyAndVirial* sums) override;

 private:
  std::string name_;
  bool keeps_momentum_;
  Simulation& simulation_;
  WeakMethod method_;
  std::optional<comm::Context> context_;
};

void bind_models(nanobind::module_& module);

}  // namespace sterna::python
