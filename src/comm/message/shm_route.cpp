// Idea:
//   Each pair has a ring of cache lines.
//   Arrays are looked at where they lie, handed over as the memory itself, or copied once by the
//     receiver.
// Source:
//   FastForward queues are by Giacomoni et al. (PPoPP 2008).
//   Charm++ has parameters without copies.
// Cost:
//   A message of a few words is one cache line from core to core, without a system call.
// Hazards:
//   Each rank of the node that may send here takes 64 KiB of ring.
//   A rank that does not come by leaves its senders' packets in their own queues, which grow.
// Others:
//   Beyond the node this cannot be used.

#include "comm/message/shm_route.hpp"

#include <fmt/format.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "comm/context/agreement.hpp"
#include "comm/context/process.hpp"
#include "comm/onesided/window.hpp"
#include "comm/transport/shm/transport.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm {
namespace {

constexpr std::size_t most_ring_bytes = std::size_t{64} << 10U;
constexpr std::size_t least_ring_bytes = std::size_t{16} << 10U;
constexpr std::size_t all_rings_bytes = std::size_t{4} << 20U;

/// The data that other ranks of the node need to access a rank's memory.
struct RankMemory {
  std::int64_t process;
  std::uint64_t address;  ///< address of the directory in that process
};

/// Copies from another process, at most 2 GiB a call. Returns the number of bytes copied, or -1.
std::int64_t copy_from_process(std::int64_t process, std::uint64_t address, std::byte* to,
                               std::size_t bytes) {
  const iovec local{to, bytes};
  const iovec remote{reinterpret_cast<void*>(address), bytes};
  return process_vm_readv(static_cast<pid_t>(process), &local, 1, &remote, 1, 0);
}

}  // namespace

ShmRoute::ShmRoute(Context::Implementation& context, int tag, std::string_view exchange_name) {
  const std::vector<int>& ranks = context.ranks_on_node;
  const std::size_t ring_bytes =
      std::clamp(all_rings_bytes / ranks.size() / 1024 * 1024, least_ring_bytes, most_ring_bytes);
  const std::size_t stride = ring::control_bytes + ring_bytes;
  own_ = static_cast<std::size_t>(std::ranges::find(ranks, context.rank) - ranks.begin());
  std::vector<int> others = ranks;
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(own_));
  const auto window = std::make_shared<Window<shm::Transport, RankMemory>>(
      context, exchange_name, tag, sizeof(PoolDirectory) + ranks.size() * stride, others,
      [&](std::byte* memory) {
        ::new (memory) PoolDirectory;
        return std::vector<RankMemory>(
            others.size(), {Process::self().id, reinterpret_cast<std::uint64_t>(memory)});
      });
  memory_ = window;
  index_of_.resize(static_cast<std::size_t>(context.size));
  bool readable = true;
  for (const auto& [memory, remote, rank] : window->remotes()) {
    directories_.push_back(reinterpret_cast<PoolDirectory*>(memory.mapped()));
    std::uint64_t word = 0;
    readable = readable && copy_from_process(remote.process, remote.address,
                                             reinterpret_cast<std::byte*>(&word), 8) == 8;
    const auto their_place =
        static_cast<std::size_t>(std::ranges::find(ranks, rank) - ranks.begin());
    index_of_[static_cast<std::size_t>(rank)] = static_cast<std::uint32_t>(peers_.size());
    peers_.push_back(
        {rank,
         remote.process,
         ring::Writer(memory.mapped() + sizeof(PoolDirectory) + own_ * stride, ring_bytes),
         ring::Reader(window->data() + sizeof(PoolDirectory) + their_place * stride, ring_bytes),
         nullptr,
         {}});
  }
  directories_.insert(directories_.begin() + static_cast<std::ptrdiff_t>(own_),
                      reinterpret_cast<PoolDirectory*>(window->data()));
  kernel_copies_ = largest(context, readable ? 0 : 1, exchange_name) == 0;
}

void ShmRoute::copy_from_rank(int rank, std::uint64_t address, std::span<std::byte> target) const {
  const Peer& peer = peers_[index_of_[static_cast<std::size_t>(rank)]];
  while (!target.empty()) {
    const std::int64_t copied =
        copy_from_process(peer.process, address, target.data(), target.size());
    if (copied <= 0) {
      throw Error(fmt::format("cannot copy from the memory of rank {}: {}", rank,
                              copied < 0 ? std::strerror(errno) : "it ends"));
    }
    address += static_cast<std::uint64_t>(copied);
    target = target.subspan(static_cast<std::size_t>(copied));
  }
}

std::byte* ShmRoute::begin(int rank, std::size_t bytes) {
  Peer& peer = peer_of(rank);
  if (!peer.queue.empty()) drain_queue(peer);
  peer.record = peer.queue.empty() ? peer.out.reserve(bytes) : nullptr;
  if (peer.record != nullptr) return peer.record;
  ++waiting_;
  return peer.queue.emplace_back(bytes).data();
}

void ShmRoute::commit(int rank, packet::Word word) {
  Peer& peer = peer_of(rank);
  if (peer.record != nullptr) {
    peer.out.publish(peer.record, word);
  } else {
    std::memcpy(peer.queue.back().data(), &word, sizeof word);
  }
}

void ShmRoute::drain_queue(Peer& peer) {
  while (!peer.queue.empty()) {
    const std::vector<std::byte>& packet = peer.queue.front();
    std::byte* const record = peer.out.reserve(packet.size());
    if (record == nullptr) return;
    packet::Word word;
    std::memcpy(&word, packet.data(), sizeof word);
    std::memcpy(record + sizeof word, packet.data() + sizeof word, packet.size() - sizeof word);
    peer.out.publish(record, word);
    peer.queue.pop_front();
    --waiting_;
  }
}

void ShmRoute::progress(PacketSink& sink) {
  for (Peer& peer : peers_) {
    if (!peer.queue.empty()) drain_queue(peer);
    // At most as many packets as a ring holds are handled, so that one sender cannot delay the
    // others.
    for (int packets = 0; packets < 256; ++packets) {
      std::byte* const record = peer.in.peek();
      if (record == nullptr) break;
      // The destructor pops the packet, also if a handler throws, because it was taken.
      struct Pop {
        ring::Reader& ring;
        ~Pop() { ring.pop(); }
      } const pop{peer.in};
      sink.arrived(peer.rank, {record, reinterpret_cast<const packet::Word*>(record)->bytes});
    }
  }
}

}  // namespace sterna::comm
