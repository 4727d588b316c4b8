#pragma once

#include <stdexcept>
#include <string>

namespace sterna::comm {

/// The error of every communication failure: a failed transport, a passed deadline, a dead peer, an
/// unknown method. The text says what was waited for, with which method and peer.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// More memory was requested than is available. No memory was taken.
class MemoryError : public Error {
 public:
  using Error::Error;
};

}  // namespace sterna::comm
