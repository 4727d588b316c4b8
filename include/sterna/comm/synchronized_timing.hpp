#pragma once

#include <memory>

#include "sterna/comm/context.hpp"

namespace sterna::comm {

/// While the object lives, all ranks of the context meet before each of them waits for data of
/// others, in every neighbor exchange, sparse exchange and reduction. The time until all ranks have
/// met is waiting for ranks that still compute (an imbalance, in Scalasca "wait states"; LAMMPS:
/// `timer sync`). The rest of an exchange is communication: packing, sending, receiving, unpacking.
/// Results are the same. A step takes longer, since the ranks wait for each other more often.
///
/// The object is made and destroyed collectively. In between, all ranks must finish the rounds of
/// all exchanges and reductions of the context in the same order. A second object at the same time
/// is an Error.
class SynchronizedTiming {
 public:
  explicit SynchronizedTiming(const Context& context);
  ~SynchronizedTiming();
  SynchronizedTiming(const SynchronizedTiming&) = delete;
  SynchronizedTiming& operator=(const SynchronizedTiming&) = delete;

  /// The times of this rank so far, in seconds.
  struct Times {
    double waiting = 0.0;
    double communication = 0.0;
  };
  Times times() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace sterna::comm
