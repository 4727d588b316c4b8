#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "comm/transport/ofi/libfabric.hpp"

namespace sterna::comm::ofi {

struct Transfer;

/// The transfers of a remote memory that are not complete.
struct UnderWay {
  std::size_t count = 0;
  std::string error;  ///< of the first that failed, until it is reported
};

/// A process that is reached by libfabric.
struct Peer {
  fi_addr_t address = FI_ADDR_UNSPEC;
  std::size_t posted = 0;           ///< number of transfers that libfabric has
  std::size_t largest_posted = 0;   ///< bytes of the largest of them
  bool only_writes_posted = true;   ///< true if none of them reads
  std::uint64_t fences_before = 0;  ///< number of fences before the latest of them
  std::deque<Transfer*> waiting;    ///< transfers that libfabric does not have yet, in order
};

/// Memory registered for data that are copied because libfabric may read only registered memory.
struct Copy {
  std::vector<std::byte> bytes;
  fid_mr* region = nullptr;
};

enum class Kind {
  put,
  word,  ///< one aligned word, which is stored as one
  get,
  add,  ///< atomic addition that returns the previous value
};

/// A transfer. Its words are in it, so that they outlive the caller's. libfabric may use the space
/// of the base class, and names the transfer by its address.
struct Transfer : fi_context2 {
  Kind kind = Kind::put;
  Peer* peer = nullptr;
  std::shared_ptr<UnderWay> owner;
  std::byte* local = nullptr;  ///< source of a put, target of a get
  std::size_t bytes = 0;
  void* descriptor = nullptr;  ///< of the registered memory that `local` is in
  std::uint64_t remote = 0;
  std::uint64_t key = 0;
  std::uint64_t fences_before = 0;
  std::uint64_t word = 0;           ///< the word to store or to add
  std::uint64_t before = 0;         ///< the previous value that an addition returns
  std::uint64_t* result = nullptr;  ///< the place for it
  void* own_descriptor = nullptr;   ///< of the registered memory that this object is in
  std::unique_ptr<Copy> copy;       ///< takes the place of `local` for libfabric
};

}  // namespace sterna::comm::ofi
