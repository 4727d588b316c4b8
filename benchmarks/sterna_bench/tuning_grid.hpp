#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sterna/comm/context.hpp"
#include "sterna/comm/methods.hpp"

namespace sterna::bench {

/// An exchange as an application uses it: packs, exchanges, looks at what came.
class Exchange {
 public:
  virtual ~Exchange() = default;
  virtual void round() = 0;
  virtual comm::Verdict verdict() const = 0;
};

/// A pattern of the grid that `tune` measures and `tune-check` checks.
class TuningPattern {
 public:
  virtual ~TuningPattern() = default;
  virtual std::string family() const = 0;
  virtual std::string name() const = 0;
  virtual std::size_t peers() const = 0;
  virtual std::size_t bytes() const = 0;  ///< that this rank sends in a round, on average
  virtual std::unique_ptr<Exchange> make(const std::string& method) const = 0;
};

/// Neighbor exchange with 2 and 6 neighbors on a ring and 10 to 1000 doubles for each; sparse
/// exchange of few and of many particles among known neighbors, and with anybody. Only patterns
/// that are new on so many ranks.
std::vector<std::unique_ptr<TuningPattern>> tuning_grid(const comm::Context& world);

/// Runs `exchange`, whose method is "auto", until its tuner has chosen, or `rounds` at most.
/// The same on all ranks.
comm::Verdict run_until_chosen(Exchange& exchange, std::size_t rounds);

}  // namespace sterna::bench
