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

/// The exchange that errors of messages name.
inline constexpr std::string_view message_exchange = "messages";

/// What routes report to their messenger.
class PacketSink {
 public:
  virtual ~PacketSink() = default;
  /// `packet` is valid until this returns.
  virtual void arrived(int source, std::span<const std::byte> packet) = 0;
  /// The data of the array that this rank fetched under `token` are there.
  virtual void fetched(std::uint64_t token) = 0;
  /// All data of the array of this rank's `operation` have left.
  virtual void sent(std::uint64_t operation) = 0;
};

/// How packets and arrays travel to a set of ranks: one for each transport. Nothing here waits.
class Route {
 public:
  virtual ~Route() = default;
  virtual std::string_view name() const = 0;
  /// Memory for a packet of this length to `rank`, aligned as data in packets must be; `commit`
  /// sends it. Packets from one rank to another arrive in order.
  virtual std::byte* begin(int rank, std::size_t bytes) = 0;
  virtual void commit(int rank, packet::Word word) = 0;
  /// Gives what has arrived to `sink`, and advances what is under way.
  virtual void progress(PacketSink& sink) = 0;
  /// Whether nothing waits here to leave.
  virtual bool idle() const = 0;

  /// Arrays that travel outside of their packet. The sender announces an array, the receiver
  /// fetches it when it knows where to put it.
  virtual void announce(int rank, std::uint64_t operation, std::span<const std::byte> data) = 0;
  virtual void fetch(int rank, std::uint64_t operation, std::span<std::byte> target,
                     std::uint64_t token) = 0;
  /// At the receiver: the array will not be fetched.
  virtual void refuse(int rank, std::uint64_t operation) = 0;
  /// At the sender: the array was refused, or its receiver has died.
  virtual void withdraw(std::uint64_t operation) = 0;
};

/// `tag`: the first of two that are this messenger's. Both are collective.
std::unique_ptr<Route> make_two_sided_route(Context::Implementation& context, int tag);
/// `number`: of this messenger, the same on all ranks.
std::unique_ptr<Route> make_rdma_route(Context::Implementation& context, std::uint32_t number);

}  // namespace sterna::comm
