#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "md/core/box.hpp"
#include "md/forces/bias/bias.hpp"
#include "md/forces/bias/collective_variable.hpp"
#include "md/forces/force_term.hpp"
#include "md/forces/state_parameters.hpp"
#include "md/system/atom_group.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

/// Biases on collective variables. All ranks know the values of all variables: their sums over the
/// ranks are one reduction, which is under way while other forces are computed. Only variables that
/// need a second one wait for it.
///
/// The energy of a bias that changes from step to step changes without any motion. That is its work:
/// half of each change counts at the positions before the step, half at those after it, which is the
/// trapezoidal rule of the integral over the moving center.
class BiasForces final : public ForceTerm, public HasStateParameters {
 public:
  /// Passes on positions of atoms from a file with this box.
  using TakePlaces =
      std::function<void(std::span<const std::int64_t> ids, std::span<const Vec3> places)>;
  struct Variable {
    VariableOptions options;
    std::vector<AtomGroup> groups;
    /// Collective. Gives the positions of the reference file to all ranks, in pieces; empty: those
    /// of the start count.
    std::function<void(const TakePlaces&)> read_places{};
  };
  struct Options {
    std::int64_t interval = 0;  ///< steps between two rows of the file of values; 0: no such file
    /// For the head of that file: k T, and the volume of a molecule at 1 mol/l.
    std::optional<double> thermal_energy, standard_volume;
  };

  /// Collective. The box must outlive this object. `masses`: by type.
  BiasForces(const comm::Context& context, const Box& box, std::vector<Variable> variables,
             std::vector<BiasOptions> biases, std::vector<double> masses, const Options& options);

  std::string_view name() const override { return "bias"; }
  bool keeps_momentum() const override { return keeps_momentum_; }
  bool needs_all_ghosts() const override { return false; }
  /// The first call counts the atoms of groups. Throws std::runtime_error on all ranks if a group
  /// has no atom or no mass, or if a variable cannot be of its groups.
  void rebuild(const ParticleStore& particles) override;
  void begin_step(const StepContext& now) override;
  void start(const ParticleStore& particles) override;
  void finish(ParticleStore& particles, EnergyAndVirial* sums) override;
  std::vector<Part> parts() const override;
  double given_energy() const override;
  std::vector<double> state() const override;
  void restore(std::span<const double> state) override;
  std::span<GrowingText> texts() override { return texts_; }
  /// "NAME.center", "NAME.stiffness" and "NAME.force" of biases that do not change in time.
  StateParameters state_parameters() const override;
  void set_state_parameters(const StateParameters& values) override;
  std::vector<double> energies_with(std::span<const StateParameters> sets) override;

  /// The values of the last step in internal units and radians, and the work of each bias.
  std::span<const double> values() const { return values_; }
  std::span<const double> work() const { return work_; }

 private:
  void count_groups();
  void number_members();
  void place_points(const ParticleStore& particles);
  void take_references();
  void register_sums();
  std::vector<double> values_of(const Bias& bias, std::span<const double> values) const;
  std::span<const GroupMembers> groups_of(std::size_t variable) const;
  std::span<const double> sums_of(std::size_t variable) const;
  void require_whole_groups() const;
  void finish_step();
  std::string head_of_values() const;

  comm::Context context_;
  const Box& box_;
  std::vector<Variable> variables_;
  std::vector<std::unique_ptr<CollectiveVariable>> made_;
  std::vector<std::unique_ptr<Bias>> biases_;
  std::vector<BiasOptions> options_of_biases_;
  std::vector<double> masses_;
  Options options_;
  bool keeps_momentum_ = true;

  std::vector<GroupMembers> groups_;            ///< of all variables, one after the other
  std::vector<std::vector<std::int64_t>> ids_;  ///< of each group whose members have numbers
  std::vector<std::size_t> first_group_;        ///< of each variable, and the number of all
  bool counted_ = false;                        ///< whether the groups' atoms were counted
  bool has_points_ = false;
  std::vector<char> is_centered_;  ///< whether the reference of each variable is

  std::vector<double> sums_;  ///< three of each group's center, then those of each variable
  std::vector<std::size_t> first_sum_;
  std::vector<double> second_;
  std::vector<std::size_t> first_second_;
  double widest_ = 0.0;  ///< largest distance from a group's point, in boxes
  std::unique_ptr<comm::ReductionBatch> batch_, second_batch_;

  std::int64_t step_ = -1;  ///< of the last values
  double time_ = 0.0;
  bool is_new_ = false;  ///< whether the next values are the first ones of the step
  std::vector<double> values_, values_before_;
  std::vector<double> energies_;  ///< of each bias
  std::vector<double> work_;      ///< of each bias

  std::vector<GrowingText> texts_;  ///< values, then hills
};

}  // namespace sterna::md
