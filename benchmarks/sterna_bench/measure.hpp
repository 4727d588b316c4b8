#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sterna/comm/context.hpp"

namespace sterna::bench {

/// How much is measured; options of every verb.
struct Sampling {
  double seconds = 0.5;    ///< measured time of each candidate, about
  std::size_t rounds = 0;  ///< instead of `seconds`, where not 0
  std::size_t blocks = 10;
};

/// One of the things compared: `round` is timed.
struct Candidate {
  std::string method;
  std::function<void()> round;
};

/// Of the times of a round: the maximum over the ranks of each rank's quantile.
struct Timing {
  double median_us = 0.0;
  double p10_us = 0.0;
  double p90_us = 0.0;
  double mean_us = 0.0;  ///< of all measured rounds of a rank, including pauses of the machine
  std::size_t rounds = 0;
};

/// Times the candidates side by side: each in turn for a block of rounds, then the next block, so
/// that drift of the machine hits all alike. There is a barrier between blocks and none between
/// rounds. Collective; the candidates in the same order on all ranks.
std::vector<Timing> measure(const comm::Context& world, std::span<const Candidate> candidates,
                            const Sampling& sampling);

/// `fraction` of the values lie below; sorts them. 0 where there are none.
double quantile(std::vector<double>& values, double fraction);

}  // namespace sterna::bench
