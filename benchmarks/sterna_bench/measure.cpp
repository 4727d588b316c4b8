#include "measure.hpp"

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sterna/comm/collective.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::bench {
namespace {

/// MPI's clock: under a simulator of MPI it is that of the simulated machine.
double now_us() {
  return 1e6 * MPI_Wtime();
}

double timed_round(const Candidate& candidate) {
  const double start = now_us();
  candidate.round();
  return now_us() - start;
}

/// Rounds of a block that take the time asked for; the same on all ranks.
std::size_t rounds_in_block(const comm::Context& world, const Candidate& candidate,
                            const Sampling& sampling) {
  if (sampling.rounds > 0) return std::max<std::size_t>(1, sampling.rounds / sampling.blocks);
  constexpr int trials = 20;
  comm::barrier(world);
  const double start = now_us();
  for (int trial = 0; trial < trials; ++trial) timed_round(candidate);
  double seconds = 1e-6 * (now_us() - start) / trials;
  comm::ReductionBatch(world).max(seconds).run();
  const double rounds = sampling.seconds / static_cast<double>(sampling.blocks) / seconds;
  return static_cast<std::size_t>(std::clamp(rounds, 10.0, 20000.0));
}

}  // namespace

double quantile(std::vector<double>& values, double fraction) {
  if (values.empty()) return 0.0;
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(
      std::lround(fraction * static_cast<double>(values.size() - 1)))];
}

std::vector<Timing> measure(const comm::Context& world, std::span<const Candidate> candidates,
                            const Sampling& sampling) {
  std::vector<std::size_t> rounds;
  for (const Candidate& candidate : candidates) {
    rounds.push_back(rounds_in_block(world, candidate, sampling));
  }
  std::vector<std::vector<double>> times(candidates.size());
  for (std::size_t block = 0; block < sampling.blocks; ++block) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      comm::barrier(world);
      const std::size_t warm_up = std::min(rounds[i], 2 + rounds[i] / 10);
      for (std::size_t round = 0; round < warm_up; ++round) timed_round(candidates[i]);
      for (std::size_t round = 0; round < rounds[i]; ++round) {
        times[i].push_back(timed_round(candidates[i]));
      }
    }
  }
  std::vector<Timing> timings(candidates.size());
  comm::ReductionBatch slowest_rank(world, "slowest rank");
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    Timing& timing = timings[i];
    timing.rounds = times[i].size();
    timing.mean_us = std::reduce(times[i].begin(), times[i].end()) /
                     static_cast<double>(std::max<std::size_t>(1, times[i].size()));
    timing.median_us = quantile(times[i], 0.5);
    timing.p10_us = quantile(times[i], 0.1);
    timing.p90_us = quantile(times[i], 0.9);
    slowest_rank.max(timing.median_us).max(timing.p10_us).max(timing.p90_us).max(timing.mean_us);
  }
  slowest_rank.run();
  return timings;
}

}  // namespace sterna::bench
