#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "md/core/box.hpp"
#include "md/forces/force_term.hpp"
#include "md/forces/other_terms.hpp"
#include "md/forces/plumed/plumed_files.hpp"
#include "md/forces/plumed/plumed_kernel.hpp"
#include "md/forces/plumed/plumed_start.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

/// PLUMED's kernel as a force term. Rank 0 has the kernel, which knows of no other rank. It gets the
/// positions of the atoms that PLUMED asks for in a step, and all ranks get the forces on these: two
/// reductions, the first of which is under way while other forces are computed.
///
/// PLUMED computes each step once, and its actions that write or add hills follow at once. Forces that
/// are computed again for the same positions are those that are kept.
class PlumedForces final : public ForceTerm, public ActsOnOtherTerms, public WritesFilesOfItsOwn {
 public:
  struct Options {
    std::string kernel;          ///< file of the library; empty: the usual one
    PlumedStart start;           ///< without what only this term knows; the text is that of rank 0
    bool keeps_momentum = true;  ///< whether all its forces add up to 0, as the user says
    std::string why_no_energy;   ///< why no bias may act on the energy; empty: it may
    std::vector<double> masses;  ///< by type
    /// The charge of an atom in units of the elementary charge.
    std::function<double(std::int64_t id, std::int64_t type)> charge;
    /// Energy and virial of what lies beyond the cutoff, in a box of this volume. They belong to no
    /// other term, but to the energy that a bias may act on.
    std::function<EnergyAndVirial(std::span<const double> counts, double volume)> tail;
  };

  /// `box` must outlive this object.
  PlumedForces(const comm::Context& context, const Box& box, Options options);
  ~PlumedForces() override;

  std::string_view name() const override { return "plumed"; }
  bool keeps_momentum() const override { return options_.keeps_momentum; }
  bool needs_all_ghosts() const override { return false; }
  /// Collective. The first call starts the kernel. Throws FileError on all ranks, with the kernel's
  /// message.
  void rebuild(const ParticleStore& particles) override;
  void begin_step(const StepContext& now) override { asked_step_ = now.step; }
  void start(const ParticleStore& particles) override;
  void finish(ParticleStore& particles, EnergyAndVirial* sums) override;
  double given_energy() const override { return is_root() ? given_ : 0.0; }
  std::vector<double> state() const override;
  void restore(std::span<const double> state) override;
  std::span<GrowingText> texts() override { return texts_; }
  std::string description() const override;
  Settings settings() const override;

  bool needs_other_sums() const override { return plan_.needs_energy; }
  void take_other_sums(const EnergyAndVirial& sums) override { others_ = sums; }
  void announce_checkpoint() override { checkpoint_follows_ = true; }
  std::string reason_to_stop() const override { return reason_to_stop_; }

 private:
  /// What PLUMED needs in a step, the same on all ranks.
  struct Plan {
    std::int64_t step = -1;
    bool needs_energy = false;
    bool is_computed = false;  ///< whether `results_` are of this step
    std::vector<int> atoms;    ///< ids minus 1
  };
  /// What it gives, the same on all ranks.
  struct Results {
    std::vector<double> forces;  ///< three for each atom of the plan
    double bias = 0.0;
    double scale = 1.0;              ///< of the forces of all other terms
    std::array<double, 9> strain{};  ///< derivatives of the bias: coordinate a moves by b
  };
  /// What it computes from. On rank 0, as the rest is.
  struct Arguments {
    std::vector<double> positions;  ///< three for each atom of the plan
    Box box;
    double energy = 0.0;
    bool operator==(const Arguments&) const = default;
  };
  /// A computation.
  struct Computed {
    std::vector<int> atoms;
    Results results;
    Arguments arguments;
  };
  /// What a checkpoint has kept.
  struct Kept {
    std::int64_t step = -1;
    std::uint64_t text_hash = 0;
    std::int64_t atom_count = 0;
    Computed before;  ///< the first computation of the step, from which work is counted
    Computed last;    ///< the last one, of which the forces are
    std::vector<PlumedFiles::File> files;
  };

  class StateReader;

  bool is_root() const { return context_.rank() == 0; }
  void make_kernel(const ParticleStore& particles);
  void count_atoms(const ParticleStore& particles);
  void gather_atoms(const ParticleStore& particles);
  void share_plan();
  void number_members(const ParticleStore& particles);
  void make_batches();
  // On rank 0:
  void prepare();
  void compute();
  void take_arguments();
  void call_kernel(bool updates, double virial = 0.0);
  void call_kernel_with_energy(bool updates);
  void take_results();
  void take_kept_results();
  void require_momentum() const;
  void add_work(const Computed& before);
  void append(std::vector<double>& state, const Computed& computed) const;
  /// Collective. Runs `work` on rank 0; the result is what went wrong there, or nothing.
  std::string problem_of(const std::function<void()>& work) const;
  /// Collective. Throws FileError on all ranks.
  [[noreturn]] void fail(std::string problem) const;
  void share_results(const std::string& problem);

  comm::Context context_;
  const Box& box_;
  Options options_;
  std::unique_ptr<Plumed> plumed_;  ///< on rank 0
  PlumedFiles files_;
  std::int64_t atom_count_ = 0;
  std::vector<double> counts_;  ///< particles of each type
  std::uint64_t text_hash_ = 0;

  std::int64_t asked_step_ = -1;
  Plan plan_;
  Results results_;
  EnergyAndVirial others_;
  bool checkpoint_follows_ = false;
  std::string reason_to_stop_;

  struct Member {
    std::size_t slot;     ///< in the plan
    std::uint32_t index;  ///< in the store
  };
  std::vector<Member> members_;
  bool members_are_known_ = false;
  std::vector<double> up_;    ///< positions of the plan's atoms
  std::vector<double> down_;  ///< forces on them, then what else there is
  std::array<double, 3> plan_numbers_{};
  double other_energy_ = 0.0;
  std::unique_ptr<comm::ReductionBatch> up_batch_, down_batch_, plan_batch_, energy_batch_;

  // On rank 0, of all atoms:
  std::vector<double> positions_, forces_, masses_, charges_;
  std::array<double, 9> edges_{}, virial_{};
  int stop_flag_ = 0;
  Arguments arguments_;
  std::optional<Computed> before_;
  double given_ = 0.0;

  std::optional<Kept> kept_;  ///< until its step was computed again
  bool was_restored_ = false;
  std::vector<GrowingText> texts_;
};

}  // namespace sterna::md
