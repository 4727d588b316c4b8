#include "md/simulation/engine/phase_timer.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace sterna::md {

double processor_clock_resolution() {
  double least = 1.0;
  for (int k = 0; k < 10; ++k) {
    const double start = comm::processor_seconds_now();
    double now = start;
    while (now == start) now = comm::processor_seconds_now();
    least = std::min(least, now - start);
  }
  return least;
}

namespace {

/// Names of the fixed phases, in the order of `Phase`.
const PhaseInfo fixed_phases[] = {
    {"periodic images", false}, {"halo exchange", true}, {"rebuild decision", true},
    {"migration", true},        {"sorting", false},      {"halo selection", false},
    {"halo lists", true},       {"pair list", false},    {"load balance", true},
    {"displacements", false},   {"integration", false},  {"constraints", false},
    {"thermostat", false},      {"observers", false},    {"output", false},
    {"checkpoint", false},
};
static_assert(std::size(fixed_phases) == static_cast<std::size_t>(Phase::checkpoint) + 1);

}  // namespace

PhaseTimer::PhaseTimer() : info_(std::begin(fixed_phases), std::end(fixed_phases)) {
  for (auto* seconds : {&seconds_, &waiting_, &communication_, &processor_seconds_}) {
    seconds->resize(info_.size());
  }
}

Phase PhaseTimer::add_term(std::string_view name) {
  info_.push_back({std::string(name), false});
  for (auto* seconds : {&seconds_, &waiting_, &communication_, &processor_seconds_}) {
    seconds->push_back(0.0);
  }
  return static_cast<Phase>(info_.size() - 1);
}

bool PhaseTimer::is_term(Phase phase) const {
  return static_cast<std::size_t>(phase) >= std::size(fixed_phases);
}

double PhaseTimer::sum_of_terms(const std::vector<double>& seconds) const {
  return std::accumulate(seconds.begin() + std::size(fixed_phases), seconds.end(), 0.0);
}

}  // namespace sterna::md
