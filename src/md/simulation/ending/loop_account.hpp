#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "md/core/json.hpp"
#include "md/input/input.hpp"
#include "md/simulation/engine/balancer.hpp"
#include "md/simulation/engine/force_engine.hpp"
#include "md/simulation/engine/phase_timer.hpp"
#include "md/system/particle_store.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/methods.hpp"

namespace sterna::md {

/// The measurements of all ranks in the loop of a run, gathered on rank 0. `LoopReport` makes
/// tables of them.
struct LoopAccount {
  /// A part of a force term, timed by the term itself.
  struct TermPart {
    std::size_t phase;  ///< index in `phases`
    std::string name;
  };
  struct Rank {
    std::vector<double> phases;     ///< seconds of computing, by phase
    std::vector<double> exchanges;  ///< seconds of the exchanges within computing phases
    std::vector<double> waiting;    ///< seconds of waiting for other ranks, by phase
    std::vector<double> parts;      ///< seconds, by entry of `LoopAccount::parts`
    double other = 0.0;             ///< seconds outside of all phases
    double particles = 0.0, ghosts = 0.0;
    std::vector<std::pair<std::size_t, std::size_t>> sent;  ///< bytes and messages, by exchange
    std::vector<comm::SentToRank> sent_to;                  ///< by all exchanges together
  };

  std::vector<PhaseInfo> phases;        ///< force terms first
  std::vector<bool> phase_is_term;      ///< by phase
  std::vector<TermPart> parts;          ///< of all force terms, in the terms' order
  std::vector<Rank> ranks;              ///< rank 0 only; empty on other ranks
  std::vector<comm::Verdict> verdicts;  ///< of this rank
  Balancer::Summary balance;
  Json regions;  ///< of `regions_of_ranks`
  std::int64_t steps = 0;
  double seconds = 0.0;            ///< of the loop
  double particle_count = 0.0;     ///< on all ranks
  std::int64_t rebuilds = 0;       ///< of lists
  Input::Output::Timing timing{};  ///< whether waiting was timed separately
};

/// The sources that `gather_loop_account` reads.
struct LoopSources {
  const comm::Context& context;
  const PhaseTimer& timer;
  const ForceEngine& engine;
  Balancer& balancer;
  const ParticleStore& particles;
  std::int64_t step = 0;            ///< at the run's end
  std::int64_t steps = 0;           ///< of the loop
  double seconds = 0.0;             ///< of the loop
  std::int64_t particle_count = 0;  ///< on all ranks
  std::int64_t rebuilds = 0;        ///< of lists, in the loop
  Input::Output::Timing timing_of_loop{};
};

/// Collective.
LoopAccount gather_loop_account(const LoopSources& sources);

}  // namespace sterna::md
