#pragma once

#include <stdexcept>
#include <string>

namespace sterna::comm {

/// Anything that communication can report: a failed transport, a passed deadline, a dead peer,
/// a name that no method has. The text says what was waited for, with which method and peer.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// More memory is asked for than there is. Nothing was taken.
class MemoryError : public Error {
 public:
  using Error::Error;
};

}  // namespace sterna::comm
