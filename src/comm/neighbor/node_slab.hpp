#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "comm/neighbor/buffer_layout.hpp"
#include "comm/neighbor/link.hpp"
#include "comm/neighbor/method.hpp"
#include "comm/transport/shm/memory.hpp"
#include "comm/transport/shm/remote_memory.hpp"

namespace sterna::comm {

/// A link of any rank of a node with a rank of another one.
struct NodeLink {
  int rank;  ///< of the node
  Link link;
};

/// The place of a link's items in the body of a joined message.
struct SliceEntry {
  std::uint64_t offset;  ///< from the begin of the message, in bytes
  std::uint64_t count;   ///< in items
};

/// The links of a joined message, from all ranks of one node to those of another one. Both nodes
/// derive the same from their own links. The message begins with a `SliceEntry` for each link;
/// behind them come the items, without gaps but for alignment, in the order of their commits.
struct JoinedMessage {
  struct Slice {
    int from;
    int to;
    std::size_t items;  ///< capacity
  };
  std::vector<Slice> slices;  ///< ascending by `from`, then by `to`
  std::size_t body = 0;       ///< offset of the first item
  std::size_t bytes = 0;      ///< largest size, or `too_many_bytes`

  /// Adds up the sizes once all slices are there.
  void set_sizes(std::size_t item_size);
  /// The index of the slice of a link.
  std::size_t index_of(int from, int to) const;
  static std::size_t alignment(std::size_t item_size) {
    return item_size % 64 == 0 ? 64 : item_size % 32 == 0 ? 32 : 16;
  }
};

/// What a node shares for its traffic with one other node.
struct NodePair {
  int node = 0;            ///< the other node
  std::vector<int> here;   ///< ranks of this node with links there, ascending
  std::vector<int> there;  ///< ranks of the other node with links here, ascending
  JoinedMessage out;
  JoinedMessage in;
  int target = 0;    ///< rank of the other node to whose registered slab messages are put
  int receiver = 0;  ///< rank of this node to whose registered slab the other node puts
  /// Offsets in the slab of this node, of even and odd rounds.
  std::array<std::size_t, 2> arrivals{};  ///< counts the starts of ranks in `here`
  std::array<std::size_t, 2> reserved{};  ///< bytes of the body that have an owner
  std::array<std::size_t, 2> words{};     ///< words from which notices are put
  std::array<std::size_t, 2> send{};      ///< messages to the other node
  std::array<std::size_t, 2> receive{};   ///< messages from it
  std::size_t notice = 0;   ///< the number of the last round that all of `there` have started
  std::size_t relayed = 0;  ///< the same, as `receiver` has seen it
};

/// The layout of the memory that the ranks of a node share for their traffic with other nodes.
struct NodeSlabLayout {
  std::vector<NodePair> pairs;  ///< ascending by node
  std::size_t bytes = 0;        ///< or `too_many_bytes`
};

/// Derives the layout from all links of a node with other nodes, in any order. Local.
NodeSlabLayout lay_out_node_slab(int node, std::span<const NodeLink> links,
                                 std::span<const int> node_of, std::size_t item_size);

/// The memory itself, mapped by each rank of the node.
class NodeSlab {
 public:
  /// Tells the ranks of the node of each other's links, makes the memory and maps it. `links` are
  /// those of this rank with other nodes; `round` is the last one that was finished. Collective
  /// over the context. Throws Error on all ranks if one fails.
  NodeSlab(const NeighborSetting& setting, std::span<const Link> links, std::uint64_t round);

  /// An upper bound of what a rank with `links` adds to the size of the slab.
  static std::size_t bytes_for(std::span<const Link> links, std::size_t item_size);

  const std::vector<NodePair>& pairs() const { return layout_.pairs; }
  /// Null if no rank of the node has links with others.
  std::byte* data() const { return data_; }
  std::size_t size() const { return layout_.bytes; }
  std::atomic_ref<std::uint64_t> word(std::size_t offset) const {
    return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(data_ + offset));
  }
  SliceEntry entry(std::size_t message, std::size_t slice) const {
    SliceEntry entry;
    std::memcpy(&entry, data_ + message + slice * sizeof entry, sizeof entry);
    return entry;
  }
  void set_entry(std::size_t message, std::size_t slice, const SliceEntry& entry) const {
    std::memcpy(data_ + message + slice * sizeof entry, &entry, sizeof entry);
  }
  /// The last round that a rank of this node has started.
  std::atomic_ref<std::uint64_t> started(int rank) const;

 private:
  std::vector<int> ranks_;  ///< of this node, ascending
  NodeSlabLayout layout_;
  std::size_t started_at_ = 0;
  std::unique_ptr<shm::Memory> own_;           ///< in the lowest rank
  std::unique_ptr<shm::RemoteMemory> mapped_;  ///< in the others
  std::byte* data_ = nullptr;
};

}  // namespace sterna::comm
