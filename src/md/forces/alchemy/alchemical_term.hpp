#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "md/forces/alchemy/alchemical_energies.hpp"
#include "md/forces/alchemy/alchemical_motion.hpp"
#include "md/forces/alchemy/alchemical_state.hpp"
#include "md/forces/force_term.hpp"
#include "md/forces/sees_motion.hpp"
#include "md/forces/state_parameters.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// What all alchemical terms have in common: the states of a run, the present one, which is part of a
/// checkpoint where it changes, and the file of the energies in all states. A run has at most one
/// such term.
class AlchemicalTerm : public ForceTerm, public HasStateParameters, public SeesMotion {
 public:
  struct States {
    std::vector<AlchemicalState> all;
    std::size_t start = 0;
    /// Whether the run takes on other states while it goes on; a checkpoint keeps its state then.
    bool change = false;
    std::size_t parts = 2;  ///< so many of `alchemical_parts` are in files
    AlchemicalMotion::Options motion{};
    std::int64_t interval = 0;    ///< steps between two rows of the file; 0: no file
    double temperature = 0.0;     ///< for the head of the file; 0: not known
    double thermal_energy = 0.0;  ///< k times that
  };

  std::string_view name() const override { return "alchemy"; }
  bool keeps_momentum() const override { return true; }
  bool needs_all_ghosts() const override { return false; }
  TimeScale time_scale() const override { return TimeScale::medium; }
  void begin_step(const StepContext& now) override;
  std::vector<double> state() const override;
  void restore(std::span<const double> state) override;
  std::span<GrowingText> texts() override { return texts_; }

  /// The lambda of each part of the state, by the names of `alchemical_parts`.
  StateParameters state_parameters() const override;
  void set_state_parameters(const StateParameters& values) override;
  std::vector<double> energies_with(std::span<const StateParameters> sets) override;
  StateParameters derivatives() const override { return derivatives_; }

  bool needs_motion(std::int64_t step) const override;
  void see_motion(const ParticleStore& particles, double by_lengths) override;

  /// Collective. The energies of the positions of the last forces in these states, without the part
  /// of motion.
  virtual AlchemicalEnergies energies(const ParticleStore& particles,
                                      std::span<const AlchemicalState> states) const = 0;

 protected:
  AlchemicalTerm(const comm::Context& context, States states);

  const AlchemicalState& now() const { return now_; }
  /// Collective, behind `energies_with` and `write_if_due`: where the particles of the last
  /// `rebuild` are.
  void remember(const ParticleStore& particles) { particles_ = &particles; }
  /// Collective, at the end of each computation of forces.
  void write_if_due();
  /// Number of states and the present one, for the log.
  Settings settings_of_states() const;

 private:
  /// What the run's files have of a state.
  std::span<const AlchemicalPart> parts_of_state() const {
    return std::span(alchemical_parts).first(states_.parts);
  }
  /// Throws std::invalid_argument if masses or lengths of constraints, which stay those of the
  /// start, would be others in this state.
  void require_same_motion(const AlchemicalState& state) const;
  void write_row(const AlchemicalEnergies& energies);
  std::string head() const;

  const bool writes_;  ///< on this rank
  States states_;
  AlchemicalState now_;
  StateParameters derivatives_;
  AlchemicalMotion motion_;
  std::optional<AlchemicalEnergies> without_motion_;  ///< of a row that lacks the part of motion
  const ParticleStore* particles_ = nullptr;
  std::int64_t step_ = -1;
  double time_ = 0.0;
  bool is_new_ = false;
  std::vector<GrowingText> texts_;
};

}  // namespace sterna::md
