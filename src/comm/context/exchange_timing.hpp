#pragma once

#include <functional>

namespace sterna::comm {

/// The state of a context while its time is divided into waiting and communication (see
/// SynchronizedTiming). Times are seconds of this rank.
struct ExchangeTiming {
  /// Lets all ranks meet, and adds the time to `waiting`. Collective.
  std::function<void()> meet;
  double waiting = 0.0;
  double communication = 0.0;
};

}  // namespace sterna::comm
