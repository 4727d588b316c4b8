#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "comm/context/context_implementation.hpp"
#include "comm/message/packet.hpp"

namespace sterna::comm {

/// The name of the exchange in errors.
inline constexpr std::string_view message_exchange = "messages";

/// The events that routes report to their messenger.
class PacketSink {
 public:
  virtual ~PacketSink() = default;
  /// `packet` is valid until this returns.
  virtual void arrived(int source, std::span<const std::byte> packet) = 0;
  /// The data of the array that this rank fetched under `token` have arrived.
  virtual void fetched(std::uint64_t token) = 0;
  /// All data of the array of this rank's `operation` have left.
  virtual void sent(std::uint64_t operation) = 0;
};

/// The transport of packets and arrays to a set of ranks. No function of it waits.
class Route {
 public:
  virtual ~Route() = default;
  virtual std::string_view name() const = 0;
  /// Returns memory for a packet of this length to `rank`, aligned for the data in packets;
  /// `commit` sends it. Packets from one rank to another arrive in order.
  virtual std::byte* begin(int rank, std::size_t bytes) = 0;
  virtual void commit(int rank, packet::Word word) = 0;
  /// Passes arrived packets to `sink`, and advances transfers that are under way.
  virtual void progress(PacketSink& sink) = 0;
  /// True if nothing is waiting to leave.
  virtual bool idle() const = 0;

  /// The following functions carry arrays outside of their packet. The sender announces an array,
  /// and the receiver fetches it when it knows the target.
  virtual void announce(int rank, std::uint64_t operation, std::span<const std::byte> data) = 0;
  virtual void fetch(int rank, std::uint64_t operation, std::span<std::byte> target,
                     std::uint64_t token) = 0;
  /// Called by the receiver: the array will not be fetched.
  virtual void refuse(int rank, std::uint64_t operation) = 0;
  /// Called by the sender: the array was refused, or its receiver has died.
  virtual void withdraw(std::uint64_t operation) = 0;
};

/// `tag` is the first of two tags of this messenger. Both functions are collective.
std::unique_ptr<Route> make_two_sided_route(Context::Implementation& context, int tag);
/// `number` is that of this messenger, the same on all ranks.
std::unique_ptr<Route> make_rdma_route(Context::Implementation& context, std::uint32_t number);

}  // namespace sterna::comm
