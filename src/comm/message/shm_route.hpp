#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "comm/message/pool.hpp"
#include "comm/message/ring.hpp"
#include "comm/message/route.hpp"

namespace sterna::comm {

/// Packets between the ranks of a node, by rings in shared memory, one for each pair and direction.
/// Arrays need no transfer: receivers read them in place, become their owners, or copy them.
class ShmRoute final : public Route {
 public:
  /// Throws Error on all ranks if memory cannot be shared. Collective.
  ShmRoute(Context::Implementation& context, int tag, std::string_view exchange_name);

  /// The directories of this node, for the pool; `memory` keeps the memory that holds them.
  std::vector<PoolDirectory*> directories() const { return directories_; }
  std::size_t own_place() const { return own_; }
  std::shared_ptr<void> memory() const { return memory_; }

  /// True if the kernel can copy from the memory of another rank (process_vm_readv).
  bool kernel_copies() const { return kernel_copies_; }
  /// Copies from an address in the process of `rank`. Throws Error if that fails.
  void copy_from_rank(int rank, std::uint64_t address, std::span<std::byte> target) const;

  std::string_view name() const override { return "shm"; }
  std::byte* begin(int rank, std::size_t bytes) override;
  void commit(int rank, packet::Word word) override;
  void progress(PacketSink& sink) override;
  bool idle() const override { return waiting_ == 0; }
  void announce(int, std::uint64_t, std::span<const std::byte>) override {}
  void fetch(int, std::uint64_t, std::span<std::byte>, std::uint64_t) override {}
  void refuse(int, std::uint64_t) override {}
  void withdraw(std::uint64_t) override {}

 private:
  struct Peer {
    int rank;
    std::int64_t process;
    ring::Writer out;
    ring::Reader in;
    std::byte* record;                         ///< the record between `begin` and `commit`
    std::deque<std::vector<std::byte>> queue;  ///< records that did not fit into the ring
  };
  Peer& peer_of(int rank) { return peers_[index_of_[static_cast<std::size_t>(rank)]]; }
  void drain_queue(Peer& peer);

  std::vector<PoolDirectory*> directories_;  ///< by index on the node
  std::size_t own_ = 0;
  std::shared_ptr<void> memory_;  ///< memory of the directories and rings
  std::vector<Peer> peers_;
  std::vector<std::uint32_t> index_of_;  ///< by rank: index into `peers_`
  std::size_t waiting_ = 0;              ///< number of records in all queues
  bool kernel_copies_ = false;
};

}  // namespace sterna::comm
