#pragma once

#include <functional>

namespace sterna::comm {

/// What a context has while its time is parted into waiting and communication (see
/// SynchronizedTiming). In seconds, of this rank.
struct ExchangeTiming {
  /// Collective; adds to `waiting`.
  std::function<void()> meet;
  double waiting = 0.0;
  double communication = 0.0;
};

}  // namespace sterna::comm
