#pragma once

namespace sterna::comm {

/// Seconds of a processor that this thread has had so far. Slow to read: about half a microsecond.
double processor_seconds_now();

}  // namespace sterna::comm
