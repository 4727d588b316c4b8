#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "md/core/json.hpp"
#include "md/core/random.hpp"
#include "md/forces/energy_of_one.hpp"
#include "md/input/input.hpp"
#include "md/observe/frame.hpp"
#include "md/observe/inserted_molecule.hpp"
#include "md/output/json_log.hpp"
#include "md/simulation/simulated_system.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// Grand canonical moves: reservoirs of [[grand_canonical]] insert molecules into the box, delete
/// them, and turn molecules of one component into others. All moves of a step are one Markov chain:
/// each is judged with the molecules that the moves before it left, whatever rank has them. The other
/// molecules rest meanwhile.
class ParticleReservoirs {
 public:
  /// All arguments must outlive this object. `alone`: the force terms that act on each molecule
  /// alone.
  ParticleReservoirs(const comm::Context& context, const Input& input,
                     const SimulatedSystem& system, std::vector<const HasEnergyOfOne*> alone);

  /// Whether a reservoir exchanges molecules in this step.
  bool are_due(std::int64_t step) const;

  /// What the moves of a step changed.
  struct Changes {
    std::vector<std::size_t> removed{};   ///< local places in the store, ascending
    std::vector<ParticleRecord> added{};  ///< on this rank
    std::int64_t more = 0;                ///< particles of all ranks
    bool any = false;                     ///< on any rank
  };
  /// Collective. Makes the moves of this step. Lists must have been built at the present positions.
  Changes move(const Frame& frame);

  /// The columns of the log: molecules of each component, and how many of the attempts were accepted.
  std::vector<LoggedScalar> logged() const;
  /// The number of molecules of each component in the box, in the order of `names`.
  std::vector<double> counts() const;
  /// The names of the components of all reservoirs, each once.
  static std::vector<std::string> names(const Input& input);

  /// Adds to the energy that new and deleted molecules gave to the system.
  void give(double energy) { given_ += energy; }
  double given() const { return given_; }
  Json state() const;
  void set_state(const Json& saved);

 private:
  struct Tally {
    std::int64_t tried = 0, accepted = 0;
    double rate() const {
      return tried > 0 ? static_cast<double>(accepted) / static_cast<double>(tried) : 0.0;
    }
  };
  /// The molecules of a component in the region of a reservoir.
  struct Population {
    std::size_t kind;
    double activity;
    Tally insertions{}, deletions{}, exchanges{};
    /// Of this rank: places in the store; below 0: ~number in `added_`.
    std::vector<std::int64_t> mine{};
    std::vector<std::int64_t> by_rank{};
    std::int64_t count = 0;  ///< on all ranks
  };
  struct Reservoir {
    std::size_t number;
    std::int64_t interval, moves, exchanges;
    bool is_everywhere;
    Vec3 lower{}, upper{};
    std::vector<Population> populations{};
    bool contains(const Position& position) const;
    double volume(const Box& box) const;
  };
  enum class Kind { insertion, deletion, exchange };
  struct Trial {
    Kind kind;
    std::size_t population, other;  ///< of what leaves or comes; what comes in an exchange
    double selected, accepted;      ///< random numbers
    Vec3 center;                    ///< of an insertion
    Quaternion orientation;         ///< of what comes, if it turns anew
    RandomSequence rest;            ///< for velocities
  };
  /// What the rank that has the place of a trial tells the others, as numbers that are added up.
  enum Told : std::size_t {
    told_owner,  ///< its rank, counted from 1
    told_id,
    told_out,  ///< energy of what leaves
    told_in,   ///< energy of what comes
    told_center,
    told_orientation = told_center + 3,
    told_numbers = told_orientation + 4
  };
  struct Added {
    ParticleRecord record;
    bool is_gone = false;
  };

  void check_box(const Box& box) const;
  void take_particles(const Frame& frame, Reservoir& reservoir);
  void run(Reservoir& reservoir, const Frame& frame);
  Trial draw(const Reservoir& reservoir, std::int64_t number, const Frame& frame) const;
  /// Writes what this rank knows of a trial: zeros if it has nothing to do with it.
  void evaluate(const Reservoir& reservoir, const Trial& trial, const Frame& frame, double* told);
  bool is_accepted(const Reservoir& reservoir, const Trial& trial, const Box& box,
                   const double* told);
  void carry_out(Reservoir& reservoir, const Trial& trial, const double* told);
  void insert(Population& into, const Vec3& center, const Quaternion& orientation, int owner,
              RandomSequence numbers);
  void remove(Population& from, double selected, std::int64_t id);
  /// The rank that has the selected molecule, and its number among those of that rank.
  struct Choice {
    int rank;
    std::size_t number;
  };
  static Choice choice(const Population& from, double selected);
  /// Nothing: it overlaps.
  std::optional<double> energy(std::size_t kind, const Vec3& center, const Quaternion& orientation,
                               std::int64_t except);
  const ParticleRecord& record_of(std::int64_t member, const ParticleStore& particles,
                                  ParticleRecord& space) const;
  bool turns(std::size_t kind) const;
  std::int64_t highest_id(const ParticleStore& particles) const;

  comm::Context context_;
  const SimulatedSystem& system_;
  std::vector<const HasEnergyOfOne*> alone_;
  double heat_;  ///< kT
  UnitSystem units_;
  RandomStream stream_;
  std::vector<Reservoir> reservoirs_;
  InsertedMolecule molecule_;
  std::int64_t next_id_ = 0;  ///< 0: not known yet
  double given_ = 0.0;

  // Of the present step:
  std::vector<double> counts_;  ///< of each kind in the box
  std::vector<Added> added_;    ///< on this rank
  Changes changes_;
};

}  // namespace sterna::md
