// Idea: a ring of cache lines for each pair; arrays are looked at where they lie, handed over as
//   the memory itself, or copied once by the receiver.
// Paper: FastForward queues (Giacomoni et al., PPoPP 2008); no-copy parameters of Charm++.
// Cost: one cache line from core to core for a message of a few words; no system call.
// Hazards: 64 KiB of ring for each rank of the node that may send here; a rank that does not come
//   by leaves its senders' packets in their own queues, which grow.
// Others win: beyond the node this cannot be used.

#include "comm/message/shm_route.hpp"

#ifdef STERNA_HAVE_SHM

#include <fmt/format.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "comm/context/agreement.hpp"
#include "comm/context/handshake.hpp"
#include "comm/transport/shm/memory.hpp"
#include "comm/transport/shm/peer.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm {
namespace {

constexpr std::size_t most_ring_bytes = std::size_t{64} << 10U;
constexpr std::size_t least_ring_bytes = std::size_t{16} << 10U;
constexpr std::size_t all_rings_bytes = std::size_t{4} << 20U;

/// What the others of the node must know of a rank's memory.
struct Door {
  shm::Handle handle;
  std::uint64_t address;  ///< of the board, in that process
};

/// Copies from another process; the number of bytes copied, or -1. One call moves 2 GiB at most.
std::int64_t copy_from_process(std::int64_t process, std::uint64_t address, std::byte* to,
                               std::size_t bytes) {
  const iovec local{to, bytes};
  const iovec remote{reinterpret_cast<void*>(address), bytes};
  return process_vm_readv(static_cast<pid_t>(process), &local, 1, &remote, 1, 0);
}

}  // namespace

ShmRoute::ShmRoute(Context::Implementation& context, int tag, std::string_view exchange) {
  const std::vector<int>& ranks = context.ranks_on_node;
  const std::size_t ring_bytes =
      std::clamp(all_rings_bytes / ranks.size() / 1024 * 1024, least_ring_bytes, most_ring_bytes);
  const std::size_t stride = ring::control_bytes + ring_bytes;
  own_ = static_cast<std::size_t>(std::ranges::find(ranks, context.rank) - ranks.begin());
  std::string fault;
  std::vector<std::string> letters;
  try {
    auto mine = std::make_shared<shm::Memory>(sizeof(Board) + ranks.size() * stride);
    const Door door{mine->handle(), reinterpret_cast<std::uint64_t>(mine->data())};
    letters.assign(ranks.size(), {reinterpret_cast<const char*>(&door), sizeof door});
    boards_.push_back(::new (mine->data()) Board);
    memory_.push_back(std::move(mine));
  } catch (const Error& error) {
    fault = error.what();
  }
  const auto agree = [&] {
    const std::string agreed = agree_on_reason(context, fault, exchange);
    if (!agreed.empty()) throw Error(fmt::format("{}: {}", exchange, agreed));
  };
  agree();
  const auto incoming = exchange_letters(context, exchange, tag, ranks, letters);
  auto* const own_memory = reinterpret_cast<std::byte*>(boards_.front());
  boards_.clear();
  index_of_.resize(static_cast<std::size_t>(context.size));
  bool readable = true;
  try {
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      if (i == own_) {
        boards_.push_back(reinterpret_cast<Board*>(own_memory));
        continue;
      }
      Door door;
      std::memcpy(&door, incoming[i].data(), sizeof door);
      auto mapped = std::make_shared<shm::Peer>(door.handle);
      boards_.push_back(reinterpret_cast<Board*>(mapped->data()));
      std::uint64_t word = 0;
      readable = readable && copy_from_process(door.handle.process, door.address,
                                               reinterpret_cast<std::byte*>(&word), 8) == 8;
      index_of_[static_cast<std::size_t>(ranks[i])] = static_cast<std::uint32_t>(peers_.size());
      peers_.push_back({ranks[i],
                        door.handle.process,
                        ring::Writer(mapped->data() + sizeof(Board) + own_ * stride, ring_bytes),
                        ring::Reader(own_memory + sizeof(Board) + i * stride, ring_bytes),
                        nullptr,
                        {}});
      memory_.push_back(std::move(mapped));
    }
  } catch (const Error& error) {
    fault = error.what();
  }
  agree();  // also: nobody goes on before all have mapped
  reads_foreign_ = largest(context, readable ? 0 : 1, exchange) == 0;
}

void ShmRoute::read_foreign(int rank, std::uint64_t address, std::span<std::byte> room) const {
  const Peer& peer = peers_[index_of_[static_cast<std::size_t>(rank)]];
  while (!room.empty()) {
    const std::int64_t copied = copy_from_process(peer.process, address, room.data(), room.size());
    if (copied <= 0) {
      throw Error(fmt::format("cannot copy from the memory of rank {}: {}", rank,
                              copied < 0 ? std::strerror(errno) : "it ends"));
    }
    address += static_cast<std::uint64_t>(copied);
    room = room.subspan(static_cast<std::size_t>(copied));
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
    // As many as one ring holds at most, so that one sender cannot keep the others waiting.
    for (int packets = 0; packets < 256; ++packets) {
      std::byte* const record = peer.in.peek();
      if (record == nullptr) break;
      // Popped also where a handler throws: the packet was taken.
      struct Pop {
        ring::Reader& ring;
        ~Pop() { ring.pop(); }
      } const pop{peer.in};
      sink.arrived(peer.rank, {record, reinterpret_cast<const packet::Word*>(record)->bytes});
    }
  }
}

}  // namespace sterna::comm

#endif
