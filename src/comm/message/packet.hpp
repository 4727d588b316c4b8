#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "comm/message/pool_directory.hpp"
#include "comm/message/ring.hpp"

namespace sterna::comm {

/// A packet between ranks consists of a word (kind, length), the head of its kind, and the rest.
namespace packet {

using Word = ring::Word;

enum Kind : std::uint16_t {
  call = 1,         ///< a CallHead, small arguments, array heads, data of inlined arrays
  acknowledgement,  ///< an AckHead and the text of an error
  pull,             ///< a PullHead: the receiver of an array is ready for its data (two_sided)
};

enum CallFlags : std::uint32_t { broadcast = 1 };

struct CallHead {
  std::uint64_t entry;
  std::uint64_t reference;
  std::uint32_t small_bytes;
  std::uint32_t flags;
  std::int32_t root;  ///< root of a broadcast
  std::uint32_t filling;
};

/// How the receiver gets the data of an array.
enum class DataPath : std::uint32_t {
  inlined,      ///< the data are in this packet
  view,         ///< in shared memory, owned by the sender until the receiver has reported
  moved,        ///< in shared memory, owned by the receiver from now on
  kernel_copy,  ///< in the sender's private memory; the kernel copies them from that address
  rendezvous,   ///< the sender sends them when the receiver has named the target
  self,         ///< sender and receiver are the same process
};

/// Stages that the receiver reports to the sender.
enum StageBit : std::uint32_t { source = 1, remote = 2, operation = 4, failure = 8 };
constexpr std::uint32_t all_stages = source | remote | operation;

struct ArrayHead {
  std::uint64_t bytes;
  std::uint64_t operation;  ///< number of the sender's operation; 0 if it needs no report
  std::uint64_t address;    ///< an address, or an offset in the slab or in this packet
  std::uint32_t owner;
  std::uint32_t slab;
  DataPath path;
  std::uint32_t requested;
};

struct AckHead {
  std::uint64_t operation;
  std::uint32_t stages;
  std::uint32_t text_bytes;
};

struct PullHead {
  std::uint64_t operation;
};

/// The alignment of data in packets; types of stricter alignment cannot be sent.
constexpr std::size_t alignment = 16;
inline std::size_t aligned(std::size_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace packet
}  // namespace sterna::comm
